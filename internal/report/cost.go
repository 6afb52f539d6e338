package report

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/chain"
)

// A CostJSON is an exact amount of money and a number of tokens in a report.
type CostJSON struct {
	SpentUSD   jsontext.Value `json:"spentUSD"`
	Prompt     int64          `json:"prompt"`
	Completion int64          `json:"completion"`
}

// NewCostJSON returns the spent amounts of a cost.
func NewCostJSON(c chain.Cost) CostJSON {
	return CostJSON{jsontext.Value(c.SpentUSD.String()), c.Prompt, c.Completion}
}

// A TotalJSON is a cost as of some message.
type TotalJSON struct {
	CostJSON
	RemainingUSD jsontext.Value `json:"remainingUSD"`
}

// NewTotalJSON returns the spent and the remaining amounts of a cost.
func NewTotalJSON(c chain.Cost) TotalJSON {
	return TotalJSON{NewCostJSON(c), jsontext.Value(c.RemainingUSD.String())}
}

// A SpenderJSON is the spending of an agent.
type SpenderJSON struct {
	Agent    string `json:"agent"`
	Handoffs int    `json:"handoffs"`
	CostJSON
}

// NewSpendersJSON returns the spending of each agent. The result is never nil.
func NewSpendersJSON(spenders []chain.Spender) []SpenderJSON {
	list := make([]SpenderJSON, len(spenders))
	for i, s := range spenders {
		list[i] = SpenderJSON{s.Agent, s.Handoffs, NewCostJSON(s.Cost)}
	}
	return list
}
