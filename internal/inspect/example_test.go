package inspect_test

import (
	"fmt"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

func ExampleOf() {
	text, err := schemas.Example("message")
	if err != nil {
		panic(err)
	}
	m, err := message.Parse(text, message.Options{})
	if err != nil {
		panic(err)
	}
	facts := inspect.Of(m, format.EAAPL, jsonstream.Limits{})
	fmt.Printf("%s to %s: %d subtasks left, %s USD spent\n",
		facts.From.ID, facts.To.Type, len(facts.Remaining), facts.Budget.SpentUSD)
	// Output: legal-analysis-agent to risk-scoring-agent: 2 subtasks left, 0.08 USD spent
}
