package about

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/schemas"
)

func NewExample(g *cli.Globals) *cobra.Command {
	kinds := append(schemas.Examples(), "a2a-card", "privacy")
	return &cobra.Command{
		Use:   "example [" + strings.Join(kinds, "|") + "]",
		Short: "Print a complete, valid example",
		Long: `Example prints a complete and realistic document: a handoff message, the agent state
from which handoff build creates it, or the profile of a receiver that accepts it.
Examples of other systems are an SW4RM context, request or response; a MACP transcript;
a HandoffInputData of the OpenAI Agents SDK, or definitions of its agents; a request to
an OpenAI or Anthropic API; a conversation of LangGraph, the AI SDK, Google's ADK,
Pydantic AI or Agent Framework; an A2A task, an AgentCard, or an A2A message that
carries a handoff; and a privacy policy.`,
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
