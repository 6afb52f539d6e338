package chain_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Example finds a subtask that is remaining in one message and missing in the next.
func Example() {
	checker := chain.New(chain.Options{})
	for i, text := range []string{
		`{"handoffId":"h-1","taskId":"t","parentHandoffId":null,"remainingSubtasks":[{"subtaskId":"s1","description":"Extract"},{"subtaskId":"s2","description":"Score"}]}`,
		`{"handoffId":"h-2","taskId":"t","parentHandoffId":"h-1","completedSubtasks":[{"subtaskId":"s1","description":"Extract"}]}`,
	} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			panic(err)
		}
		m, err := chain.Read(doc, chain.Place{Source: "task.jsonl", Index: i, Line: i + 1})
		if err != nil {
			panic(err)
		}
		checker.Add(m)
	}
	for _, task := range checker.Tasks() {
		for _, f := range task.Roots[0].Children[0].Findings {
			fmt.Println(f.Rule, f.Severity)
		}
	}
	// Output: chain/subtask-lost error
}
