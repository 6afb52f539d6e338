package report

import (
	"strings"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/validate"
)

// Rule is a rule as explain prints it.
type Rule struct {
	Rule     string `json:"rule"`   // LAYER/RULE
	Reason   string `json:"reason"` // "" if no message is refused for it
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Why      string `json:"why"`
	Failing  string `json:"failing,omitzero"`
	Mended   string `json:"mended,omitzero"`
	Receiver string `json:"receiver,omitzero"`
}

// ChainLayer stands before the rules of a chain where those of a message have
// their layer.
const ChainLayer validate.Layer = "chain"

// Rules returns the rules of all layers, and those of a chain behind them.
func Rules() []Rule {
	var all []Rule
	for _, r := range validate.Rules() {
		all = append(all, Rule{string(r.Layer) + "/" + r.ID, string(r.Reason), string(r.Severity), r.Summary, r.Why, r.Bad, r.Good, r.Receiver})
	}
	for _, r := range chain.Rules() {
		all = append(all, Rule{Rule: string(ChainLayer) + "/" + r.ID, Severity: string(r.Severity), Summary: r.Summary, Why: r.Why})
	}
	return all
}

// FindRule returns the rule with an id, or with a layer and an id.
func FindRule(id string) (Rule, bool) {
	for _, r := range Rules() {
		if id == r.Rule || id == r.ID() {
			return r, true
		}
	}
	return Rule{}, false
}

// ID returns the rule's name without its layer.
func (r Rule) ID() string {
	_, id, _ := strings.Cut(r.Rule, "/")
	return id
}
