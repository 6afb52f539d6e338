package audit

import (
	"bufio"
	"io"

	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// drawTrace writes a task as a Mermaid flowchart.
func drawTrace(out io.Writer, t *trace.Task) error {
	w := bufio.NewWriter(out) // keeps the first error
	language := tasktree.Mermaid{}
	w.WriteString(language.Begin())
	numbers := map[*chain.Node]int{}
	ids := tasktree.IDColumns(t.Task)
	for twig := range tasktree.Twigs(t.Task) {
		n, h := len(numbers), t.Of(twig.Node)
		numbers[twig.Node] = n
		id, _ := term.Cut(twig.HandoffID, ids)
		w.WriteString(language.Message(n, []string{tasktree.Hop(twig.Node, tasktree.MaxHopColumns), id, string(h.Status)}, class(h.Status)))
		if parent, linked := numbers[twig.Parent]; linked {
			w.WriteString(language.Edge(parent, n, tasktree.USD(twig.Step.SpentUSD)+", "+term.Elapsed(twig.Time.Sub(twig.Parent.Time))))
		}
	}
	w.WriteString(language.End())
	return w.Flush()
}

// class returns the class of a node for the status of a handoff.
func class(status audit.Event) string {
	switch status {
	case audit.Rejected, audit.ExecutionFailed, audit.RolledBack, audit.DeadLettered, audit.Discarded, audit.Revoked:
		return string(finding.Error)
	case audit.Accepted, audit.Dispatched, audit.Begun:
		return string(finding.Warning)
	default:
		return ""
	}
}
