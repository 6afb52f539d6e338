package provider_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// ExampleCheck finds a tool call without a result.
func ExampleCheck() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`[{"role":"user","content":"Weather?"},
		{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"weather","input":{}}]},
		{"role":"user","content":"So?"}]`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	h, err := history.Of(doc, "", jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	for _, f := range provider.Check(provider.Anthropic, h) {
		fmt.Printf("%s: %s\n", f.Pointer, f.Rule)
	}
	// Output: /1/content/0/id: anthropic/call-without-result
}
