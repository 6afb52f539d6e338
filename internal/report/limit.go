package report

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/eaapl/handoff/internal/term"
)

// DefaultMaxFindings is the default of --max-findings.
const DefaultMaxFindings = 10_000

// An Excess counts the findings of a record that --max-findings omits. Consecutive messages about which
// nothing else is reported share one record.
type Excess struct {
	Omitted     int            `json:"omitted,omitzero"`   // findings that are left out
	Messages    int            `json:"messages,omitzero"`  // number of messages of the record, from Index on; 0 for one
	Outcomes    map[string]int `json:"outcomes,omitempty"` // of several messages: the number by outcome
	maxFindings int
	lastLine    int // of several messages: the first line of the last one
}

// notShown returns a text about the omitted findings, "" for none.
func (x *Excess) notShown() string {
	if x.Omitted == 0 {
		return ""
	}
	return term.NotShown(x.Omitted, "finding", x.maxFindings)
}

// text returns the outcomes of several messages on one line.
func (x *Excess) text() string {
	var outcomes []string
	for outcome, n := range x.Outcomes {
		outcomes = append(outcomes, fmt.Sprintf("%s %s", term.Grouped(int64(n)), outcome))
	}
	slices.Sort(outcomes)
	text := term.Plural(x.Messages, "message") + ": " + strings.Join(outcomes, ", ")
	if notShown := x.notShown(); notShown != "" {
		text += " (" + notShown + ")"
	}
	return text
}

// several returns the text of a record of several messages.
func (r *Record) several() string {
	return fmt.Sprintf("%s:%d-%d: %s\n", term.Visible(r.Origin.Source), r.Origin.Line, r.lastLine, r.text())
}

// A Limiter limits the findings in the report of a run. After the maximum number of findings, messages are
// reported without theirs. Then consecutive terse records of one source are merged. After the same number of
// terse records without findings, further ones are merged, too: 65 kB of gzip can hold 22 million of them.
type Limiter struct {
	term.Allowance                // of findings
	Exhausted      atomic.Bool    // no more findings will be written; safe for concurrent use
	bare           term.Allowance // of terse records without findings
	write          func(*Record) error
	held           *Record // later records may be merged into it; nil for none
}

// NewLimiter returns a limiter that passes records to write, with at most maxFindings findings in all; 0
// means no limit.
func NewLimiter(maxFindings int, write func(*Record) error) *Limiter {
	return &Limiter{Allowance: term.Allowance{Max: maxFindings}, bare: term.Allowance{Max: maxFindings}, write: write}
}

// Report reports a message.
func (l *Limiter) Report(r *Record) error {
	n := len(r.Findings)
	kept := l.Take(n)
	if l.Max > 0 && l.Taken == l.Max {
		l.Exhausted.Store(true)
	}
	if kept < n {
		r.keep(kept)
		r.Omitted, r.maxFindings = n-kept, l.Max
	}
	joins := kept == 0 && r.terse()
	if joins && n == 0 {
		joins = l.bare.Take(1) == 0
	}
	if joins && l.held != nil && l.held.Origin.Source == r.Origin.Source {
		l.join(r)
	} else {
		if err := l.Flush(); err != nil {
			return err
		}
		if !joins {
			return l.write(r)
		}
		l.held = r
	}
	if r.Origin.Pause {
		return l.Flush()
	}
	return nil
}

func (l *Limiter) join(r *Record) {
	held := l.held
	if held.Messages == 0 {
		held.Messages, held.Outcomes = 1, map[string]int{held.outcome(): 1}
	}
	held.Messages++
	held.Outcomes[r.outcome()]++
	held.Omitted += r.Omitted
	held.maxFindings = l.Max
	held.lastLine = r.Origin.Line
	held.join(r)
}

// Flush writes the held record.
func (l *Limiter) Flush() error {
	r := l.held
	if r == nil {
		return nil
	}
	l.held = nil
	return l.write(r)
}
