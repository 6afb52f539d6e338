package report

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/chain"
)

// A CostJSON is an amount of money, exactly, and of tokens, as reports write it.
type CostJSON struct {
	SpentUSD   jsontext.Value `json:"spentUSD"`
	Prompt     int64          `json:"prompt"`
	Completion int64          `json:"completion"`
}

// NewCostJSON returns what was spent of a cost.
func NewCostJSON(c chain.Cost) CostJSON {
	return CostJSON{jsontext.Value(c.SpentUSD.String()), c.Prompt, c.Completion}
}

// A TotalJSON is what there is to say of a cost as of some message.
type TotalJSON struct {
	CostJSON
	RemainingUSD jsontext.Value `json:"remainingUSD"`
}

// NewTotalJSON returns what was spent of a cost, and what remains.
func NewTotalJSON(c chain.Cost) TotalJSON {
	return TotalJSON{NewCostJSON(c), jsontext.Value(c.RemainingUSD.String())}
}

// A SpenderJSON is what an agent has spent.
type SpenderJSON struct {
	Agent    string `json:"agent"`
	Handoffs int    `json:"handoffs"`
	CostJSON
}

// NewSpendersJSON returns what each agent has spent, never nil.
func NewSpendersJSON(spenders []chain.Spender) []SpenderJSON {
	list := make([]SpenderJSON, len(spenders))
	for i, s := range spenders {
		list[i] = SpenderJSON{s.Agent, s.Handoffs, NewCostJSON(s.Cost)}
	}
	return list
}
