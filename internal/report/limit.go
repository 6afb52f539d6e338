package report

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/eaapl/handoff/internal/term"
)

// DefaultMaxFindings is how many findings a run reports unless --max-findings says more.
const DefaultMaxFindings = 10_000

// An Excess is what a record says of the findings that --max-findings left out of it. Where
// nothing else is left to say of consecutive messages, one record covers all of them.
type Excess struct {
	Omitted     int            `json:"omitted,omitzero"`   // findings that are left out
	Messages    int            `json:"messages,omitzero"`  // how many messages the record is of, from Index on; 0 if it is one
	Outcomes    map[string]int `json:"outcomes,omitempty"` // of several messages: how many came to what
	maxFindings int
	lastLine    int // of several messages: where the last begins
}

// notShown says what is left out, "" if nothing is.
func (x *Excess) notShown() string {
	if x.Omitted == 0 {
		return ""
	}
	return term.NotShown(x.Omitted, "finding", x.maxFindings)
}

// text says what became of several messages, in one line.
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

// several is the text of a record of several messages.
func (r *Record) several() string {
	return fmt.Sprintf("%s:%d-%d: %s\n", term.Visible(r.Origin.Source), r.Origin.Line, r.lastLine, r.text())
}

// A Limiter is called before the report of a run. Once it has let through as many findings as
// there may be, messages are reported without theirs. Then one record covers terse ones
// of one source that follow each other, and so it does once there were as many terse records
// that never had a finding: 65 kB of gzip can hold 22 million of them.
type Limiter struct {
	term.Allowance                // of findings
	Exhausted      atomic.Bool    // no more findings will be written; may be asked on any core
	bare           term.Allowance // of terse records without any
	write          func(*Record) error
	held           *Record // others may join it; nil if there is none
}

// NewLimiter returns a limiter before a report, of so many findings at most; 0 means any number.
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

// Flush writes the record that waits for others to join it.
func (l *Limiter) Flush() error {
	r := l.held
	if r == nil {
		return nil
	}
	l.held = nil
	return l.write(r)
}
