package cmd

import (
	"cmp"
	"strings"
	"time"

	"github.com/eaapl/handoff/cmd/internal/tasktree"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
)

// A taskView is what is known of a task before its tree is drawn.
type taskView struct {
	*chain.Task
	found       bool // there are findings, of whatever severity
	agents      int
	first, last time.Time // zero if no message has a time

	names, costs, tokens, ids int // columns
}

func newTaskView(t *chain.Task) taskView {
	v := taskView{Task: t, ids: tasktree.IDColumns(t)}
	agents := map[string]bool{}
	for twig := range tasktree.Twigs(t) {
		n := twig.Node
		v.found = v.found || len(n.Findings) > 0
		agents[n.From] = true
		if len(n.Children) == 0 { // elsewhere the child says who took over
			agents[n.To] = true
			for _, receiver := range n.Receivers {
				agents[receiver] = true
			}
		}
		if !n.Time.IsZero() {
			if v.first.IsZero() || n.Time.Before(v.first) {
				v.first = n.Time
			}
			if n.Time.After(v.last) {
				v.last = n.Time
			}
		}
		v.names = max(v.names, term.Width(twig.Stem())+term.Width(tasktree.Hop(n)))
		v.costs = max(v.costs, len(tasktree.USD(n.Step.SpentUSD)))
		v.tokens = max(v.tokens, len(term.Grouped(tasktree.Tokens(n.Step))))
	}
	v.agents = len(agents)
	return v
}

// maxTaskColumns is how many columns a task's id may take.
const maxTaskColumns = 40

// header sums up a task in one line.
func (t *chainText) header(v taskView) {
	mark := t.Green("✓")
	switch {
	case v.Errors > 0:
		mark = t.Red("✗")
	case v.found:
		mark = t.Yellow("!")
	}
	facts := []string{
		term.Plural(v.Messages, "handoff"), term.Plural(v.agents, "agent"), tasktree.USD(v.Total.SpentUSD), tasktree.InTokens(v.Total),
	}
	if !v.first.IsZero() {
		facts = append(facts, term.Elapsed(v.last.Sub(v.first)))
	}
	t.Line(mark, " ", t.Bold(term.Clip(cmp.Or(v.ID, "(no task)"), maxTaskColumns)), "  ", strings.Join(facts, ", "))
}

// Columns of the table with the tree.
const (
	minNames    = 60 // if the tree needs them, on a narrow terminal too
	timeColumns = len(time.DateOnly)
	maxPlace    = 40
)

// tree draws a line for each message, and its findings below it.
func (t *chainText) tree(v taskView) error {
	const gap = "  "
	costs, tokens := max(v.costs, len("cost")), max(v.tokens, len("tokens"))
	rest := timeColumns + costs + tokens + v.ids + len("place") + 5*len(gap)
	names := max(min(v.names, max(t.Width-rest, minNames)), term.Width("from → to"))
	t.Line(t.Dim(term.Left("from → to", names)), gap, t.Dim(term.Right(tasktree.Day(v.first), timeColumns)), gap, t.Dim(term.Right("cost", costs)), gap,
		t.Dim(term.Right("tokens", tokens)), gap, t.Dim(term.Left("handoff", v.ids)), gap, t.Dim("place"))
	for twig := range tasktree.Twigs(v.Task) {
		id, _ := term.Cut(twig.HandoffID, v.ids)
		t.Line(term.Left(twig.Stem()+tasktree.Hop(twig.Node), names), gap, term.Right(tasktree.When(twig.Node, v.first), timeColumns), gap,
			term.Right(tasktree.USD(twig.Step.SpentUSD), costs), gap, term.Right(term.Grouped(tasktree.Tokens(twig.Step)), tokens), gap,
			t.Cyan(term.Left(id, v.ids)), gap, t.Dim(tail(twig.Place.Source, maxPlace), ":", twig.Place.Line))
		t.findingsBelow(twig)
		if err := t.spill(maxSpill); err != nil {
			return err
		}
	}
	return nil
}

// tail makes s visible and leaves its end, if it is longer than the columns.
func tail(s string, columns int) string {
	if len(s) > columns*term.BytesPerColumn {
		s = s[len(s)-columns*term.BytesPerColumn:]
	}
	runes := []rune(term.Visible(s))
	if len(runes) <= columns {
		return string(runes)
	}
	return "…" + string(runes[len(runes)-columns+1:])
}

// minFinding is how many columns a finding has, however deep it is.
const minFinding = 40

// findingsBelow lists what is wrong at the boundary above a message.
func (t *chainText) findingsBelow(at tasktree.Twig) {
	if len(at.Findings) == 0 {
		return
	}
	stem := at.Below()
	columns := max(t.Width-term.Width(stem), minFinding)
	shown := t.findings.Take(min(len(at.Findings), term.MaxFindings))
	for i, f := range at.Findings {
		if i == shown {
			t.Line(stem, t.Dim("… and "+term.Grouped(int64(len(at.Findings)-i))+" more"))
			return
		}
		severity, rule := string(f.Severity), "["+f.Rule+"]"
		lines := term.Wrap(severity+": "+term.Visible(f.PlacedMessage())+" "+rule, columns, term.MaxFindingLines)
		lines[0] = t.Severity(f.Severity)(severity) + strings.TrimPrefix(lines[0], severity)
		if text, ends := strings.CutSuffix(lines[len(lines)-1], rule); ends {
			lines[len(lines)-1] = text + t.Dim(rule)
		}
		for _, text := range lines {
			t.Line(stem, text)
		}
	}
}
