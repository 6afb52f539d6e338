package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// needsReason is the input schema of the handoffs in the tests: a member reason.
func needsReason(tool string, arguments jsonstream.Value) []string {
	if isHandoffName(tool) && !arguments.Get("reason").Exists() {
		return []string{"reason is missing"}
	}
	return nil
}

// TestRules checks the examples of every rule: the failing example breaks its rule and no other, and the
// fixed example breaks none.
func TestRules(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			var o CheckOptions
			switch r.ID {
			case HandoffInput:
				o.InputProblems = needsReason
			case Unfiltered:
				o.MaxItems = 4
			case Bounce:
				o.Window = 5
			}
			bad := Check(parse(t, r.Bad), o)
			if len(bad) == 0 {
				t.Error("the bad example has no problem")
			}
			for _, p := range bad {
				if p.Rule != r.ID || p.Severity != r.Severity {
					t.Errorf("the bad example: %+v", p)
				}
			}
			if good := Check(parse(t, r.Good), o); len(good) > 0 {
				t.Errorf("the good example: %+v", good)
			}
			if r.Summary == "" || r.Why == "" {
				t.Error("the rule has no summary or no reason")
			}
		})
	}
}

func transfer(n int, agent string) string {
	return fmt.Sprintf(`{"type":"function_call","call_id":"t%d","name":"transfer_to_%s","arguments":"{}"},{"type":"function_call_output","call_id":"t%d","output":"{\"assistant\": \"%s\"}"}`,
		n, strings.ToLower(agent), n, agent)
}

// runItem returns a run item of the SDK.
func runItem(kind, raw string) string {
	return `{"type":"` + kind + `","agent":{"name":"Triage"},"raw_item":` + raw + `}`
}

func reasoningOf(id string) string { return `{"type":"reasoning","id":"` + id + `","summary":[]}` }

var reasoning = reasoningOf("rs_1")

