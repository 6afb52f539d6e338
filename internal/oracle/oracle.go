// Package oracle asks the SDKs of other systems, in tests, whether they take a history. What
// there is to ask, and what each checks, is in testdata/oracles/README.md.
package oracle

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/child"
)

// An Answer is what an oracle says of one document.
type Answer struct {
	OK     bool              `json:"ok"`     // every check takes the document
	Error  string            `json:"error"`  // of the first check that does not: its name and first line
	Checks map[string]string `json:"checks"` // what each check says; "" if it takes the document
	// Raw is the whole answer, a JSON object. What the SDK has made of the document is in other
	// members of it.
	Raw []byte `json:"-"`
}

// A Program asks SDKs. One may ask several, one after the other, as starting it and having it read
// the types of an SDK takes most of the time of few questions. It is not safe for concurrent use.
type Program struct {
	t       testing.TB
	agent   *child.Agent // nil if it has not started
	answers *bufio.Reader
	stderr  *tail
}

// An Oracle asks one SDK.
type Oracle struct {
	t       testing.TB
	name    string // and its options
	program *Program
}

// New returns a program, which starts when the first oracle of it does, and stops when the test ends.
func New(t testing.TB) *Program { return &Program{t: t, stderr: new(tail)} }

// Start starts the oracle of a name, with its options, in a program of its own.
func Start(t testing.TB, name string, options ...string) *Oracle {
	t.Helper()
	return New(t).Start(t, name, options...)
}

// Start starts the oracle of a name, with its options, for a test, which may be a subtest of the
// program's. The SDKs are installed the first time. The test is skipped where that cannot be, as there
// is no Node, no npm, or no registry in reach; it fails where CI is set in the environment.
func (p *Program) Start(t testing.TB, name string, options ...string) *Oracle {
	t.Helper()
	dir := Install(t)
	if p.agent == nil {
		p.start(t, filepath.Join(dir, "oracle.mjs"))
	}
	return &Oracle{t: t, name: strings.Join(append([]string{name}, options...), " "), program: p}
}

func (p *Program) start(t testing.TB, script string) {
	t.Helper()
	// The context of the test is done before its cleanup.
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	stdout, w := io.Pipe()
	agent, err := child.StartAgent(ctx, []string{"node", script}, w, p.stderr)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	p.agent, p.answers = agent, bufio.NewReader(stdout)
	ended := make(chan struct{})
	go func() {
		agent.Wait()
		_ = w.Close() // never fails
		close(ended)
	}()
	p.t.Cleanup(func() {
		_ = stdout.Close() // never fails
		cancel()
		<-ended
	})
}

// Ask returns the answers to documents, one for each, in their order. Documents may be of any
// length and number: they are sent while answers are read.
func (o *Oracle) Ask(docs ...[]byte) []Answer {
	o.t.Helper()
	p := o.program
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(p.agent)
		_, _ = w.WriteString("#" + o.name + "\n") // Flush has the error
		for _, doc := range docs {
			_, _ = w.Write(line(doc))
		}
		sent <- w.Flush()
	}()
	answers := make([]Answer, len(docs))
	for i := range answers {
		text, err := p.answers.ReadBytes('\n')
		if err != nil {
			o.t.Fatalf("oracle %s ended before it answered document %d of %d: %v\n%s", o.name, i+1, len(docs), err, p.stderr)
		}
		answers[i].Raw = bytes.TrimSuffix(text, []byte("\n"))
		if err := json.Unmarshal(answers[i].Raw, &answers[i]); err != nil {
			o.t.Fatalf("oracle %s answered %q: %v", o.name, text, err)
		}
	}
	if err := <-sent; err != nil {
		o.t.Fatalf("oracle %s: %v\n%s", o.name, err, p.stderr)
	}
	return answers
}

// line is the document in one line: in JSON, ends of lines are nothing but space between tokens.
func line(doc []byte) []byte {
	text := bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, doc)
	return append(text, '\n')
}

// failing says why there is no oracle: the test is skipped, but for one that has to run.
func failing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
