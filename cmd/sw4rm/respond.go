package sw4rm

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/input"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
)

func newSW4RMRespond(g *cli.Globals) *cobra.Command {
	f := &responding{Rewriting: cli.Rewriting{Globals: g}}
	var agentFile string
	c := &cobra.Command{
		Use:   "respond --agent FILE [REQUEST|-]...",
		Short: "Answer requests as an agent",
		Long: `Respond prints the HandoffResponse with which an agent answers a HandoffRequest, as
the document's on_handoff_request: every required capability must be one of the
agent's, and then its state must be RUNNABLE. The agent's record is
{"agent_id", "capabilities": [], "state": "RUNNABLE"}, with any further members.

A request whose snapshot is not one that deserialize_context reads is not answered.
Exit code 0: all were accepted; 1: one was rejected; 2: one could not be read.`,
		Example: `  handoff sw4rm respond --agent reviewer.json request.json
  consumer | handoff sw4rm respond --agent reviewer.json > responses.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			if agentFile == "" {
				return errors.New("--agent: name the file with the agent's record")
			}
			agent, err := loadAgents(f, c, args, agentFile, sw4rm.ReadAgent)
			if err != nil {
				return err
			}
			return f.run(c, args, func(_ input.Document, r *sw4rm.Request, id string) ([]byte, outcome, error) {
				response := sw4rm.Respond(agent, r, id)
				return response.Append(nil), outcome{rejected: !response.Accepted}, nil
			})
		},
	}
	c.Flags().StringVar(&agentFile, "agent", "", "the agent's record, a `FILE`")
	f.register(c)
	return c
}
