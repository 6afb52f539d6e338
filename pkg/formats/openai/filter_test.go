package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestApply compares the output lists of each filter.
func TestApply(t *testing.T) {
	const (
		other    = `{"type":"future_call","id":"x1"}`
		approval = `{"type":"tool_approval_item","name":"f"}`
		brief    = `{"role":"user","content":"[CONTEXT FROM PREVIOUS AGENT — DATA ONLY]\n{}"}`
		carried  = `{"type":"tool_approval_item","name":"handoff.carried","carried":{}}`
	)
	tests := []struct {
		name    string
		data    string
		filters []Filter
		want    string
	}{
		{"no filter", data(`"Hi"`, search, ""), nil, data(`"Hi"`, search, "")},
		{"the zero filter", data(`"Hi"`, search, ""), []Filter{{}}, data(`"Hi"`, search, "")},
		{"tools of every list", data("["+user+","+call+"]", result+","+assistant, search), []Filter{RemoveAllTools()}, data("["+user+"]", assistant, "")},
		{"tools: what is not on the SDK's list stays", data("["+approval+"]", other, ""), []Filter{RemoveAllTools()}, data("["+approval+"]", other, "")},
		{"tools: approvals that are awaited, not what a conversion carries", data(`"Hi"`, approval+","+carried, approval), []Filter{RemoveAllTools()}, data(`"Hi"`, carried, "")},
		{"tools: a string stays", data(`"Hi"`, call, result), []Filter{RemoveAllTools()}, data(`"Hi"`, "", "")},
		{"run items are taken by what they hold, and stay as they are", data(`"Hi"`, runItem("tool_call_item", call)+","+runItem("tool_call_output_item", result), runItem("message_output_item", assistant)),
			[]Filter{RemoveAllTools()}, data(`"Hi"`, "", runItem("message_output_item", assistant))},
		{"last: a call in a run item goes with its result", data("["+user+"]", runItem("tool_call_item", call), runItem("tool_call_output_item", result)+","+assistant), []Filter{Last(2)}, data(`[]`, "", assistant)},
		{"last counts over all lists", data("["+user+","+search+"]", assistant, search), []Filter{Last(3)}, data("["+search+"]", assistant, search)},
		{"last: a string is an item", data(`"Hi"`, assistant, search), []Filter{Last(3)}, data(`"Hi"`, assistant, search)},
		{"last: a string goes", data(`"Hi"`, assistant, search), []Filter{Last(2)}, data(`[]`, assistant, search)},
		{"last: a result does not stay without its call", data("["+user+"]", call, result+","+assistant), []Filter{Last(2)}, data(`[]`, "", assistant)},
		{"last: what an item follows from goes with it", data("["+user+"]", `{"type":"reasoning","id":"r1"}`, call+","+result+","+user), []Filter{Last(3)}, data(`[]`, "", user)},
		{"last of none", data("["+user+"]", assistant, ""), []Filter{Last(0)}, data(`[]`, "", "")},
		{"last of a negative number", data("["+user+"]", assistant, ""), []Filter{Last(-1)}, data(`[]`, "", "")},
		{"last of many", data("["+user+"]", assistant, ""), []Filter{Last(100)}, data("["+user+"]", assistant, "")},
		{"last: approval items are not given to the agent", data("["+user+"]", assistant, approval), []Filter{Last(1)}, data("[]", assistant, approval)},
		{"last: input_items stands in for new_items", `{"input_history":[` + user + `],"pre_handoff_items":[],"new_items":[` + call + `,` + result + `],"input_items":[` + assistant + `]}`,
			[]Filter{Last(1)}, `{"input_history":[],"pre_handoff_items":[],"new_items":[` + call + `,` + result + `],"input_items":[` + assistant + `]}`},
		{"what a conversion puts there stays, and does not count", data("["+brief+","+user+"]", carried, assistant), []Filter{Last(1), Roles("assistant"), OnlyMessages()}, data("["+brief+"]", carried, assistant)},
		{"input_items null stays", `{"input_history":[],"pre_handoff_items":[],"new_items":[` + user + `],"input_items":null}`,
			[]Filter{Last(0)}, `{"input_history":[],"pre_handoff_items":[],"new_items":[],"input_items":null}`},
		{"roles", data("["+user+","+search+"]", assistant, `{"role":"system","content":"x"}`), []Filter{Roles("user", "system")}, data("["+user+"]", "", `{"role":"system","content":"x"}`)},
		{"roles: a string is by the user", data(`"Hi"`, assistant, ""), []Filter{Roles("user")}, data(`"Hi"`, "", "")},
		{"roles without the user", data(`"Hi"`, assistant, ""), []Filter{Roles("assistant")}, data(`[]`, assistant, "")},
		{"only messages", data("["+user+","+call+"]", `{"type":"message","content":[]}`, search), []Filter{OnlyMessages()}, data("["+user+"]", `{"type":"message","content":[]}`, "")},
		{"in the order given", data("["+user+"]", assistant, call+","+result), []Filter{Last(3), RemoveAllTools()}, data("[]", assistant, "")},
		{"in the other order", data("["+user+"]", assistant, call+","+result), []Filter{RemoveAllTools(), Last(3)}, data("["+user+"]", assistant, "")},
		{"everything else stays", `{"a" : 1.0,"input_history":[],"new_items":[{"role":"user","a":0.10}],"pre_handoff_items":[],"é":{"b" : []}}`,
			[]Filter{Last(1)}, `{"a":1.0,"input_history":[],"new_items":[{"role":"user","a":0.10}],"pre_handoff_items":[],"é":{"b":[]}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Apply(nil, parse(t, test.data).Root(), test.filters...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(jsonstream.AppendCompact(nil, []byte(test.want))), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
