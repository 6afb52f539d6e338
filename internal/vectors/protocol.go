// Package vectors runs the conformance suite: it asks a program for its verdicts by the protocol of
// vectors/PROTOCOL.md, judges them, and answers as handoff itself.
package vectors

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	suite "github.com/eaapl/handoff/vectors"
)

// A Request is a line that a program reads: a case without its answer.
type Request struct {
	ID        string          `json:"id"`
	Operation suite.Operation `json:"operation"`
	Input     suite.Input     `json:"input"`
}

// An Answer is a line that a program writes.
type Answer struct {
	ID             string        `json:"id"`
	Verdict        suite.Verdict `json:"verdict"`
	Step           string        `json:"step,omitzero"`   // that refused the input
	Output         string        `json:"output,omitzero"` // the text made from the input
	Comment        string        `json:"comment,omitzero"`
	Implementation string        `json:"implementation,omitzero"` // name and version
}

// maxLine is the maximum length of an answer.
const maxLine = 64 << 20

func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return lines
}

// writeLine writes v in a single call.
func writeLine(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Serve answers the requests of r until its end. The error is about a line that is no request, or about r or w.
func Serve(ctx context.Context, r io.Reader, w io.Writer, implementation string) error {
	lines := newLines(r)
	for n := 1; lines.Scan(); n++ {
		var q Request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return fmt.Errorf("line %d is not a request: %w", n, err)
		}
		a, err := answer(ctx, q)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		a.ID, a.Implementation = q.ID, implementation
		if err := writeLine(w, a); err != nil {
			return err
		}
	}
	return lines.Err()
}

// parseAnswer reads the answer to a request.
func parseAnswer(line []byte, id string) (a Answer, err error) {
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("the answer is not JSON of the protocol: found %.60q", line)
	}
	switch {
	case a.ID != id:
		return a, fmt.Errorf("the answer has the id %q instead of %q", a.ID, id)
	case a.Verdict != suite.Valid && a.Verdict != suite.Invalid && a.Verdict != suite.Acceptable && a.Verdict != suite.NotApplicable:
		return a, fmt.Errorf("the verdict is %q: use valid, invalid, acceptable or not_applicable", a.Verdict)
	}
	return a, nil
}
