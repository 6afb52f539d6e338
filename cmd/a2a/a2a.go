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
		Short: "Sign and verify A2A AgentCards, wrap handoffs in A2A messages",
		Long: `A2a works with A2A 1.0, the Agent2Agent protocol: it checks, signs and verifies
AgentCards, wraps handoffs in A2A messages, and unwraps them.`,
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
		Long: `Card works on AgentCards of A2A 1.0. An agent describes its identity, skills and
interfaces in its card; a server publishes it at /.well-known/agent-card.json.`,
		Example: `  handoff a2a card check card.json
  curl -s https://example.com/.well-known/agent-card.json | handoff a2a card verify --key-file keys.jwks`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	card.AddCommand(newCardCheck(g), newCardSign(g), newCardVerify(g))
	c.AddCommand(card, newWrap(g), newUnwrap(g))
	return c
}
