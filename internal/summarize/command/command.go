// Package command summarises with an external program. The program reads one JSON object,
// {"previousSummary", "maxTokens", "turns"}, on standard input, the turns as they are in the
// message, and writes the summary to standard output. It may report the cost on a line of standard
// error: see [UsageLine].
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/pkg/summarize"
)

// A Summarizer runs a command for every summary. It is safe for concurrent use.
type Summarizer struct {
	Set     *child.Set // tracks the command's process
	Child   child.Options
	Timeout time.Duration // from the command's start to its end; 0 means no limit
}

// A request is the command's input.
type request struct {
	PreviousSummary string            `json:"previousSummary"`
	MaxTokens       int               `json:"maxTokens"`
	Turns           []json.RawMessage `json:"turns"` // as they are in the message
}

// maxSummary limits the output of a command, in bytes.
const maxSummary = 1 << 20

// Summarize implements [summarize.Summarizer]. It returns an error if the command fails, takes too
// long, or writes more than a mebibyte or only white space.
func (s Summarizer) Summarize(ctx context.Context, r summarize.Request) (summarize.Summary, error) {
	question := request{PreviousSummary: r.Previous, MaxTokens: r.MaxTokens, Turns: []json.RawMessage{}}
	for _, t := range r.Turns {
		question.Turns = append(question.Turns, t.JSON)
	}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(question); err != nil {
		return summarize.Summary{}, fmt.Errorf("encoding the turns: %w", err)
	}
	var used usage
	o := s.Child
	o.Stderr = func(line string) {
		if text, ok := strings.CutPrefix(line, UsageLine); ok {
			used.read(text)
		} else {
			s.Child.Stderr(line)
		}
	}
	text, err := s.Set.Exchange(ctx, o, in.Bytes(), child.Bounds{Timeout: s.Timeout, Output: maxSummary})
	if err == nil {
		err = used.err
	}
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = errors.New("wrote nothing")
	}
	if err != nil {
		return summarize.Summary{}, fmt.Errorf("the summariser %w", err)
	}
	return summarize.Summary{Text: strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD"), Usage: used.Usage}, nil
}
