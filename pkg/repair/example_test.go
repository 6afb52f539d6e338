package repair_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/repair"
)

// ExampleMessage adds a result to a call that has none.
func ExampleMessage() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`[{"role":"user","content":"Weather?"},
 {"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"}]`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	r, err := repair.Message(doc, jsonstream.Limits{}, repair.Options{For: provider.OpenAIResponses})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n%s\n", r.Steps[0].Did, r.Text)
	// Output:
	// gave the call "c1" the result "[no result: the run was interrupted]"
	// [{"role":"user","content":"Weather?"},
	//  {"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},
	//  {"type":"function_call_output","call_id":"c1","output":"[no result: the run was interrupted]"}]
}
