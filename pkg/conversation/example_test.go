package conversation_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A tool call and its result belong together: no turn between them may be cut off.
func ExampleUnits() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`[
		{"role":"user","content":"Look"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"ok"}]`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	var turns []conversation.Turn
	for _, v := range doc.Root().Elements() {
		turns = append(turns, conversation.Turn{Value: v})
	}
	fmt.Println(conversation.Units(turns))
	// Output: [0 1 1]
}
