package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnits compares units, written as one letter for each turn: turns with the same letter belong
// together, and a dot is a separate turn.
func TestUnits(t *testing.T) {
	said := func(role string) string { return `{"role":"` + role + `","content":"x"}` }
	call := func(id string) string { return `{"type":"function_call","call_id":"` + id + `","name":"f"}` }
	output := func(id string) string { return `{"type":"function_call_output","call_id":"` + id + `","output":""}` }
	chat := func(ids ...string) string {
		return `{"role":"assistant","tool_calls":[{"id":"` + strings.Join(ids, `"},{"id":"`) + `"}]}`
	}
	tool := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `"}` }
	approval := func(id string) string { return `{"type":"tool_approval_item","name":"f","call_id":"` + id + `"}` }
	const legacy = `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`
	run := func(kind, raw string) string {
		return `{"type":"` + kind + `","agent":{"name":"A"},"raw_item":` + raw + `}`
	}
	calls := func(tool string) string { return `"functionCall":{"name":"` + tool + `","args":{}}` }
	responds := func(tool string) string { return `"functionResponse":{"name":"` + tool + `","response":{}}` }
	gemini := func(role string, parts ...string) string {
		return `{"role":"` + role + `","parts":[{` + strings.Join(parts, "},{") + `}]}`
	}
	adk := func(author, content string) string { return `{"author":"` + author + `","content":` + content + `}` }
	item := func(kind string) string { return `{"type":"` + kind + `"}` }
	parts := func(role string, parts ...string) string {
		return `{"role":"` + role + `","content":[` + strings.Join(parts, ",") + `]}`
	}
	use := func(id string) string { return `{"type":"tool_use","id":"` + id + `"}` }
	result := func(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `"}` }
	line := func(id, part string) string {
		return `{"type":"assistant","uuid":"u","message":{"id":"` + id + `","role":"assistant","content":[` + part + `]}}`
	}
	for _, tt := range []struct {
		name  string
		turns []string
		want  string
	}{
		{"talk", []string{said("user"), said("assistant"), said("system")}, "..."},
		{"Responses: a call and its output", []string{said("user"), call("1"), output("1"), said("assistant")}, ".aa."},
		{"Responses: parallel calls", []string{call("1"), call("2"), output("2"), output("1")}, "abba"},
		{"Responses: talk between", []string{call("1"), said("user"), output("1")}, "a.a"},
		{"Responses: reasoning and its calls", []string{item("reasoning"), call("1"), call("2"), output("1"), output("2")}, "aaaaa"},
		{"Responses: reasoning and its message", []string{item("reasoning"), item("reasoning"), said("assistant"), said("user"), said("assistant")}, "aaa.."},
		{"Responses: reasoning again after an output", []string{item("reasoning"), call("1"), output("1"), item("reasoning"), said("assistant")}, "aaabb"},
		{"Responses: reasoning and what the provider runs", []string{item("reasoning"), item("web_search_call"), item("mcp_list_tools"), item("new_kind"), said("assistant")}, "aaaaa"},
		{"Responses: what the provider runs waits for no result", []string{item("web_search_call"), said("assistant"), `{"role":"tool","content":"x"}`}, ".aa"},
		{"Responses: a tool search and its output", []string{item("tool_search_call"), item("tool_search_output"), said("assistant")}, "aa."},
		{"Responses: reasoning that leads to nothing", []string{item("reasoning"), said("user"), said("assistant")}, "..."},
		{"Responses: reasoning before an approval", []string{item("reasoning"), `{"type":"mcp_approval_request","id":"1"}`, `{"type":"mcp_approval_response","approval_request_id":"1"}`,
			`{"type":"mcp_call","approval_request_id":"1"}`}, "aaaa"},
		{"Agents SDK for JavaScript: reasoning before an approval", []string{item("reasoning"), `{"type":"hosted_tool_call","name":"mcp_approval_request","providerData":{"type":"mcp_approval_request","id":"1"}}`,
			`{"type":"hosted_tool_call","name":"mcp_approval_response","providerData":{"approval_request_id":"1"}}`, `{"type":"hosted_tool_call","name":"mcp_call","providerData":{"approval_request_id":"1"}}`, said("assistant")}, "aaaa."},
		{"Responses: approvals without an id", []string{`{"type":"mcp_approval_request"}`, said("user"), said("user"), `{"type":"mcp_call","approval_request_id":""}`}, "...."},
		{"Responses: a computer", []string{`{"type":"computer_call","id":"x","call_id":"1"}`, `{"type":"computer_call_output","call_id":"1"}`}, "aa"},
		{"Responses: a shell whose output has the call's id for its own", []string{`{"type":"local_shell_call","id":"x","call_id":"1"}`, `{"type":"local_shell_call_output","id":"1"}`}, "aa"},
		{"Responses: a program", []string{`{"type":"program","id":"x","call_id":"p"}`, `{"type":"function_call","call_id":"1","caller":{"type":"program","caller_id":"p"}}`, said("user"),
			`{"type":"function_call_output","call_id":"1","caller":{"type":"program","caller_id":"p"}}`, `{"type":"program_output","call_id":"p"}`}, "aa.aa"},
		{"Responses: an output before its call", []string{output("1"), said("user"), call("1")}, "a.a"},
		{"Chat: several results", []string{said("user"), chat("1", "2"), tool("1"), tool("2"), said("assistant")}, ".aaa."},
		{"Chat: ids used again do not chain", []string{chat("call_0"), tool("call_0"), chat("call_0"), tool("call_0"), chat("call_0"), tool("call_0")}, "aabbcc"},
		{"Chat: a call that was never answered", []string{chat("1"), said("user"), chat("1"), tool("1")}, "..aa"},
		{"Anthropic", []string{said("user"), parts("assistant", `{"type":"text","text":"so"}`, use("1"), use("2")), parts("user", result("1"), result("2")), said("assistant")}, ".aa."},
		{"Anthropic: what the server runs is within one turn", []string{parts("assistant", `{"type":"server_tool_use","id":"1"}`, `{"type":"web_search_tool_result","tool_use_id":"1"}`), said("user")}, ".."},
		{"Claude Code: the lines of a response", []string{said("user"), line("m1", `{"type":"text","text":"so"}`), line("m1", use("1")), line("m1", use("2")), parts("user", result("1")), parts("user", result("2")), line("m2", `{"type":"text","text":"done"}`)}, ".aaaaa."},
		{"SW4RM: calls that are listed", []string{chat("1"), tool("1"), said("assistant")}, "aa."},
		{"SW4RM: calls that are not", []string{said("user"), said("assistant"), tool("1"), tool("2"), said("assistant"), tool("3"), said("user"), tool("4")}, ".aaabb.."},
		{"SW4RM: results without an id", []string{said("assistant"), `{"role":"tool","content":"x"}`, `{"role":"Tool","content":"y"}`}, "aaa"},
		{"Chat, as first published: a call and its result", []string{said("user"), legacy, said("function"), said("assistant")}, ".aa."},
		{"Chat, as first published: one after the other", []string{legacy, said("function"), legacy, said("function"), said("function")}, "aabbb"},
		{"Chat, as first published: talk between", []string{legacy, said("user"), said("function"), said("function")}, "a.a."},
		{"the Agents SDK: an approval and its call", []string{call("1"), call("2"), approval("1"), `{"type":"tool_approval_item","raw_item":{"call_id":"2"}}`, output("2"), output("1")}, "ababba"},
		{"the Agents SDK: an approval before its call", []string{approval("1"), said("user"), call("1"), output("1")}, "a.aa"},
		{"the Agents SDK: an approval of nothing", []string{approval("1"), approval(""), call(""), said("user")}, "...."},
		{"the Agents SDK: run items", []string{run("reasoning_item", item("reasoning")), run("tool_call_item", call("1")), output("1"), run("message_output_item", said("assistant")), call("2"), run("tool_call_output_item", output("2"))}, "aaa.bb"},
		{"what a conversion carries is no approval", []string{call("1"), `{"type":"tool_approval_item","name":"handoff.carried","call_id":"1"}`}, ".."},
		{"a result of nothing", []string{output("1"), output(""), tool("1"), said("user")}, "...."},
		{"calls without an id", []string{call(""), output(""), chat("")}, "aa."},
		{"Gemini", []string{gemini("user", `"text":"q"`), gemini("model", calls("f"), calls("g")), gemini("user", responds("g"), responds("f")), gemini("model", `"text":"a"`)}, ".aa."},
		{"Gemini: one call after the other", []string{gemini("model", calls("f")), gemini("user", responds("f")), gemini("model", calls("f")), gemini("function", responds("f"))}, "aabb"},
		{"Gemini: calls of two turns", []string{gemini("model", calls("f")), gemini("model", calls("g")), gemini("user", responds("f")), gemini("user", responds("g"))}, "abab"},
		{"Gemini: a call without a result", []string{gemini("model", calls("f")), gemini("user", `"text":"q"`), gemini("model", calls("f")), gemini("user", responds("f"))}, "..aa"},
		{"Gemini: a result of another name", []string{gemini("model", calls("f")), gemini("tool", responds("g")), gemini("user", responds("f"))}, "aa."},
		{"ADK", []string{adk("a", gemini("model", calls("f"))), adk("user", gemini("user", responds("f"))), adk("a", gemini("model", `"text":"a"`))}, "aa."},
		{"the AI SDK", []string{parts("assistant", `{"type":"tool-call","toolCallId":"1","toolName":"f","input":{}}`), parts("tool", `{"type":"tool-result","toolCallId":"1","toolName":"f","output":{}}`), said("assistant")}, "aa."},
		{"the AI SDK: an approval", []string{parts("assistant", `{"type":"tool-call","toolCallId":"1","toolName":"f","input":{}}`, `{"type":"tool-approval-request","approvalId":"x","toolCallId":"1"}`),
			parts("tool", `{"type":"tool-approval-response","approvalId":"x","approved":true}`), parts("tool", `{"type":"tool-result","toolCallId":"1","toolName":"f","output":{}}`)}, "aaa"},
		{"the AI SDK: calls that are their results", []string{`{"id":"m","role":"assistant","parts":[{"type":"tool-f","toolCallId":"1","state":"output-available","input":{},"output":1}]}`, said("user")}, ".."},
		{"LangChain", []string{`{"type":"ai","content":"","tool_calls":[{"id":"1","name":"f","args":{}}]}`, `{"type":"tool","content":"r","tool_call_id":"1"}`, `{"type":"ai","content":"a"}`}, "aa."},
		{"LangChain, stored", []string{`{"type":"ai","data":{"content":"","tool_calls":[{"id":"1","name":"f","args":{}}]}}`, `{"type":"tool","data":{"content":"r","tool_call_id":"1"}}`, `{"type":"human","data":{"content":"q"}}`}, "aa."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turns := turnsOf(t, strings.Join(tt.turns, ","))
			if diff := cmp.Diff(tt.want, letters(Units(turns))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// letters writes units with a letter for each, and a dot for a turn on its own.
func letters(units []int) string {
	size := map[int]int{}
	for _, u := range units {
		size[u]++
	}
	letter := map[int]byte{}
	var text []byte
	for _, u := range units {
		if size[u] == 1 {
			text = append(text, '.')
			continue
		}
		if letter[u] == 0 {
			letter[u] = byte('a' + len(letter))
		}
		text = append(text, letter[u])
	}
	return string(text)
}

// BenchmarkUnits measures hostile histories: 100,000 calls with one id or without answers must not take
// longer than others.
func BenchmarkUnits(b *testing.B) {
	for _, tt := range []struct{ name, form string }{
		{"one id", `{"role":"assistant","tool_calls":[{"id":"call_0"}]},{"role":"tool","tool_call_id":"call_0"}`},
		{"own ids", `{"role":"assistant","tool_calls":[{"id":"%[1]d"}]},{"role":"tool","tool_call_id":"%[1]d"}`},
		{"results first", `{"role":"tool","tool_call_id":"%[1]d"},{"role":"assistant","tool_calls":[{"id":"%[1]d"}]}`},
		{"reasoning without end", `{"type":"reasoning"},{"type":"reasoning"}`},
		{"tools without end", `{"role":"tool"},{"role":"tool"}`},
		{"no ids", `{"role":"model","parts":[{"functionCall":{"name":"f%[1]d"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f%[1]d"}}]}`},
	} {
		var turns []string
		for i := range 50_000 {
			form := tt.form
			if strings.Contains(form, "%") {
				form = fmt.Sprintf(form, i)
			}
			turns = append(turns, form)
		}
		all := turnsOf(b, `{"role":"assistant"},`+strings.Join(turns, ","))
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				Units(all)
			}
		})
	}
}
