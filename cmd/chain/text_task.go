package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
)

// A taskView holds the facts of a task that are computed before its tree is drawn.
type taskView struct {
	*chain.Task
	found       bool // there are findings of any severity
	agents      int
	first, last time.Time // zero if no message has a time

	names, costs, tokens, ids, places int // widths, in columns
}

func newTaskView(t *chain.Task) taskView {
	v := taskView{Task: t, ids: tasktree.IDColumns(t)}
	agents := map[string]bool{}
	for twig := range tasktree.Twigs(t) {
		n := twig.Node
		v.found = v.found || len(n.Findings) > 0
		agents[n.From] = true
		if len(n.Children) == 0 { // otherwise the child shows the new agent
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
		v.names = max(v.names, term.Width(twig.Stem())+term.Width(tasktree.Hop(n, tasktree.MaxHopColumns)))
		v.places = max(v.places, len(fmt.Sprintf("%s:%d", n.Place.Source, n.Place.Line)))
		v.costs = max(v.costs, len(tasktree.USD(n.Step.SpentUSD)))
		v.tokens = max(v.tokens, len(term.Grouped(tasktree.Tokens(n.Step))))
	}
	v.agents = len(agents)
	return v
}

// maxTaskColumns is the maximum width of a task ID.
const maxTaskColumns = 40

// header writes a line about a task.
func (t *textReport) header(v taskView) {
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
	line := mark + " " + t.Bold(term.Clip(cmp.Or(v.ID, "(no task)"), maxTaskColumns)) + "  " + strings.Join(facts, ", ")
	if t.screen {
		line = term.Fold(line, 0, t.Width)
	}
	t.Line(line)
}

// Columns of the table with the tree.
const (
	minNames    = 60 // if the tree needs them and lines need not fit
	fewNames    = 32 // on a screen, other columns are dropped for them
	timeColumns = len(time.DateOnly)
	maxPlace    = 40
	gap         = "  "
)

// A cell describes a column of the table: its width, its heading, and its text in each row.
type cell struct {
	columns int
	right   bool // aligned to the right
	heading string
	text    func(tasktree.Twig) string
	paint   func(...any) string
}

// cells returns the columns after the names that fit, and the width left for the names. If there is no column
// for places, they go below their messages.
func (t *textReport) cells(v taskView) (cells []cell, names int, placesBelow bool) {
	plain := fmt.Sprint
	when := cell{timeColumns, true, tasktree.Day(v.first), func(twig tasktree.Twig) string { return tasktree.When(twig.Node, v.first) }, plain}
	cost := cell{max(v.costs, len("cost")), true, "cost", func(twig tasktree.Twig) string { return tasktree.USD(twig.Step.SpentUSD) }, plain}
	tokens := cell{max(v.tokens, len("tokens")), true, "tokens", func(twig tasktree.Twig) string { return term.Grouped(tasktree.Tokens(twig.Step)) }, plain}
	id := cell{v.ids, false, "handoff", func(twig tasktree.Twig) string { id, _ := term.Cut(twig.HandoffID, v.ids); return id }, t.Cyan}
	places := maxPlace
	if t.screen {
		places = min(max(v.places, len("place")), t.Width/4)
	}
	where := cell{places, false, "place", func(twig tasktree.Twig) string { return sourceOf(twig, places) }, t.Dim}
	needed := min(v.names, max(fewNames, t.Width/2))
	for _, cells = range [][]cell{{when, cost, tokens, id, where}, {when, cost, id, where}, {when, cost, id}, {cost, id}, {cost}} {
		names = t.Width
		for _, c := range cells {
			names -= len(gap) + c.columns
		}
		if !t.screen || names >= needed {
			break
		}
	}
	if !t.screen {
		names = max(names, minNames)
	}
	return cells, max(min(v.names, names), term.Width("from → to")), cells[len(cells)-1].heading != where.heading
}

// sourceOf returns the place of a message, cut at its beginning if it is too long.
func sourceOf(twig tasktree.Twig, columns int) string {
	return term.Tail(fmt.Sprintf("%s:%d", twig.Place.Source, twig.Place.Line), columns)
}

// row draws a line of the table.
func (t *textReport) row(first string, cells []cell, text func(cell) string) {
	parts := []string{first}
	for i, c := range cells {
		s := text(c)
		switch {
		case c.right:
			s = term.Right(s, c.columns)
		case i < len(cells)-1:
			s = term.Left(s, c.columns)
		}
		parts = append(parts, gap, c.paint(s))
	}
	t.Line(parts...)
}

// tree draws a line for each message, with its findings below it.
func (t *textReport) tree(v taskView) error {
	cells, names, placesBelow := t.cells(v)
	headings := slices.Clone(cells)
	for i := range headings {
		headings[i].paint = t.Dim
	}
	t.row(t.Dim(term.Left("from → to", names)), headings, func(c cell) string { return c.heading })
	for twig := range tasktree.Twigs(v.Task) {
		hop := tasktree.Hop(twig.Node, max(names-term.Width(twig.Stem()), fewNames/2))
		t.row(term.Left(twig.Stem()+hop, names), cells, func(c cell) string { return c.text(twig) })
		if placesBelow {
			t.Line(twig.Below(), t.Dim(sourceOf(twig, t.Width-term.Width(twig.Below()))))
		}
		t.findingsBelow(twig)
		if err := t.spill(maxSpill); err != nil {
			return err
		}
	}
	return nil
}

// minFinding is the minimum width of a finding at any depth.
const minFinding = 30

// findingsBelow writes the findings at the boundary above a message.
func (t *textReport) findingsBelow(at tasktree.Twig) {
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
