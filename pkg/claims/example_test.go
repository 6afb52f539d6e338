package claims_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/claims"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func ExampleCheck() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`[
		{"role": "user", "content": "Fix the sum."},
		{"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"go test\"}"}}]},
		{"role": "tool", "tool_call_id": "c1", "content": "--- FAIL: TestSum\nexit status 1"},
		{"role": "assistant", "content": "Done, all tests pass."}]`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	h, err := history.Of(doc, "", jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	for _, c := range claims.Check(h) {
		fmt.Println(c.Kind, c.Verdict, c.Value.Pointer(), "by", c.Calls[1].Pointer())
	}
	// Output: tests contradicted /3/content by /2
}
