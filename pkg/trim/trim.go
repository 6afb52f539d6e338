// Package trim shortens the history of a message to fit its receiver (section 6.4): it replaces the oldest
// turns with a summary, keeps the latest ones unchanged, and keeps together turns that belong together.
package trim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/summarize"
)

// DefaultKeepTurns is the number of latest turns that section 6.4 keeps.
const DefaultKeepTurns = 5

// DefaultLast is the number of turns that the SW4RM document keeps.
const DefaultLast = 50

// Options are the limits of a trim, and how to meet them. A limit of 0 is none. Without any limit, Roles or
// DropTools, an SW4RM message is cut to its last [DefaultLast] turns, and any other is an [ErrNoLimit].
type Options struct {
	Format format.Format // of the messages; "" means detection

	MaxTokens int // of the whole message, by Meter
	MaxBytes  int // of the whole message as compact JSON
	Last      int // turns that may stay, except elements outside the conversation

	// KeepTurns is the number of latest turns that stay, whatever the limits. If Last is not greater, only
	// the very last turn must stay, and Last limits the others.
	KeepTurns int
	// SummaryTokens is the maximum size of the summary; 0 means a tenth of the text it replaces, and at
	// most half of the limit.
	SummaryTokens int

	Roles     []string // if not nil, only turns of these roles stay
	DropTools bool     // remove tool calls, results and reasoning
	// Also are the members that may lose elements, in this order, if removing turns is not enough.
	Also []Extra

	Meter     history.Meter // nil counts a token per four bytes
	Tokenizer string        // the name of Meter, for the record

	// Summarizer writes the summary; nil means none, and the turns are dropped.
	Summarizer summarize.Summarizer
	Method     string // the name of Summarizer, for the record
	Prices     Prices // of Summarizer's tokens
	// Fallback uses the extractive summariser if Summarizer fails.
	Fallback bool
}

// Prices are in US dollars per million tokens; "" means unknown.
type Prices struct{ Prompt, Completion message.Number }

// A Result is a trimmed message. If nothing changed, Text is the original text.
type Result struct {
	Text    []byte // compact JSON; if unchanged, or JSON Lines, with the original white space
	Format  format.Format
	Record  Record // as in the message
	Changed bool
	// Gone is the number of removed turns. Summarised reports whether a summary replaces some of them.
	Gone       int
	Summarised bool
	FellBack   error // why Fallback was used
	// Signed reports that the message had a signature, which was removed because it is no longer valid.
	Signed  bool
	Usage   summarize.Usage
	Cost    message.Number // added to costTracking, in US dollars; "" for none
	Share   float64        // Cost as a share of the amount spent before, if known
	Archive []byte         // an entry for [Restore], one line of JSON without its end
}

// ErrNoLimit reports options without a limit.
var ErrNoLimit = errors.New("no limit is set: set a limit of tokens, bytes or turns")

// An OverError reports that a message cannot be made to fit.
type OverError struct {
	Over  int    // by how much the limit is exceeded, in Unit
	Limit int    // in Unit
	Unit  string // tokens, bytes or turns
	// Rest are the largest remaining members, including the record, and Others is the size of everything
	// else. Together they are Limit plus Over.
	Rest   []history.MemberSize
	Others int
}

func (e *OverError) Error() string {
	var rest []string
	for _, m := range e.Rest {
		name := m.Name
		if strings.ContainsFunc(name, unicode.IsControl) { // it must not break the line
			name = string(quote(name))
		}
		rest = append(rest, fmt.Sprintf("%s %d", name, m.Size))
	}
	if e.Others > 0 {
		rest = append(rest, fmt.Sprintf("everything else %d", e.Others))
	}
	unit := e.Unit
	if e.Over == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	text := fmt.Sprintf("still %d %s over the limit of %d after trimming everything that may be trimmed", e.Over, unit, e.Limit)
	if len(rest) > 0 {
		text += fmt.Sprintf("; the rest is in %s (%s)", strings.Join(rest, ", "), e.Unit)
	}
	return text
}

// Message trims a message of any format: its turns, or the turns of the context that it carries. The error
// is that of [history.Of], of the summariser or of ctx, [ErrNoLimit] or an [*OverError]. The original
// message is never changed.
func Message(ctx context.Context, doc *jsonstream.Document, limits jsonstream.Limits, o Options) (Result, error) {
	f, err := history.FormatOf(doc.Root(), o.Format)
	if err != nil {
		return Result{}, err
	}
	if o.MaxTokens <= 0 && o.MaxBytes <= 0 && o.Last <= 0 && !o.DropTools && o.Roles == nil {
		if o.Last = formats.Named(f).MaxTurns; o.Last == 0 {
			return Result{}, ErrNoLimit
		}
	}
	h, err := history.Of(doc, o.Format, limits)
	if err != nil {
		return Result{}, err
	}
	d, err := newDraft(h, doc.Raw().Bytes, o)
	if err != nil {
		return Result{}, err
	}
	d.filter()
	if !d.changed() && d.fits() {
		return Result{Text: doc.Raw().Bytes, Format: h.Format, Record: d.record}, nil
	}
	if err := checkPlace(h); err != nil {
		return Result{}, err
	}
	if err := d.checkCosts(); err != nil {
		return Result{}, err
	}
	// The plan uses the maximum sizes of the summary and the record. Only the length in
	// bytes of a summary is an estimate, which later attempts correct.
	var least size // of the slack: the excess of earlier attempts
	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		err := d.plan()
		if err != nil && d.slack != least { // a shorter summary may have a smaller error
			d.slack = least
			err = d.plan()
		}
		if err != nil {
			return Result{}, err
		}
		taken := d.tokenBytes
		summary, err := d.settle(ctx)
		if err != nil {
			return Result{}, err
		}
		r, over, err := d.finish(summary)
		for over != nil && d.takeBack() {
			if summary, err = d.rewrite(ctx, summary); err != nil {
				return Result{}, err
			}
			r, over, err = d.finish(summary)
		}
		if err == nil && over == nil {
			r = d.fill(ctx, r, summary)
		}
		if err != nil || over == nil {
			return r, err
		}
		if attempt == maxAttempts {
			return Result{}, d.over(*over, d.recordSize())
		}
		spare := max(d.spare(summary.Text).tokens, 0)
		d.slack.tokens += over.tokens
		if d.tokenBytes == taken {
			d.slack.bytes += over.bytes
		}
		least = d.slack
		d.slack.tokens += spare
	}
}

// maxAttempts is the maximum number of summaries longer than planned.
const maxAttempts = 5

// A size is the size of a text, in tokens and in bytes.
type size struct{ tokens, bytes int }

func (s size) plus(t size) size  { return size{s.tokens + t.tokens, s.bytes + t.bytes} }
func (s size) minus(t size) size { return size{s.tokens - t.tokens, s.bytes - t.bytes} }

// holds reports whether t fits into s.
func (s size) holds(t size) bool { return t.tokens <= s.tokens && t.bytes <= s.bytes }

// largest returns the largest members, the largest first.
func largest(members []history.MemberSize) []history.MemberSize {
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b history.MemberSize) int { return b.Size - a.Size })
	return slices.DeleteFunc(members[:min(len(members), 3)], func(m history.MemberSize) bool { return m.Size == 0 })
}
