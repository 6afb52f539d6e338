package conversation_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleUnits shows that a tool call and its result are in one unit, with the turns between them.
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