// TestCheck compares the problems, written as RULE POINTER, with the beginning of the message after a
// colon in some cases.
func TestCheck(t *testing.T) {
	summary := string(pythonSpelling.appendMessage(nil, "assistant", "", preamble+"\n"+DefaultStart+"\n1. user: Hi\n2. "+callLine+"\n"+DefaultEnd))
	long := `{"role":"assistant","content":"` + strings.Repeat("Found it. ", 10) + `"}`
	tests := []struct {
		name string
		data string
		want []string
	}{
		{"nothing wrong", data(`"Hi"`, call+","+result, assistant), nil},
		{"no object", `[]`, []string{"shape "}},
		{"lists of other kinds", `{"input_history":1,"new_items":[1]}`, []string{"shape ", "shape /input_history", "shape /new_items/0"}},
		{"an item without role and type", data(`[{}]`, "", ""), []string{"shape /input_history/0"}},
		{"role, type and content of other kinds", data(`[{"role":1},{"type":1},{"role":"user","content":1}]`, "", ""),
			[]string{"shape /input_history/0/role", "shape /input_history/1/type", "shape /input_history/2/content"}},
		{"a message without role", data(`[{"type":"message"}]`, "", ""), []string{"shape /input_history/0"}},
		{"a call without its members", data(`[]`, `{"type":"function_call","name":1}`, ""),
			[]string{"shape /pre_handoff_items/0", "shape /pre_handoff_items/0", "shape /pre_handoff_items/0/name"}},
		{"a result without its members", data(`[]`, `{"type":"function_call_output"}`, ""), []string{"shape /pre_handoff_items/0", "shape /pre_handoff_items/0"}},
		{"unknown types", data(`[]`, `{"type":"future_item","arguments":3}`, ""), nil},
		{"roles", data(`[{"role":"tool"},{"role":"Assistant"},{"role":""}]`, "", ""),
			[]string{"unknown-role /input_history/0/role", "unknown-role /input_history/1/role", "unknown-role /input_history/2/role"}},
		{"arguments that are not an object", data(`[]`, `{"type":"mcp_call","name":"f","arguments":"[1]"}`, ""), []string{"arguments /pre_handoff_items/0/arguments"}},
		{"empty arguments", data(`[]`, `{"type":"mcp_call","name":"f","arguments":""}`, ""), []string{"arguments /pre_handoff_items/0/arguments"}},
		{"arguments with a member twice", data(`[]`, `{"type":"mcp_call","name":"f","arguments":"{\"a\":1,\"a\":2}"}`, ""), []string{"arguments /pre_handoff_items/0/arguments"}},
		{"a result before its call", data(`[]`, result, call), []string{"result-without-call /pre_handoff_items/0/call_id", "call-without-result /new_items/0/call_id"}},
		{"calls that a provider answers itself", data(`[]`, search+`,{"type":"file_search_call","id":"f1"},{"type":"mcp_call","id":"m1","name":"f","arguments":"{}"}`, ""), nil},
		{"other calls with results", data(`[]`, `{"type":"computer_call","call_id":"k1"},{"type":"custom_tool_call_output","call_id":"k2"}`, ""),
			[]string{"call-without-result /pre_handoff_items/0/call_id", "result-without-call /pre_handoff_items/1/call_id"}},
		{"a result of another kind than its call", data(`[]`, call+`,{"type":"custom_tool_call_output","call_id":"c1","output":"1"}`, `{"type":"computer_call_output","call_id":"c1","output":{}}`), []string{
			"call-without-result /pre_handoff_items/0/call_id",
			`result-without-call /pre_handoff_items/1/call_id: the tool result has a different kind than its call: found "custom_tool_call_output" for the "function_call" "c1"; `,
			`result-without-call /new_items/0/call_id: the tool result has a different kind than its call: found "computer_call_output" for the "function_call" "c1"; `, "repeated-id /new_items/0/call_id"}},
		{"results of the kinds of their calls", data(`[]`, `{"type":"tool_search_call","call_id":"a"},{"type":"tool_search_output","call_id":"a"},{"type":"program","call_id":"b"},{"type":"program_output","call_id":"b"},
			{"type":"custom_tool_call","call_id":"c"},{"type":"custom_tool_call_output","call_id":"c"},{"type":"later_call","call_id":"d"},{"type":"later_result_output","call_id":"d"}`, ""), nil},
		{"an empty call_id", data(`[]`, `{"type":"function_call","call_id":"","name":"f","arguments":"{}"},{"type":"custom_tool_call_output","call_id":""}`, ""),
			[]string{"shape /pre_handoff_items/0/call_id", "shape /pre_handoff_items/1/call_id"}},
		{"approvals", data(`[]`, `{"type":"mcp_approval_request","id":"r"},{"type":"mcp_approval_response","approval_request_id":"r"},{"type":"mcp_approval_response","approval_request_id":"s"}`, `{"type":"mcp_approval_response"}`),
			[]string{"result-without-call /pre_handoff_items/2/approval_request_id: the approval has no request: ", "result-without-call /new_items/0"}},
		{"reasoning and its output", data(`[`+reasoning+`,{"type":"reasoning","id":"rs_2"},`+assistant+`,`+user+`]`, reasoningOf("rs_3")+","+call+","+result, reasoningOf("rs_4")+","+search), nil},
		{"reasoning that the next list goes on from", data(`[]`, reasoning, assistant), nil},
		{"reasoning before a message of the user", data(`[`+reasoning+`,`+user+`]`, "", ""), []string{"reasoning-without-output /input_history/0"}},
		{"reasoning before a tool's result", data(`[]`, call+","+reasoning+","+result, ""), []string{"reasoning-without-output /pre_handoff_items/1"}},
		{"reasoning at the end", data(`"Hi"`, "", reasoning+","+reasoningOf("rs_2")), []string{"reasoning-without-output /new_items/0", "reasoning-without-output /new_items/1"}},
		{"reasoning before what the agent does not get", `{"input_history":"Hi","pre_handoff_items":[` + reasoning + `],"new_items":[` + assistant + `],"input_items":[]}`, []string{"reasoning-without-output /pre_handoff_items/0"}},
		{"reasoning without an id", data(`[{"type":"reasoning","summary":[]},`+user+`]`, "", ""), []string{"reasoning-without-output /input_history/0"}},
		{"run items", data(`"Hi"`, runItem("tool_call_item", call)+","+runItem("tool_call_output_item", result), runItem("message_output_item", assistant)), nil},
		{"what is wrong in run items", data(`[]`, runItem("tool_call_item", call)+","+runItem("message_output_item", `{"type":"message"}`), runItem("reasoning_item", reasoning)),
			[]string{"call-without-result /pre_handoff_items/0/raw_item/call_id", "shape /pre_handoff_items/1/raw_item", "reasoning-without-output /new_items/0/raw_item"}},
		{"a run item of what is in the history", data("["+call+","+result+"]", runItem("tool_call_item", call), ""), []string{"duplicate-item /pre_handoff_items/0/raw_item", "call-without-result /pre_handoff_items/0/raw_item/call_id"}},
		{"run items without what the model gets", data(`[]`, `{"type":"handoff_call_item","agent":{"name":"A"}},`+runItem("handoff_call_item", `"x"`), ""),
			[]string{"shape /pre_handoff_items/0", "shape /pre_handoff_items/1/raw_item"}},
		{"the approval of a call", data(`[]`, runItem("tool_call_item", call)+","+runItem("tool_approval_item", call)+","+result, ""), nil},
		{"a string as history again", data(`"Hi"`, user, `{"content":"H\u0069","role":"user"}`), []string{
			"duplicate-item /pre_handoff_items/0: the item is repeated: an equal item is at /input_history", "duplicate-item /new_items/0"}},
		{"an item of the history again in another spelling", data(`[{"id":"m","role":"assistant","content":"é","n":1.0}]`, `{"n":1,"content":"\u00e9","role":"assistant","id":"m"}`, ""), []string{"duplicate-item /pre_handoff_items/0"}},
		{"numbers that are one double", data(`[{"id":"m","role":"assistant","n":9007199254740993}]`, `{"id":"m","role":"assistant","n":9007199254740992}`, ""), []string{"repeated-id /pre_handoff_items/0/id"}},
		{"an item of the history again", data("["+user+","+long+"]", user+","+long, ""), []string{"duplicate-item /pre_handoff_items/0", "duplicate-item /pre_handoff_items/1"}},
		{"short texts again", data("["+user+","+assistant+","+user+"]", assistant, ""), nil},
		{"ids of different items", data("["+call+","+result+"]", `{"type":"function_call","call_id":"c1","name":"g","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"2"}`, ""),
			[]string{"repeated-id /pre_handoff_items/0/call_id", "repeated-id /pre_handoff_items/1/call_id"}},
		{"an id for an item and its reasoning", data(`[{"type":"reasoning","id":"a"},{"role":"assistant","id":"a"}]`, "", ""), nil},
		{"nested history", string(nest(t, data(`"Hi"`, assistant, long+","+user), NestOptions{}).Raw().Bytes), nil},
		{"new_items beside input_items is not what the agent gets", `{"input_history":[` + long + `],"pre_handoff_items":[],"new_items":[` + long + `,` + result + `],"input_items":[]}`, nil},
		{"input_items repeats the history", `{"input_history":[` + long + `],"pre_handoff_items":[],"new_items":[],"input_items":[` + long + `]}`, []string{"duplicate-item /input_items/0"}},
		{"tools in a summary", data("["+summary+"]", "", ""), []string{"tool-in-summary /input_history/0/content"}},
		{"A, B, A, B, of which the first is not named", data(`"Hi"`, transfer(1, "B")+","+transfer(2, "A"), transfer(3, "B")),
			[]string{`loop /new_items/1: the agents hand over in a loop: the task went "B" → "A" → "B"; `}},
		{"A, B, A, B after another agent", data(`"Hi"`, transfer(1, "A")+","+transfer(2, "B")+","+transfer(3, "A"), transfer(4, "C")+","+transfer(5, "A")+","+transfer(6, "B")),
			[]string{`loop /pre_handoff_items/5: the agents hand over in a loop: the task went "A" → "B" → "A"; `}},
		{"a longer round", data(`"Hi"`, transfer(1, "X")+","+transfer(2, "A")+","+transfer(3, "B")+","+transfer(4, "C")+","+transfer(5, "A")+","+transfer(6, "B"), ""), []string{"loop /pre_handoff_items/11"}},
		{"an agent that hands to itself", data(`"Hello"`, transfer(1, "B")+","+transfer(2, "B")+","+transfer(3, "B"), ""), []string{`loop /pre_handoff_items/5: the agents hand over in a loop: the task went "B" → "B" → "B"; `}},
		{"the user spoke in between", data(`"Hello"`, transfer(1, "B")+","+transfer(2, "A")+","+user+","+transfer(3, "B"), ""), nil},
		{"a hub is no loop", data(`[]`, transfer(1, "B")+","+transfer(2, "A")+","+transfer(3, "C")+","+transfer(4, "A")+","+transfer(5, "D"), ""), nil},
		{"agents whose tools have one name", data(`[]`, transfer(1, "甲")+","+transfer(2, "乙")+","+transfer(3, "丙"), ""), nil},
		{"a tool that is called again", data(`[]`, call+","+result+","+call+","+result+","+call+","+result, ""), []string{
			"duplicate-item /pre_handoff_items/2", "duplicate-item /pre_handoff_items/3", "duplicate-item /pre_handoff_items/4", "duplicate-item /pre_handoff_items/5"}},
		{"transfers without results", data(`[]`, transfer(1, "B B")+","+transfer(2, "A")+`,{"type":"function_call","call_id":"t3","name":"transfer_to_b_b","arguments":""}`, ""),
			[]string{"loop /pre_handoff_items/4: the agents hand over in a loop: the task went \"B B\" → \"A\" → \"B B\"; ", "call-without-result /pre_handoff_items/4/call_id"}},
		{"one transfer in both lists", data(`[]`, transfer(1, "B"), transfer(1, "B")),
			[]string{"duplicate-item /new_items/0", "duplicate-item /new_items/1"}},
		{"a call that was ignored", data(`[]`, transfer(1, "B")+","+transfer(2, "A")+`,{"type":"function_call","call_id":"t3","name":"transfer_to_b","arguments":"{}"},{"type":"function_call_output","call_id":"t3","output":"Multiple handoffs detected, ignoring this one."}`, ""), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			problems := Check(parse(t, test.data), CheckOptions{})
			var got []string
			for i, p := range problems {
				line := strings.TrimPrefix(p.Rule, "openai/") + " " + p.Pointer
				if i < len(test.want) {
					if want, message, ok := strings.Cut(test.want[i], ": "); ok && want == line && strings.HasPrefix(p.Message, message) {
						line = test.want[i]
					}
				}
				got = append(got, line)
				if p.Message == "" || strings.ContainsAny(p.Message, "\r\n") {
					t.Errorf("message %q", p.Message)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s\n%+v", diff, problems)
			}
		})
	}
}

