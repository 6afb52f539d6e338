// Package oracle checks in tests whether the SDKs of other systems accept a history.
// testdata/oracles/README.md lists the oracles and their checks.
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

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/tier"
)

// An Answer is an oracle's verdict on one document.
type Answer struct {
	OK     bool              `json:"ok"`     // every check accepts the document
	Error  string            `json:"error"`  // of the first check that fails: its name and first line
	Checks map[string]string `json:"checks"` // the error of each check; "" if it accepts the document
	// Raw is the whole answer, a JSON object. Other members contain the SDK's conversion of the document.
	Raw []byte `json:"-"`
}

// A Program runs oracles. One program may run several oracles in sequence, since its start and loading the
// types of an SDK take longer than a few questions. It is not safe for concurrent use.
type Program struct {
	t       testing.TB
	agent   *child.Agent // nil if it was not started
	answers *bufio.Reader
	stderr  *tail
}

// An Oracle queries one SDK.
type Oracle struct {
	t       testing.TB
	name    string // including its options
	program *Program
}

// New returns a program. It starts with its first oracle and stops at the end of the test.
func New(t testing.TB) *Program { return &Program{t: t, stderr: new(tail)} }

// Start starts the named oracle, with its options, in its own program.
func Start(t testing.TB, name string, options ...string) *Oracle {
	t.Helper()
	return New(t).Start(t, name, options...)
}

// Start starts the named oracle, with its options, for a test, which may be a subtest of the program's test.
// The SDKs are installed the first time. The test is skipped if that is impossible without Node, npm or a
// reachable registry; it fails if CI is set in the environment.
func (p *Program) Start(t testing.TB, name string, options ...string) *Oracle {
	t.Helper()
	dir := Install(t)
	if p.agent == nil {
		p.start(t, filepath.Join(dir, "oracle.mjs"))
	}
	return &Oracle{t: t, name: strings.Join(append([]string{name}, options...), " "), program: p}
}

// StartSample is [Program.Start] for a test that gives its documents to many SDKs. In the first tier of tests,
// it omits the check of TypeScript's types, which takes seconds for each SDK: TestTypes of pkg/validate compares
// the schemas with the types in both tiers.
func (p *Program) StartSample(t testing.TB, name string, options ...string) *Oracle {
	t.Helper()
	if !tier.Full() {
		options = append(options, "untyped")
	}
	return p.Start(t, name, options...)
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

// Ask returns one answer per document, in order. Documents may be of any length and number: they are sent
// while answers are read.
func (o *Oracle) Ask(docs ...[]byte) []Answer {
	o.t.Helper()
	p := o.program
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(p.agent)
		_, _ = w.WriteString("#" + o.name + "\n") // Flush returns the error
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

// line returns the document on one line: in JSON, line ends are only white space between tokens.
func line(doc []byte) []byte {
	text := bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, doc)
	return append(text, '\n')
}

// failing reports that there is no oracle: it skips the test, or fails it if the test must run.
func failing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
