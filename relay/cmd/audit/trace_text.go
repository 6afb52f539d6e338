package audit

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// A tracePicture draws a task as text.
type tracePicture struct {
	term.Picture
	r audit.Reader
	t *trace.Task
}

func (p *tracePicture) write(w io.Writer) error {
	p.header()
	if err := p.tree(); err != nil {
		return err
	}
	p.costs()
	_, err := p.Text.WriteTo(w)
	return err
}

// header summarizes the task in one line.
func (p *tracePicture) header() {
	accepted := 0
	first, last := time.Time{}, time.Time{}
	for _, h := range p.t.Handoffs {
		if h.Accepted != nil {
			accepted++
		}
		for _, s := range h.Records {
			if first.IsZero() {
				first = s.RecordedAt
			}
			if s.RecordedAt.After(last) {
				last = s.RecordedAt
			}
		}
	}
	facts := []string{term.Plural(accepted, "handoff")}
	if more := len(p.t.Handoffs) - accepted; more > 0 {
		facts = append(facts, fmt.Sprint(more)+" not accepted")
	}
	total := p.t.Total
	facts = append(facts, tasktree.USD(total.SpentUSD), tasktree.InTokens(total), term.Elapsed(last.Sub(first)))
	p.Line(p.Bold("task ", term.Clip(p.t.ID, maxID)), "  ", strings.Join(facts, ", "))
}

// Columns of the tree.
const (
	maxID       = 40
	timeColumns = len(time.DateOnly)
	minNames    = 30
)

// tree draws the handoffs, each with its records and its content.
func (p *tracePicture) tree() error {
	const gap = "  "
	ids := tasktree.IDColumns(p.t.Task)
	names, costs, tokens := term.Width("from → to"), len("cost"), len("tokens")
	first := time.Time{}
	for twig := range tasktree.Twigs(p.t.Task) {
		names = max(names, term.Width(twig.Stem())+term.Width(tasktree.Hop(twig.Node, tasktree.MaxHopColumns)))
		costs = max(costs, len(tasktree.USD(twig.Step.SpentUSD)))
		tokens = max(tokens, len(term.Grouped(tasktree.Tokens(twig.Step))))
		if first.IsZero() {
			first = twig.Time
		}
	}
	names = min(names, max(p.Width-timeColumns-costs-tokens-ids-len("EXECUTION_FAILED")-5*len(gap), minNames))
	p.Line(p.Dim(term.Left("from → to", names)), gap, p.Dim(term.Right(tasktree.Day(first), timeColumns)), gap, p.Dim(term.Right("cost", costs)), gap,
		p.Dim(term.Right("tokens", tokens)), gap, p.Dim(term.Left("handoff", ids)), gap, p.Dim("status"))
	for twig := range tasktree.Twigs(p.t.Task) {
		h := p.t.Of(twig.Node)
		id, _ := term.Cut(twig.HandoffID, ids)
		p.Line(term.Left(twig.Stem()+tasktree.Hop(twig.Node, tasktree.MaxHopColumns), names), gap, term.Right(tasktree.When(twig.Node, first), timeColumns), gap,
			term.Right(tasktree.USD(twig.Step.SpentUSD), costs), gap, term.Right(term.Grouped(tasktree.Tokens(twig.Step)), tokens), gap,
			p.Cyan(term.Left(id, ids)), gap, paint(&p.Picture, h.Status)(string(h.Status)))
		if err := p.below(twig, h); err != nil {
			return err
		}
	}
	return nil
}

// maxLines is the maximum number of lines for a text of a message.
const maxLines = 3

