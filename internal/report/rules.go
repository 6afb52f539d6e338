package report

import (
	"slices"

	"github.com/eaapl/handoff/pkg/agentcard"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
	"github.com/eaapl/handoff/pkg/validate"
)

// Rules returns the rules of all layers, and after them those of AgentCards, of agents of the
// OpenAI Agents SDK and their runs, and of a chain: all that findings name.
func Rules() []finding.Rule {
	return slices.Concat(validate.Rules(), agentcard.Rules(), agents.Rules(), agents.RunRules(), chain.Rules())
}
