package sw4rm_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Example builds a request, and answers it as an agent.
func Example() {
	history, err := sw4rm.ReadHistory([]byte(`{"role": "user", "content": "Check the patch."}`), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	draft := sw4rm.Draft{From: "planner", To: "reviewer", Reason: "needs a review", Capabilities: []string{"code_review"}, Context: &sw4rm.Context{History: history}}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(draft.Append(nil)), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	request, problems := sw4rm.ReadRequest(doc, jsonstream.Limits{})
	if problems != nil {
		fmt.Println(problems)
		return
	}
	record, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"agent_id":"reviewer","capabilities":["code_review"],"state":"RUNNABLE"}`)), jsonstream.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, _ := sw4rm.ReadAgent(record)
	fmt.Printf("%s\n", sw4rm.Respond(agent, request, "h-1").Append(nil))
	// Output:
	// {"accepted":true,"handoff_id":"h-1","rejection_reason":null,"status":"ACCEPTED","metadata":{"capabilities":["code_review"]},"accepting_agent":"reviewer"}
}
