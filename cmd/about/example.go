package about

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/agentcard"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/schemas"
)

func NewExample(g *cli.Globals) *cobra.Command {
	kinds := append(schemas.Examples(), "a2a-card", "privacy")
	return &cobra.Command{
		Use:   "example [" + strings.Join(kinds, "|") + "]",
		Short: "Print a complete, valid example",
		Long: `Example prints a complete and realistic document: a handoff message, the agent
state that handoff build makes it from, or the profile of a receiver that accepts
it; or a document of another system: an SW4RM context, request or response, a MACP
transcript, the HandoffInputData of the OpenAI Agents SDK, a request to an API of
OpenAI or Anthropic, a conversation of LangGraph, of the AI SDK or of Google's ADK, a
task or an AgentCard of A2A, or a message of it that carries a handoff; definitions of
agents of the OpenAI Agents SDK; or a privacy policy.`,
		Example: `  handoff example | handoff validate
  handoff example macp | handoff validate
  handoff example state | handoff build --from legal-analysis-agent@2.1.0 --to risk-scoring-agent`,
		ValidArgs: kinds,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(c *cobra.Command, args []string) error {
			kind := kinds[0]
			if len(args) > 0 {
				kind = args[0]
			}
			switch kind {
			case "privacy":
				return g.WriteData("", c.OutOrStdout(), []byte(privacy.ExamplePolicy))
			case "a2a-card":
				return g.WriteData("", c.OutOrStdout(), []byte(agentcard.Example))
			}
			text, err := schemas.Example(kind)
			if err != nil {
				return err
			}
			return g.WriteData("", c.OutOrStdout(), text)
		},
	}
}
