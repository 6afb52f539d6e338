package chain

import (
	"bufio"
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
)

// A graphReport writes the trees of tasks as a diagram for documents. Messages are numbered consecutively
// across tasks.
type graphReport struct {
	report.Bare
	w        io.Writer
	language tasktree.Language
	findings term.Allowance
}

func (g *graphReport) Tasks(tasks []*chain.Task) error {
	w := bufio.NewWriter(g.w) // sticky: keeps the first error
	w.WriteString(g.language.Begin())
	next := 0
	for i, t := range tasks {
		if len(tasks) > 1 {
			w.WriteString(g.language.BeginTask(i, "task "+term.Clip(t.ID, maxTaskColumns)))
		}
		numbers := make(map[*chain.Node]int, t.Messages)
		ids := tasktree.IDColumns(t)
		for twig := range tasktree.Twigs(t) {
			n := twig.Node
			numbers[n] = next
			id, _ := term.Cut(n.HandoffID, ids)
			lines := []string{tasktree.Hop(n, tasktree.MaxHopColumns), id}
			parent, linked := numbers[n.Parent]
			if !linked {
				lines = append(lines, stepLabel(n))
			}
			class := worst(n.Findings)
			w.WriteString(g.language.Message(next, lines, class))
			if linked {
				w.WriteString(g.language.Edge(parent, next, stepLabel(n)))
			}
			if shown := g.findings.Take(min(len(n.Findings), maxGraphFindings)); shown > 0 {
				w.WriteString(g.language.Notes(next, findingLines(n.Findings, shown), class))
			}
			next++
		}
		if len(tasks) > 1 {
			w.WriteString(g.language.EndTask())
		}
	}
	w.WriteString(g.language.End())
	return w.Flush()
}

// stepLabel returns the cost and duration of the step to a message.
func stepLabel(n *chain.Node) string {
	label := term.Clip(n.Step.SpentUSD.String(), 24) + " USD"
	if n.Parent != nil && !n.Time.IsZero() && !n.Parent.Time.IsZero() {
		label += ", " + term.Elapsed(n.Time.Sub(n.Parent.Time))
	}
	return label
}

// worst returns the highest severity among findings, "" if there are none.
func worst(findings []finding.Finding) string {
	for _, severity := range finding.Severities() {
		for _, f := range findings {
			if f.Severity == severity {
				return string(severity)
			}
		}
	}
	return ""
}

// Limits on the findings of a message that a diagram shows.
const (
	maxGraphFindings = 5
	maxGraphFinding  = 100
)

func findingLines(findings []finding.Finding, shown int) []string {
	var lines []string
	for i, f := range findings {
		if i == shown {
			return append(lines, fmt.Sprintf("… and %d more", len(findings)-i))
		}
		lines = append(lines, term.Clip(string(f.Severity)+" "+f.Rule+": "+f.Message, maxGraphFinding))
	}
	return lines
}
