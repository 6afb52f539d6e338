package conversation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

// turnsOf returns the turns of a conversation from their JSON texts.
func turnsOf(t testing.TB, texts string) []Turn {
	t.Helper()
	var turns []Turn
	for i, v := range parse(t, "["+texts+"]").Root().Elements() {
		turns = append(turns, Turn{Value: v, Index: i, Role: Role(v)})
	}
	return turns
}

func TestDuplicates(t *testing.T) {
	long := strings.Repeat("x", 100)
	turns := turnsOf(t, `{"content":"`+long+`"},{"content":"ok"},{"content":"ok"},{ "content" : "`+long+`"},`+
		`{"t":"ok","timestamp":1},{"t":"ok","timestamp":2},{"t":"ok","timestamp":1},{"content":"`+long+`","x":1}`)
	if diff := cmp.Diff([]int{0, 1, 2, 0, 4, 5, 4, 7}, Duplicates(turns)); diff != "" {
		t.Error(diff)
	}
}

// TestDistinctive checks that turns are equal exactly if their values are, and that a short text with
// escapes is not distinctive, so two spellings of it are treated alike.
func TestDistinctive(t *testing.T) {
	for text, want := range map[string]bool{
		`{"content":"` + strings.Repeat("é", 20) + `"}`:      false,
		`{"content":"` + strings.Repeat(`\u00e9`, 20) + `"}`: false,
		`{"content":"` + strings.Repeat(`\u00e9`, 40) + `"}`: true,
		`{"content":"ok","created":1}`:                       true,
	} {
		if got := Distinctive(parse(t, text).Root()); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"string", `{"role":"user","content":"é\n"}`, "é\n"},
		{"a turn that is a string", `"hi"`, "hi"},
		{"parts", `{"content":[{"type":"input_text","text":"a"},{"type":"output_text","text":"b"},"c",{"text":""}]}`, "a\nb\nc"},
		{"image, audio, file", `{"content":[{"type":"image_url","image_url":{}},{"type":"input_audio","data":"x"},{"type":"input_file"},{"type":"text","text":"t"}]}`, "t"},
		{"a document in base64", `{"content":[{"type":"document","source":{"type":"base64","data":"AAAA"}}]}`, ""},
		{"null content", `{"role":"assistant","content":null}`, ""},
		{"an object as content", `{"content":{"a" : 1}}`, `{"a":1}`},
		{"Chat calls", `{"content":"so","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"x\":1}"}},{"function":{"name":"g"}}]}`, "so\nf {\"x\":1}\ng"},
		{"Chat result", `{"role":"tool","tool_call_id":"1","content":"42"}`, "42"},
		{"Responses call", `{"type":"function_call","name":"f","arguments":"{}"}`, "f {}"},
		{"a run item", `{"type":"handoff_call_item","agent":{"name":"A"},"raw_item":{"type":"function_call","name":"f","arguments":"{}"}}`, "f {}"},
		{"a run item of JavaScript", `{"type":"tool_call_output_item","agent":{"name":"A"},"rawItem":{"type":"function_call_result","name":"f","callId":"c1","output":{"type":"text","text":"42"}}}`, "42"},
		{"a result of JavaScript", `{"type":"function_call_result","output":"42"}`, "42"},
		{"a run item without raw item", `{"type":"handoff_call_item"}`, `{"type":"handoff_call_item"}`},
		{"Responses result", `{"type":"function_call_output","output":"42"}`, "42"},
		{"Responses result in parts", `{"type":"function_call_output","output":[{"type":"input_text","text":"42"}]}`, "42"},
		{"a call that the provider has answered", `{"type":"mcp_call","name":"f","arguments":"{}","output":"42"}`, "f {}\n42"},
		{"custom call", `{"type":"custom_tool_call","name":"f","input":"raw"}`, "f raw"},
		{"reasoning", `{"type":"reasoning","summary":[{"type":"summary_text","text":"since"}],"encrypted_content":"zzz"}`, "since"},
		{"hosted call", `{"type":"web_search_call", "id":"1"}`, `{"type":"web_search_call","id":"1"}`},
		{"Anthropic call", `{"content":[{"type":"text","text":"so"},{"type":"tool_use","name":"f","input":{"x": 1}}]}`, "so\nf {\"x\":1}"},
		{"Anthropic result", `{"content":[{"type":"tool_result","content":[{"type":"text","text":"42"},{"type":"image"}]},{"type":"tool_result","content":"43"}]}`, "42\n43"},
		{"Anthropic thinking", `{"content":[{"type":"thinking","thinking":"hm","signature":"AAAA"},{"type":"redacted_thinking","data":"AAAA"}]}`, "hm"},
		{"unknown part", `{"content":[{"type":"new", "x":[1]}]}`, `{"type":"new","x":[1]}`},
		{"nothing", `{}`, ""},
		{"no turn", `[1]`, ""},
	} {
		if got := turnsOf(t, tt.in)[0].Text(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := turnsOf(t, `{"name":"ann"}`)[0].Name(); got != "ann" {
		t.Errorf("got the name %q", got)
	}
}

// TestIsTool checks the item types of the Agents SDK, and the types of other APIs.
func TestIsTool(t *testing.T) {
	sdk := "function_call, function_call_output, computer_call, computer_call_output, file_search_call, tool_search_call, tool_search_output, " +
		"web_search_call, mcp_call, mcp_list_tools, mcp_approval_request, mcp_approval_response, reasoning, code_interpreter_call, " +
		"image_generation_call, local_shell_call, local_shell_call_output, shell_call, shell_call_output, apply_patch_call, " +
		"apply_patch_call_output, custom_tool_call, custom_tool_call_output, hosted_tool_call, program, program_output"
	sdk += ", function_call_result, computer_call_result" // of the SDK for JavaScript
	if diff := cmp.Diff(strings.Split(sdk, ", "), toolTypes); diff != "" {
		t.Error(diff)
	}
	is := func(item string) bool { return IsTool(parse(t, item).Root()) }
	for _, kind := range append(strings.Split(sdk, ", "), "tool_use", "tool_result", "server_tool_use", "web_search_tool_result") {
		if !is(`{"type":"` + kind + `"}`) {
			t.Errorf("%s is one", kind)
		}
	}
	for _, item := range []string{`{"role":"tool","content":""}`, `{"role":"function","content":""}`, `{"type":"tool_approval_item","name":"f"}`} {
		if !is(item) {
			t.Errorf("%s is one", item)
		}
	}
	if is(`{"type":"tool_approval_item","name":"handoff.carried"}`) {
		t.Error("carried data counts as a tool item")
	}
	for _, item := range []string{`{"role":"assistant","tool_calls":[]}`, `{"type":"message"}`, `{"type":"text"}`, `{"type":"output_text"}`, `"x"`, `{}`} {
		if is(item) {
			t.Errorf("%s is none", item)
		}
	}
}
