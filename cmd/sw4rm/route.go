package sw4rm

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
)

// routeFlags are the flags of sw4rm route.
type routeFlags struct {
	responding
	registryFile string
	preferred    []string
	request      bool
	registry     *sw4rm.Registry
}

func newSW4RMRoute(g *cli.Globals) *cobra.Command {
	f := &routeFlags{responding: responding{Rewriting: cli.Rewriting{Globals: g}}}
	c := &cobra.Command{
		Use:   "route --registry FILE [REQUEST|-]...",
		Short: "Route requests to capable agents of a registry",
		Long: `Route sends each HandoffRequest to an agent of the registry and prints the response. A
request with a to_agent goes to that agent. Any other goes to the first agent in the
registry that has all required capabilities and is RUNNABLE, like CapabilityRouter of
the document. With --prefer, the preferred agents are tried in the given order,
regardless of to_agent; rejections and their reasons are reported on stderr.

With --request, the request is printed instead of the response, with the accepting agent
as to_agent; rejected requests are left out.

The registry is an array of agent records, or {"agents": []} with such an array. Exit
code 0: all were accepted; 1: at least one was rejected; 2: at least one could not be
read.`,
		Example: `  handoff sw4rm route --registry agents.json request.json
  handoff sw4rm route --registry agents.json --prefer security-1 --prefer security-2 request.json
  handoff sw4rm route --registry agents.json --request requests.jsonl > routed.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.registryFile == "" {
				return errors.New("--registry: name the file with the agents' records")
			}
			var err error
			if f.registry, err = loadAgents(&f.responding, c, args, f.registryFile, sw4rm.ReadRegistry); err != nil {
				return err
			}
			return f.run(c, args, f.route)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.registryFile, "registry", "", "`FILE` of agent records")
	flags.StringArrayVar(&f.preferred, "prefer", nil, "`AGENT` to try first; may be repeated")
	flags.BoolVar(&f.request, "request", false, "print the request with its to_agent instead of the response")
	f.register(c)
	return c
}

// route returns the response to a request, or the request to send on.
func (f *routeFlags) route(d input.Document, r *sw4rm.Request, id string) ([]byte, outcome, error) {
	routing := f.registry.Route(r, f.preferred, id)
	o := outcome{rejected: !routing.Response.Accepted}
	for _, rejection := range routing.Rejections {
		o.notes = append(o.notes, fmt.Sprintf("%s: agent %s rejected: %s", d.Origin(), rejection.Agent, rejection.Reason))
	}
	switch {
	case !f.request:
		return routing.Response.Append(nil), o, nil
	case o.rejected:
		return nil, o, cli.Reject(fmt.Errorf("%s: rejected: %s", d.Origin(), term.Visible(routing.Response.RejectionReason)))
	default:
		text, err := r.WithTarget(routing.Target)
		return text, o, err
	}
}
