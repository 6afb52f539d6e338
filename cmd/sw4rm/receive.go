package sw4rm

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
)

func newSW4RMReceive(g *cli.Globals) *cobra.Command {
	f := &responding{Rewriting: cli.Rewriting{Globals: g}}
	var agent string
	c := &cobra.Command{
		Use:   "receive [REQUEST|-]...",
		Short: "Print the contexts of requests for the next agent",
		Long: `Receive prints the HandoffContext of a HandoffRequest, as passed to on_handoff_received
of the document, with conversation, tool state and metadata unchanged. The only addition
is the member "completed": true in each active call that already has a result, so that
the agent does not run it again; stderr reports the number of these calls.

A request without a context and, with --as, a request for another agent are left out:
exit code 1.`,
		Example: `  handoff sw4rm receive request.json > context.json
  consumer | handoff sw4rm receive --as reviewer > contexts.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, args, func(d input.Document, r *sw4rm.Request, _ string) ([]byte, outcome, error) {
				return receive(d, r, agent)
			})
		},
	}
	c.Flags().StringVar(&agent, "as", "", "print only requests for this `AGENT`")
	f.LenientFlag.Register(c)
	f.RegisterOutput(c)
	f.Layout.Register(c)
	return c
}

// receive returns the context of a request for an agent, or for any agent if agent is "".
func receive(d input.Document, r *sw4rm.Request, agent string) ([]byte, outcome, error) {
	if agent != "" && r.To != "" && r.To != agent {
		return nil, outcome{}, cli.Reject(fmt.Errorf("%s: /to_agent: the request is for another agent: found %s; send it to that agent", d.Origin(), term.Visible(fmt.Sprintf("%q", r.To))))
	}
	restored, carried, err := sw4rm.Restore(r)
	if err != nil {
		return nil, outcome{}, fmt.Errorf("%s: %w", d.Origin(), err)
	}
	if !carried {
		return nil, outcome{}, cli.Reject(fmt.Errorf("%s: /context_snapshot: the request carries no context: there is nothing to restore", d.Origin()))
	}
	o := outcome{}
	if n := restored.Completed; n > 0 {
		o.notes = []string{fmt.Sprintf("%s: marked %d of %d active calls as completed", d.Origin(), n, n+restored.Active)}
	}
	return restored.Text, o, nil
}
