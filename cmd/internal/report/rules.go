package report

import (
	"slices"

	"github.com/eaapl/handoff/pkg/agentcard"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// Rules returns the rules of all layers, and those of AgentCards and of a chain after them: all
// that findings name.
func Rules() []finding.Rule { return slices.Concat(validate.Rules(), agentcard.Rules(), chain.Rules()) }
