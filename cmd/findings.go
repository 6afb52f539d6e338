package cmd

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// defaultMaxFindings is how many findings a run reports unless --max-findings says more.
const defaultMaxFindings = 10_000

// An allowance is how many findings may be reported.
type allowance struct {
	most    int // 0 for any
	taken   int
	omitted int
}

// take returns how many of n findings may be reported; the rest is omitted.
func (a *allowance) take(n int) int {
	allowed := n
	if a.most > 0 {
		allowed = min(n, max(a.most-a.taken, 0))
	}
	a.taken += allowed
	a.omitted += n - allowed
	return allowed
}

// summary is what the summary of a run says of findings that were omitted, "" if none was.
func (a *allowance) summary() string {
	if a.omitted == 0 {
		return ""
	}
	return "; " + notShown(a.omitted, "finding", a.most)
}

func notShown(n int, noun string, most int) string {
	return fmt.Sprintf("%s not shown: --max-findings %d", plural(n, noun), most)
}

// An excess is what a record says of the findings that --max-findings left out of it. Where
// nothing else is left to say of consecutive messages, one record stands for all of them.
type excess struct {
	Omitted  int            `json:"omitted,omitzero"`   // findings that are left out
	Messages int            `json:"messages,omitzero"`  // how many messages the record is of, from Index on; 0 if it is one
	Outcomes map[string]int `json:"outcomes,omitempty"` // of several messages: how many came to what
	most     int
	lastLine int // of several messages: where the last begins
}

func (x *excess) bound() *excess { return x }

// told says what is left out, "" if nothing is.
func (x *excess) told() string {
	if x.Omitted == 0 {
		return ""
	}
	return notShown(x.Omitted, "finding", x.most)
}

// text says what became of several messages, in one line.
func (x *excess) text() string {
	var outcomes []string
	for outcome, n := range x.Outcomes {
		outcomes = append(outcomes, fmt.Sprintf("%s %s", grouped(int64(n)), outcome))
	}
	slices.Sort(outcomes)
	text := plural(x.Messages, "message") + ": " + strings.Join(outcomes, ", ")
	if told := x.told(); told != "" {
		text += " (" + told + ")"
	}
	return text
}

// line is the text of a record of several messages that begin at o.
func (x *excess) line(o origin) string {
	return fmt.Sprintf("%s:%d-%d: %s\n", visible(o.source), o.line, x.lastLine, x.text())
}

// A boundedRecord is what a run reports of one message. It embeds an excess.
type boundedRecord[R any] interface {
	bound() *excess
	place() origin
	findings() int
	keep(n int)      // leaves out all findings but the first n
	outcome() string // what the message came to
	terse() bool     // without its findings, nothing is left to say of the message
	join(R)          // makes it a record of a message that follows, too
}

// A limiter stands before the report of a run. Once it has let through as many findings as
// there may be, messages are reported without theirs. Then one record stands for terse ones
// of one source that follow each other, and so it does once there were as many terse records
// that never had a finding: 65 kB of gzip can hold 22 million of them.
type limiter[R boundedRecord[R]] struct {
	allowance             // of findings
	exhausted atomic.Bool // no more findings will be written; may be asked on any core
	bare      allowance   // of terse records without any
	write     func(R) error
	held      R // others may join it
	holds     bool
}

func newLimiter[R boundedRecord[R]](most int, write func(R) error) *limiter[R] {
	return &limiter[R]{allowance: allowance{most: most}, bare: allowance{most: most}, write: write}
}

// report reports a message.
func (l *limiter[R]) report(r R) error {
	n := r.findings()
	kept := l.take(n)
	if l.most > 0 && l.taken == l.most {
		l.exhausted.Store(true)
	}
	if kept < n {
		r.keep(kept)
		r.bound().Omitted, r.bound().most = n-kept, l.most
	}
	joins := kept == 0 && r.terse()
	if joins && n == 0 {
		joins = l.bare.take(1) == 0
	}
	if joins && l.holds && l.held.place().source == r.place().source {
		l.join(r)
	} else {
		if err := l.flush(); err != nil {
			return err
		}
		if !joins {
			return l.write(r)
		}
		l.held, l.holds = r, true
	}
	if r.place().pause {
		return l.flush()
	}
	return nil
}

func (l *limiter[R]) join(r R) {
	x := l.held.bound()
	if x.Messages == 0 {
		x.Messages, x.Outcomes = 1, map[string]int{l.held.outcome(): 1}
	}
	x.Messages++
	x.Outcomes[r.outcome()]++
	x.Omitted += r.bound().Omitted
	x.most = l.most
	x.lastLine = r.place().line
	l.held.join(r)
}

// flush writes the record that waits for others to join it.
func (l *limiter[R]) flush() error {
	if !l.holds {
		return nil
	}
	l.holds = false
	return l.write(l.held)
}
