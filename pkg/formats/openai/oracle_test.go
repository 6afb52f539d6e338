package openai_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// jsSteps are steps of a run of the JavaScript SDK: items that belong together, each after the type of
// its run item. ID is the number of the step.
var jsSteps = [][][2]string{
	{{"", `{"type":"message","role":"user","content":"Refund ID, please."}`}},
	{{"", `{"role":"user","content":[{"type":"input_text","text":"Is that ID?"},{"type":"input_image","image":"https://example.com/ID.png"}]}`}},
	{{"", `{"type":"message","role":"system","content":"Be brief."}`}},
	{{"message_output_item", `{"id":"msg_ID","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"One moment.\nID"}]}`}},
	{{"message_output_item", `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"One."},{"type":"refusal","refusal":"Two."}],"providerData":{"a":1}}`}},
	{{"tool_call_item", `{"type":"function_call","callId":"ID","name":"find_order","status":"completed","arguments":"{\"order\":ID}"}`},
		{"tool_call_output_item", `{"type":"function_call_result","name":"find_order","callId":"ID","status":"completed","output":{"type":"text","text":"Monday."}}`}},
	{{"tool_call_item", `{"type":"function_call","callId":"ID","name":"find_order","arguments":"{}"}`},
		{"tool_call_output_item", `{"type":"function_call_result","name":"find_order","callId":"ID","status":"completed","output":[{"type":"input_text","text":"Monday."}]}`}},
	{{"handoff_call_item", `{"type":"function_call","callId":"ID","name":"transfer_to_Billing","status":"completed","arguments":"{}"}`},
		{"handoff_output_item", `{"type":"function_call_result","name":"transfer_to_Billing","callId":"ID","status":"completed","output":{"type":"text","text":"{\"assistant\":\"Billing\"}"}}`}},
	{{"reasoning_item", `{"id":"rs_ID","type":"reasoning","content":[{"type":"input_text","text":"Hm."}]}`},
		{"message_output_item", `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"So."}]}`}},
	{{"tool_call_item", `{"type":"computer_call","callId":"ID","status":"completed","action":{"type":"screenshot"}}`},
		{"tool_call_output_item", `{"type":"computer_call_result","callId":"ID","output":{"type":"computer_screenshot","data":"AAAA"}}`}},
	{{"tool_call_item", `{"type":"shell_call","callId":"ID","status":"completed","action":{"commands":["ls"]}}`},
		{"tool_call_output_item", `{"type":"shell_call_output","callId":"ID","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exitCode":0}}]}`}},
	{{"tool_call_item", `{"type":"apply_patch_call","callId":"ID","status":"completed","operation":{"type":"delete_file","path":"a"}}`},
		{"tool_call_output_item", `{"type":"apply_patch_call_output","callId":"ID","status":"completed","output":"done"}`}},
	{{"tool_call_item", `{"type":"hosted_tool_call","id":"ws_ID","name":"web_search_call","status":"completed"}`}},
	{{"tool_search_call_item", `{"type":"tool_search_call","callId":"ID","execution":"client","arguments":{"query":"x"},"status":"completed"}`},
		{"tool_search_output_item", `{"type":"tool_search_output","callId":"ID","execution":"client","status":"completed","tools":[]}`}},
	{{"compaction_item", `{"id":"cmp_ID","type":"compaction","encrypted_content":"AAAA"}`}},
}

// jsRun returns n steps of a run, as items and, if an agent made them, as run items.
func jsRun(random *rand.Rand, n int, wrapped bool) (items []string) {
	for range n {
		step := jsSteps[random.IntN(len(jsSteps))]
		if wrapped && step[0][0] == "" {
			continue
		}
		id := fmt.Sprint(random.IntN(1e6))
		for _, item := range step {
			raw := strings.ReplaceAll(item[1], "ID", id)
			switch {
			case !wrapped:
				items = append(items, raw)
			case item[0] == "handoff_output_item":
				items = append(items, `{"type":"`+item[0]+`","rawItem":`+raw+`,"sourceAgent":{"name":"Triage"},"targetAgent":{"name":"Billing"}}`)
			case item[0] == "tool_call_output_item":
				items = append(items, `{"type":"`+item[0]+`","rawItem":`+raw+`,"agent":{"name":"Triage"},"output":"Monday."}`)
			default:
				items = append(items, `{"type":"`+item[0]+`","rawItem":`+raw+`,"agent":{"name":"Triage"}}`)
			}
		}
	}
	return items
}

