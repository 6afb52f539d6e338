package cmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

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
	w        io.Writer
	language graphLanguage
	findings term.Allowance
}

// Unreadable writes nothing: there is no message, and stderr has the error.
func (*chainGraph) Unreadable(string, error) error { return nil }

func (*chainGraph) Close() error { return nil }

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

// mermaid is the language of mermaid.js.org.
type mermaid struct{}

func (mermaid) begin() string { return "flowchart TD\n" }

func (mermaid) end() string {
	var b strings.Builder
	for _, c := range graphColors {
		fmt.Fprintf(&b, "    classDef %s fill:%s,stroke:%s,color:#000\n", c.class, c.fill, c.border)
	}
	return b.String()
}

func (mermaid) beginTask(task int, title string) string {
	return fmt.Sprintf("    subgraph t%d[\"%s\"]\n", task, mermaidText(title))
}

func (mermaid) endTask() string { return "    end\n" }

func (mermaid) message(n int, lines []string, class string) string {
	return fmt.Sprintf("    h%d[\"%s\"]%s\n", n, mermaidLines(lines), mermaidClass(class))
}

func (mermaid) findings(n int, lines []string, class string) string {
	return fmt.Sprintf("    f%d[\"%s\"]%s\n    h%d -.- f%d\n", n, mermaidLines(lines), mermaidClass(class), n, n)
}

func (mermaid) edge(from, to int, label string) string {
	return fmt.Sprintf("    h%d -->|\"%s\"| h%d\n", from, mermaidText(label), to)
}

func mermaidClass(class string) string {
	if class == "" {
		return ""
	}
	return ":::" + class
}

func mermaidLines(lines []string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = mermaidText(line)
	}
	return strings.Join(escaped, "<br/>")
}

// mermaidText escapes a text for a quoted label. Besides quotes, Mermaid looks for
// markup, directives (%%{), formulas ($$) and more inside of them, so that only what
// is known to be plain stays as it is.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(" .,+-_/→…", r) || unicode.IsDigit(r) || unicode.IsLetter(r) && r != 'ﬂ' { // ﬂ begins Mermaid's own marks
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// dot is the language of graphviz.org.
type dot struct{}

func (dot) begin() string {
	return "digraph handoffs {\n    node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\"]\n    edge [fontname=\"sans-serif\"]\n"
}

func (dot) end() string { return "}\n" }

func (dot) beginTask(task int, title string) string {
	return fmt.Sprintf("    subgraph cluster_%d {\n    label=%s\n", task, dotText(title))
}

func (dot) endTask() string { return "    }\n" }

func (dot) message(n int, lines []string, class string) string {
	return fmt.Sprintf("    h%d [label=%s%s]\n", n, dotText(lines...), dotColors(class))
}

func (dot) findings(n int, lines []string, class string) string {
	return fmt.Sprintf("    f%d [shape=note, label=%s%s]\n    h%d -> f%d [style=dashed, arrowhead=none]\n", n, dotText(lines...), dotColors(class), n, n)
}

func (dot) edge(from, to int, label string) string {
	return fmt.Sprintf("    h%d -> h%d [label=%s]\n", from, to, dotText(label))
}

func dotColors(class string) string {
	for _, c := range graphColors {
		if c.class == class {
			return fmt.Sprintf(", fillcolor=\"%s\", color=\"%s\"", c.fill, c.border)
		}
	}
	return ""
}

// dotEscapes are for quoted strings, in which Graphviz also resolves entities.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// dotText quotes lines of text as one label.
func dotText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscapes.Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
