// Package a2a implements the commands of "handoff a2a".
package a2a

import (
	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

// New returns the group of commands for A2A.
func New(g *cli.Globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "a2a",
		Short: "Work on documents of A2A, the Agent2Agent protocol",
		Long: `A2a works on documents of A2A 1.0, the Agent2Agent protocol: it checks AgentCards,
signs them and verifies their signatures; and it puts handoffs into messages of A2A, and
takes them out.`,
		Example: `  handoff a2a wrap --rpc message.json
  handoff a2a unwrap request.json
  handoff a2a card check card.json
  handoff a2a card sign --key-file card.key card.json
  handoff a2a card verify --key-file card.pub signed-card.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	card := &cobra.Command{
		Use:   "card",
		Short: "Check, sign and verify AgentCards",
		Long: `Card works on AgentCards of A2A 1.0, in which agents say who they are, what they can do
and how they are reached: what a server has at /.well-known/agent-card.json.`,
		Example: `  handoff a2a card check card.json
  curl -s https://example.com/.well-known/agent-card.json | handoff a2a card verify --key-file keys.jwks`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	card.AddCommand(newCardCheck(g), newCardSign(g), newCardVerify(g))
	c.AddCommand(card, newWrap(g), newUnwrap(g))
	return c
}