// TestJavaScriptSDK compares the results of this package and of the JavaScript SDK for a
// HandoffInputData: the data without tools, and the input of the next agent's model. Both must accept
// the data, also after nesting.
func TestJavaScriptSDK(t *testing.T) {
	sdk := oracle.Start(t, "openai-filter")
	schema, err := validate.EmbeddedSchema(schemas.OpenAIJSInputData)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var docs [][]byte
	for i := range 60 {
		history := "[" + strings.Join(jsRun(random, random.IntN(5), false), ",") + "]"
		if i%5 == 0 {
			history = `"Refund my order."`
		}
		docs = append(docs, fmt.Appendf(nil, `{"inputHistory":%s,"preHandoffItems":[%s],"newItems":[%s],"runContext":{"context":{}}}`, history,
			strings.Join(jsRun(random, random.IntN(5), true), ","), strings.Join(jsRun(random, 1+random.IntN(3), true), ",")))
		nested, err := openai.Nest(nil, value(t, string(docs[len(docs)-1])), openai.NestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, nested)
	}
	for i, answer := range sdk.Ask(docs...) {
		var said struct{ Filtered, Input json.RawMessage }
		if err := json.Unmarshal(answer.Raw, &said); err != nil || !answer.OK {
			t.Errorf("%s: %s, %v", docs[i], answer.Error, err)
			continue
		}
		data := value(t, string(docs[i]))
		if found := schema.Check(data); len(found) > 0 {
			t.Errorf("%s: %v", docs[i], found)
		}
		for name, made := range map[string]struct {
			theirs json.RawMessage
			ours   func() ([]byte, error)
		}{
			"removeAllTools": {said.Filtered, func() ([]byte, error) { return openai.Apply(nil, data, openai.RemoveAllTools()) }},
			"input":          {said.Input, func() ([]byte, error) { return openai.Input(nil, data) }},
		} {
			ours, err := made.ours()
			if err != nil || !equal.Values(value(t, string(ours)), value(t, string(made.theirs))) {
				t.Errorf("%s of %s: %v\nours   %s\ntheirs %s", name, docs[i], err, ours, made.theirs)
			}
		}
	}
}

// TestJavaScriptRefused checks that the schema rejects items that the JavaScript SDK rejects.
func TestJavaScriptRefused(t *testing.T) {
	sdk := oracle.Start(t, "openai-filter")
	schema, err := validate.EmbeddedSchema(schemas.OpenAIJSInputData)
	if err != nil {
		t.Fatal(err)
	}
	var docs [][]byte
	for _, item := range []string{
		`{"role":"assistant","status":"completed","content":"One moment."}`,
		`{"role":"assistant","content":[]}`,
		`{"role":"system","content":[]}`,
		`{"role":"user"}`,
		`{"type":"message","content":"hi"}`,
		`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`,
		`{"type":"function_call","callId":"c1","name":"f"}`,
		`{"type":"function_call_result","callId":"c1","status":"completed","output":"x"}`,
		`{"type":"function_call_result","callId":"c1","name":"f","output":"x"}`,
		`{"type":"function_call_result","callId":"c1","name":"f","status":"completed","output":5}`,
	} {
		docs = append(docs, fmt.Appendf(nil, `{"inputHistory":[%s],"preHandoffItems":[],"newItems":[]}`, item))
	}
	for i, answer := range sdk.Ask(docs...) {
		if found := schema.Check(value(t, string(docs[i]))); len(found) == 0 || answer.Checks["schema"] == "" {
			t.Errorf("%s: the SDK says %q, we %v", docs[i], answer.Checks["schema"], found)
		}
	}
}
