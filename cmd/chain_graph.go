package cmd

import (
	"bufio"
	"fmt"
	"io"

	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
)

// A graphLanguage writes the parts of a picture of handoffs. Its texts are plain:
// the language escapes them.
type graphLanguage interface {
	begin() string
	end() string
	beginTask(task int, title string) string
	endTask() string
	message(n int, lines []string, class string) string
	findings(n int, lines []string, class string) string // next to message n
	edge(from, to int, label string) string
}

// A chainGraph writes the trees of tasks as a picture for documents. Messages are
// numbered through.
type chainGraph struct {
	report.Bare
	w        io.Writer
	language graphLanguage
	findings term.Allowance
}

func (g *chainGraph) Tasks(tasks []*chain.Task) error {
	w := bufio.NewWriter(g.w) // keeps the first error
	w.WriteString(g.language.begin())
	next := 0
	for i, t := range tasks {
		if len(tasks) > 1 {
			w.WriteString(g.language.beginTask(i, "task "+term.Clip(t.ID, maxTaskColumns)))
		}
		numbers := make(map[*chain.Node]int, t.Messages)
		ids := idColumnsOf(t)
		for twig := range twigs(t) {
			n := twig.Node
			numbers[n] = next
			id, _ := term.Cut(n.HandoffID, ids)
			lines := []string{hop(n), id}
			parent, linked := numbers[n.Parent]
			if !linked {
				lines = append(lines, stepLabel(n))
			}
			class := worst(n.Findings)
			w.WriteString(g.language.message(next, lines, class))
			if linked {
				w.WriteString(g.language.edge(parent, next, stepLabel(n)))
			}
			if shown := g.findings.Take(min(len(n.Findings), maxGraphFindings)); shown > 0 {
				w.WriteString(g.language.findings(next, findingLines(n.Findings, shown), class))
			}
			next++
		}
		if len(tasks) > 1 {
			w.WriteString(g.language.endTask())
		}
	}
	w.WriteString(g.language.end())
	return w.Flush()
}

// stepLabel describes the step to a message: what it cost, and how long it took.
func stepLabel(n *chain.Node) string {
	label := term.Clip(n.Step.SpentUSD.String(), 24) + " USD"
	if n.Parent != nil && !n.Time.IsZero() && !n.Parent.Time.IsZero() {
		label += ", " + term.Elapsed(n.Time.Sub(n.Parent.Time))
	}
	return label
}

// worst returns the highest severity among findings, "" if there are none.
func worst(findings []finding.Finding) string {
	for _, severity := range severities {
		for _, f := range findings {
			if f.Severity == severity {
				return string(severity)
			}
		}
	}
	return ""
}

// How much of a message's findings a picture shows.
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

// graphColors are the fill and the border of each class of messages.
var graphColors = []struct{ class, fill, border string }{
	{string(finding.Error), "#f8d7da", "#b00020"},
	{string(finding.Warning), "#fff3cd", "#9a6700"},
	{string(finding.Note), "#e7f1ff", "#0a58ca"},
}
