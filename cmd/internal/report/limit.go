package report

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/cmd/internal/term"
)

// DefaultMaxFindings is how many findings a run reports unless --max-findings says more.
const DefaultMaxFindings = 10_000

// An Excess is what a record says of the findings that --max-findings left out of it. Where
// nothing else is left to say of consecutive messages, one record stands for all of them.
type Excess struct {
	Omitted  int            `json:"omitted,omitzero"`   // findings that are left out
	Messages int            `json:"messages,omitzero"`  // how many messages the record is of, from Index on; 0 if it is one
	Outcomes map[string]int `json:"outcomes,omitempty"` // of several messages: how many came to what
	most     int
	lastLine int // of several messages: where the last begins
}

func (x *Excess) Bound() *Excess { return x }

// Told says what is left out, "" if nothing is.
func (x *Excess) Told() string {
	if x.Omitted == 0 {
		return ""
	}
	return term.NotShown(x.Omitted, "finding", x.most)
}

// text says what became of several messages, in one line.
func (x *Excess) text() string {
	var outcomes []string
	for outcome, n := range x.Outcomes {
		outcomes = append(outcomes, fmt.Sprintf("%s %s", term.Grouped(int64(n)), outcome))
	}
	slices.Sort(outcomes)
	text := term.Plural(x.Messages, "message") + ": " + strings.Join(outcomes, ", ")
	if told := x.Told(); told != "" {
		text += " (" + told + ")"
	}
	return text
}

// Several is the text of a record of several messages that begin at o.
func (x *Excess) Several(o input.Origin) string {
	return fmt.Sprintf("%s:%d-%d: %s\n", term.Visible(o.Source), o.Line, x.lastLine, x.text())
}

// A boundedRecord is what a run reports of one message. It embeds an excess.
type boundedRecord[R any] interface {
	Bound() *Excess
	Place() input.Origin
	Count() int
	Keep(n int)      // leaves out all findings but the first n
	Outcome() string // what the message came to
	Terse() bool     // without its findings, nothing is left to say of the message
	Join(R)          // makes it a record of a message that follows, too
}

// A Limiter stands before the report of a run. Once it has let through as many findings as
// there may be, messages are reported without theirs. Then one record stands for terse ones
// of one source that follow each other, and so it does once there were as many terse records
// that never had a finding: 65 kB of gzip can hold 22 million of them.
type Limiter[R boundedRecord[R]] struct {
	term.Allowance                // of findings
	Exhausted      atomic.Bool    // no more findings will be written; may be asked on any core
	bare           term.Allowance // of terse records without any
	write          func(R) error
	held           R // others may join it
	holds          bool
}

func NewLimiter[R boundedRecord[R]](most int, write func(R) error) *Limiter[R] {
	return &Limiter[R]{Allowance: term.Allowance{Most: most}, bare: term.Allowance{Most: most}, write: write}
}

// Report reports a message.
func (l *Limiter[R]) Report(r R) error {
	n := r.Count()
	kept := l.Take(n)
	if l.Most > 0 && l.Taken == l.Most {
		l.Exhausted.Store(true)
	}
	if kept < n {
		r.Keep(kept)
		r.Bound().Omitted, r.Bound().most = n-kept, l.Most
	}
	joins := kept == 0 && r.Terse()
	if joins && n == 0 {
		joins = l.bare.Take(1) == 0
	}
	if joins && l.holds && l.held.Place().Source == r.Place().Source {
		l.join(r)
	} else {
		if err := l.Flush(); err != nil {
			return err
		}
		if !joins {
			return l.write(r)
		}
		l.held, l.holds = r, true
	}
	if r.Place().Pause {
		return l.Flush()
	}
	return nil
}

func (l *Limiter[R]) join(r R) {
	x := l.held.Bound()
	if x.Messages == 0 {
		x.Messages, x.Outcomes = 1, map[string]int{l.held.Outcome(): 1}
	}
	x.Messages++
	x.Outcomes[r.Outcome()]++
	x.Omitted += r.Bound().Omitted
	x.most = l.Most
	x.lastLine = r.Place().Line
	l.held.Join(r)
}

// Flush writes the record that waits for others to join it.
func (l *Limiter[R]) Flush() error {
	if !l.holds {
		return nil
	}
	l.holds = false
	return l.write(l.held)
}
