package history_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleOf reads the turns of a message in any format.
func ExampleOf() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(
		`{"handoffId":"h-1","conversationHistoryVerbatim":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	h, err := history.Of(doc, "", jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	for _, turn := range h.Turns {
		fmt.Println(turn.Value.Pointer(), turn.Value.Get("role").Text())
	}
	// Output:
	// /conversationHistoryVerbatim/0 user
	// /conversationHistoryVerbatim/1 assistant
}
