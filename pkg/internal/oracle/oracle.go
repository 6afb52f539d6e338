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

// An Oracle is a program that asks one SDK. It is not safe for concurrent use.
type Oracle struct {
	t       testing.TB
	name    string
	program *child.Agent
	answers *bufio.Reader
	stderr  *tail
}

// Start starts the oracle of a name, with its options, and stops it when the test ends. The SDKs
// are installed the first time. The test is skipped where that cannot be, as there is no Node, no npm,
// or no registry in reach; it fails where CI is set in the environment.
func Start(t testing.TB, name string, options ...string) *Oracle {
	t.Helper()
	dir := Install(t)
	// The context of the test is done before its cleanup.
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	stdout, w := io.Pipe()
	o := &Oracle{t: t, name: name, answers: bufio.NewReader(stdout), stderr: new(tail)}
	args := append([]string{"node", filepath.Join(dir, "oracle.mjs"), name}, options...)
	var err error
	if o.program, err = child.StartAgent(ctx, args, w, o.stderr); err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		o.program.Wait()
		_ = w.Close() // never fails
		close(ended)
	}()
	t.Cleanup(func() {
		_ = stdout.Close() // never fails
		cancel()
		<-ended
	})
	return o
}

// Ask returns the answers to documents, one for each, in their order. Documents may be of any
// length and number: they are sent while answers are read.
func (o *Oracle) Ask(docs ...[]byte) []Answer {
	o.t.Helper()
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(o.program)
		for _, doc := range docs {
			_, _ = w.Write(line(doc)) // Flush has the error
		}
		sent <- w.Flush()
	}()
	answers := make([]Answer, len(docs))
	for i := range answers {
		text, err := o.answers.ReadBytes('\n')
		if err != nil {
			o.t.Fatalf("oracle %s ended before it answered document %d of %d: %v\n%s", o.name, i+1, len(docs), err, o.stderr)
		}
		answers[i].Raw = bytes.TrimSuffix(text, []byte("\n"))
		if err := json.Unmarshal(answers[i].Raw, &answers[i]); err != nil {
			o.t.Fatalf("oracle %s answered %q: %v", o.name, text, err)
		}
	}
	if err := <-sent; err != nil {
		o.t.Fatalf("oracle %s: %v\n%s", o.name, err, o.stderr)
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