// TestManyIDs has an item with many ids: if the item were read again for each of them, the test would
// take minutes.
func TestManyIDs(t *testing.T) {
	const n = 20_000
	item := func(name string) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"%s"}`, i, name))
		}
		return `{"role":"assistant","content":[` + strings.Join(parts, ",") + `]}`
	}
	problems := problemsOf(parse(t, data("["+item("f")+"]", item("g"), "")), CheckOptions{}, "openai/repeated-id")
	if len(problems) != n {
		t.Errorf("found %d", len(problems))
	}
}

// TestLoopInSummary checks that a loop is found in a nested history, where transfers are lines of a
// summary.
func TestLoopInSummary(t *testing.T) {
	nested := nest(t, data(`"Hi"`, transfer(1, "B")+","+transfer(2, "A"), transfer(3, "B")), NestOptions{})
	problems := problemsOf(nested, CheckOptions{}, "openai/loop")
	if len(problems) != 1 || problems[0].Pointer != "/input_history/0" {
		t.Errorf("got %+v", problems)
	}
}

// TestPositions checks the positions of problems in the content of a summary and in arguments.
func TestPositions(t *testing.T) {
	doc := parse(t, "{\"input_history\": [],\n \"pre_handoff_items\": [],\n \"new_items\": [\n  {\"type\": \"mcp_call\", \"name\": \"f\", \"arguments\": \"{\\\"a\\\": x}\"},\n"+
		"  {\"role\": \"assistant\", \"content\": \""+preamble+"\\n"+DefaultStart+"\\n1. user: Hi\\n2. {\\\"type\\\": \\\"mcp_call\\\"}\\n"+DefaultEnd+"\"}]}")
	lines := strings.Split(string(doc.Raw().Bytes), "\n")
	for i, want := range []struct {
		line int
		at   string
	}{{4, "x}"}, {5, "2. {"}} {
		problems := Check(doc, CheckOptions{})
		if len(problems) != 2 {
			t.Fatalf("got %+v", problems)
		}
		p := problems[i]
		if p.Line != want.line || !strings.HasPrefix(lines[p.Line-1][p.Column-1:], want.at) {
			t.Errorf("%+v: want line %d, at %q", problems[i], want.line, want.at)
		}
	}
}

// TestInputProblems checks the calls of InputProblems and their arguments.
func TestInputProblems(t *testing.T) {
	var asked []string
	o := CheckOptions{InputProblems: func(tool string, arguments jsonstream.Value) []string {
		asked = append(asked, tool+" "+string(arguments.Raw()))
		return []string{"first", "second"}[:arguments.Len()]
	}}
	text := data(`[]`, `{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\": 1.0}"},{"type":"function_call","call_id":"b","name":"f","arguments":""},
		{"type":"function_call","call_id":"c","name":"transfer_to_b","arguments":""},{"type":"mcp_call","name":"f","arguments":"{}"},{"type":"function_call","call_id":"d","name":"f","arguments":"[]"}`, "")
	problems := problemsOf(parse(t, text), o, HandoffInput)
	if diff := cmp.Diff([]string{`f {"x": 1.0}`, `transfer_to_b {}`}, asked); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 1 || problems[0].Message != `the input of the handoff "f" does not match its schema: first` || problems[0].Pointer != "/pre_handoff_items/0/arguments" {
		t.Errorf("got %+v", problems)
	}
}

// FuzzCheck checks that any document can be checked, and that a HandoffInputData can be nested, unnested
// and filtered.
func FuzzCheck(f *testing.F) {
	f.Add(`{"inputHistory":"Hi","preHandoffItems":[{"type":"message_output_item","rawItem":{"role":"assistant","status":"completed","content":[{"type":"output_text","text":"One."}]}}],"newItems":[{"type":"handoff_call_item","rawItem":{"type":"function_call","callId":"c","name":"transfer_to_B","arguments":""}}]}`)
	for _, r := range Rules() {
		f.Add(r.Bad)
		f.Add(r.Good)
	}
	f.Add(data(`"Hi"`, transfer(1, "B"), transfer(2, "A")))
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
		if err != nil {
			return
		}
		shapely := CheckShape(doc.Root()) == nil
		for _, p := range Check(doc, CheckOptions{InputProblems: needsReason, MaxItems: 1, Window: 2}) {
			if !doc.Root().At(p.Pointer).Exists() || p.Offset >= int64(len(text)) {
				t.Errorf("nowhere: %+v", p)
			}
		}
		for name, run := range map[string]func() ([]byte, error){
			"Nest":   func() ([]byte, error) { return Nest(nil, doc.Root(), NestOptions{}) },
			"early":  func() ([]byte, error) { return Nest(nil, doc.Root(), NestOptions{Early: true}) },
			"Unnest": func() ([]byte, error) { return Unnest(nil, doc.Root(), NestOptions{}) },
			"Input":  func() ([]byte, error) { return Input(nil, doc.Root()) },
			"Apply":  func() ([]byte, error) { return Apply(nil, doc.Root(), RemoveAllTools(), Last(3), OnlyMessages()) },
		} {
			out, err := run()
			if (err == nil) != shapely {
				t.Errorf("%s: error %v", name, err)
			}
			if err == nil && name != "Input" {
				if err := CheckShape(parse(t, string(out)).Root()); err != nil {
					t.Errorf("%s: %v in %s", name, err, out)
				}
			}
		}
	})
}