// below draws the records of a handoff, and the content of its message.
func (p *tracePicture) below(twig tasktree.Twig, h *trace.Handoff) error {
	stem := twig.Below()
	columns := max(p.Width-term.Width(stem), minNames)
	say := func(label, text string) {
		for i, line := range term.Wrap(label+" "+text, columns, maxLines) {
			if i == 0 {
				line = p.Dim(label) + strings.TrimPrefix(line, label)
			}
			p.Line(stem, line)
		}
	}
	say("records", p.records(h))
	var copies []string
	for _, c := range h.Copies {
		copies = append(copies, cmp.Or(c.Receiver, "(no receiver)")+" "+string(c.Status))
	}
	if copies != nil {
		say("receivers", strings.Join(copies, ", "))
	}
	for _, s := range h.Records {
		for _, f := range s.Details.Findings {
			if s.Event == audit.Rejected {
				say("finding", f.Message+" ["+f.Rule+"]")
			}
		}
	}
	content, err := p.t.Content(p.r, h)
	if err != nil {
		return err
	}
	if content == nil {
		say("message", "is not in the log, or is not JSON")
		return nil
	}
	for _, s := range content.Concluded {
		say("concluded", subtaskText(s))
	}
	say("received", received(content))
	return nil
}

// records lists the events, with the times between them.
func (p *tracePicture) records(h *trace.Handoff) string {
	var texts []string
	before := h.Records[0].RecordedAt
	for i, s := range h.Records {
		text := fmt.Sprint(s.Sequence, " ", s.Event)
		var notes []string
		if i > 0 {
			notes = append(notes, "+"+term.Elapsed(s.RecordedAt.Sub(before)))
		}
		if s.Reason != "" {
			notes = append(notes, string(s.Reason))
		}
		if s.LatencyMicros > 0 {
			notes = append(notes, strings.TrimSpace("latency "+term.Elapsed(time.Duration(s.LatencyMicros)*time.Microsecond)+" "+s.Transport))
		}
		if d := s.Details.DurationMicros; d > 0 {
			notes = append(notes, "ran "+term.Elapsed(time.Duration(d)*time.Microsecond))
		}
		if code := s.Details.ExitCode; code != nil {
			notes = append(notes, fmt.Sprint("exit code ", *code))
		}
		if s.Details.By != "" {
			notes = append(notes, "by "+s.Details.By)
		}
		if notes != nil {
			text += " (" + strings.Join(notes, ", ") + ")"
		}
		texts = append(texts, text)
		before = s.RecordedAt
	}
	return strings.Join(texts, ", ")
}

func subtaskText(s trace.Subtask) string {
	text := cmp.Or(s.ID, "(no id)")
	if s.Description != "" {
		text += " " + s.Description
	}
	if s.Result != nil {
		text += ": " + string(jsonstream.AppendCompact(nil, s.Result))
	}
	return text
}

// received returns a one-line description of a receiver's content.
func received(c *trace.Content) string {
	parts := []string{}
	if n := len(c.Remaining); n > 0 {
		ids := make([]string, n)
		for i, s := range c.Remaining {
			ids[i] = s.ID
		}
		parts = append(parts, term.Plural(n, "subtask")+" to do ("+strings.Join(ids, ", ")+")")
	} else {
		parts = append(parts, "nothing to do")
	}
	parts = append(parts, fmt.Sprint(len(c.Completed), " completed"))
	if c.State != nil {
		parts = append(parts, "state "+string(jsonstream.AppendCompact(nil, c.State)))
	}
	if c.Context > 0 {
		parts = append(parts, fmt.Sprint(c.Context, " of context"))
	}
	if c.Turns > 0 {
		parts = append(parts, term.Plural(c.Turns, "turn"))
	}
	return strings.Join(parts, ", ")
}

// costs draws the cost of each agent.
func (p *tracePicture) costs() {
	total := p.t.Total
	p.Section("Cost", tasktree.USD(total.SpentUSD)+" spent, "+tasktree.USD(p.t.Relay.RemainingUSD)+" left; "+
		term.Grouped(total.Prompt)+" prompt and "+term.Grouped(total.Completion)+" completion tokens")
	if !p.t.Agrees {
		p.Line("  ", p.Yellow(tasktree.Doubt(p.t.Task)))
	}
	var rows []term.Row
	for _, s := range p.t.Spenders {
		rows = append(rows, term.Row{
			Name:     s.Agent,
			Figures:  []string{term.Plural(s.Handoffs, "handoff"), tasktree.USD(s.Cost.SpentUSD), tasktree.InTokens(s.Cost)},
			Quantity: s.Cost.SpentUSD.Float64() * 1e6, // so that cents have bars too
		})
	}
	p.Rows(rows)
}
