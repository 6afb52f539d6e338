package openai

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
)

// graphLanguages are the languages of openai agents graph, by format name.
var graphLanguages = map[string]tasktree.Language{"mermaid": tasktree.Mermaid{}, "dot": tasktree.Dot{}}

func newAgentsGraph(g *cli.Globals) *cobra.Command {
	var format, output string
	c := &cobra.Command{
		Use:   "graph [FILE|-]",
		Short: "Draw the handoffs between agents",
		Long: `Graph draws agent definitions for Mermaid or Graphviz: one arrow for each handoff, with
the name of its tool and the condition that enables it. Undefined agents, and agents
with errors or warnings from "handoff openai agents check", are coloured.`,
		Example: `  handoff openai agents graph agents.yaml
  handoff openai agents graph -f dot -o agents.dot agents.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := loadAgents(g, cmp.Or(strings.Join(args, ""), "-"), c.InOrStdin())
			if err != nil {
				return err
			}
			return g.WriteData(output, c.OutOrStdout(), []byte(agentsGraph(d, graphLanguages[format])))
		},
	}
	cli.RegisterFormat(c, &format, "output format: mermaid, dot", []string{"mermaid", "dot"})
	c.Flags().StringVarP(&output, "output", "o", "", "write the picture to `FILE`")
	return c
}

// Limits on the texts in a diagram.
const (
	maxGraphName      = 40
	maxGraphCondition = 60
)

// agentsGraph draws definitions as a diagram.
func agentsGraph(d *agents.Definitions, language tasktree.Language) string {
	classes := map[*agents.Agent]string{}
	for _, f := range agents.Check(d, agents.Options{}) {
		if a := d.Holder(f); a != nil && (classes[a] == "" || f.Severity == finding.Error) {
			classes[a] = string(f.Severity)
		}
	}
	var b strings.Builder
	b.WriteString(language.Begin())
	numbers := map[*agents.Agent]int{}
	for i, a := range d.Agents {
		numbers[a] = i
		lines := []string{term.Clip(a.Name, maxGraphName)}
		if a == d.Start {
			lines = append(lines, "start")
		}
		b.WriteString(language.Message(i, lines, classes[a]))
	}
	missing := map[string]int{}
	for _, a := range d.Agents {
		for _, h := range a.Handoffs {
			to, known := numbers[h.To]
			if !known {
				if to, known = missing[h.Name]; !known {
					to = len(numbers) + len(missing)
					missing[h.Name] = to
					b.WriteString(language.Message(to, []string{term.Clip(h.Name, maxGraphName), "not defined"}, string(finding.Error)))
				}
			}
			b.WriteString(language.Edge(numbers[a], to, handoffLabel(h)))
		}
	}
	b.WriteString(language.End())
	return b.String()
}

// handoffLabel returns the tool of a handoff and its condition.
func handoffLabel(h *agents.Handoff) string {
	label := term.Clip(h.Tool, maxGraphName)
	switch condition := h.Condition(); {
	case condition != nil:
		label += " if " + term.Clip(condition.String(), maxGraphCondition)
	case h.Never():
		label += " (disabled)"
	}
	return label
}
