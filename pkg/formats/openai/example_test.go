package openai_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleCheck finds a tool call without its result, which providers reject.
func ExampleCheck() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"input_history":"Hi","pre_handoff_items":[],
		"new_items":[{"type":"function_call","call_id":"c1","name":"look","arguments":"{}"}]}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	for _, f := range openai.Check(doc, openai.CheckOptions{}) {
		fmt.Println(f.Rule, f.Pointer)
	}
	text, err := openai.Apply(nil, doc.Root(), openai.RemoveAllTools())
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", text)
	// Output:
	// openai/call-without-result /new_items/0/call_id
	// {"input_history":"Hi","pre_handoff_items":[],"new_items":[]}
}
