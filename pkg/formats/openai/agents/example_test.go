package agents_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/openai/agents"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func Example() {
	d, err := agents.Parse([]byte(`
agents:
  - name: Triage
    handoffs:
      - {agent: Billing, is_enabled: context.customer}
  - name: Billing
    handoff_description: Billing
`))
	if err != nil {
		panic(err)
	}
	for _, f := range agents.Check(d, agents.Options{}) {
		fmt.Printf("%d:%d: %s [%s]\n", f.Line, f.Column, f.Message, f.Rule)
	}
	context, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"customer": false}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	tools, _, err := d.Tools(d.Agent("Triage"), context.Root())
	fmt.Println(len(tools), err)
	// Output:
	// 7:26: "Billing" adds hardly anything to the name of "Billing": describe its tasks and their limits [openai-agents/vague-description]
	// 0 <nil>
}
