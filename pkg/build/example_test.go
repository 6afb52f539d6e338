package build_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/build"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An agent that stops hands over its state; the budget is relayed in exact decimals.
func ExampleMessage() {
	state, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{
		"taskDescription": "Score each clause",
		"completedSubtasks": [{"subtaskId": "s1", "description": "Extract the clauses"}],
		"cost": {"costUSD": 0.1, "budgetUSD": 0.3, "tokens": {"prompt": 4200, "completion": 1800}}
	}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	m, err := build.Message(state, build.Options{
		From: message.FromAgent{AgentID: "extractor", AgentVersion: "2.1.0"},
		To:   message.ToAgent{AgentType: "scorer", AgentVersion: ">=1.5.0"},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", m.Root().Get("costTracking").Raw())
	// Output:
	// {"costSpentSoFarUSD":0.1,"costBudgetRemainingUSD":0.2,"tokenSpent":{"prompt":4200,"completion":1800}}
}
