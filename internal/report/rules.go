package report

import (
	"slices"

	"github.com/eaapl/handoff/internal/agentcard"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats/openai/agents"
	"github.com/eaapl/handoff/pkg/validate"
)

// Rules returns the rules of all layers, followed by the rules for AgentCards, for agents of the OpenAI
// Agents SDK and their runs, for chains and for claims. All findings have one of these rules.
func Rules() []finding.Rule {
	return slices.Concat(validate.Rules(), agentcard.Rules(), agents.Rules(), agents.RunRules(), chain.Rules(), claims.Rules())
}
