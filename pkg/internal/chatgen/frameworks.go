package chatgen

import (
	"fmt"
	"strings"
)

// pydanticMessages writes messages of Pydantic AI: rounds of a prompt, a call with its result, and a text.
func pydanticMessages(g *gen, _ scene) string {
	var messages []string
	for i := range 1 + g.IntN(4) {
		hosted := pick(g, "", "", fmt.Sprintf(`{"part_kind":"builtin-tool-call","tool_name":"web_search","args":{"query":"n %[1]d"},"tool_call_id":"b%[1]d","provider_name":"openai"},`+
			`{"part_kind":"builtin-tool-return","tool_name":"web_search","content":{"status":"completed"},"tool_call_id":"b%[1]d","provider_name":"openai"},`, i),
			`{"part_kind":"thinking","content":"hm","id":"rs_1","signature":"Eq","provider_name":"anthropic"},`)
		answer := pick(g, fmt.Sprintf(`{"part_kind":"tool-return","tool_name":"find","content":{"found":%d},"tool_call_id":"c%d"}`, g.IntN(9), i),
			fmt.Sprintf(`{"part_kind":"tool-return","tool_name":"find","content":"no","tool_call_id":"c%d","outcome":"denied"}`, i),
			fmt.Sprintf(`{"part_kind":"retry-prompt","tool_name":"find","content":"n is too large","tool_call_id":"c%d"}`, i))
		messages = append(messages,
			fmt.Sprintf(`{"kind":"request","parts":[{"part_kind":"user-prompt","content":"question %d"}],"run_id":"r%d"}`, g.IntN(9), i),
			fmt.Sprintf(`{"kind":"response","parts":[%s{"part_kind":"text","content":"I look %d."},{"part_kind":"tool-call","tool_name":"find","args":{"n":%d},"tool_call_id":"c%d"}]}`, hosted, g.IntN(9), g.IntN(99), i),
			fmt.Sprintf(`{"kind":"request","parts":[%s]}`, answer))
	}
	return "[" + strings.Join(messages, ",") + "]"
}

// agentMessages writes messages of Agent Framework in the same rounds.
func agentMessages(g *gen, _ scene) string {
	var messages []string
	for i := range 1 + g.IntN(4) {
		hosted := pick(g, "", "", fmt.Sprintf(`{"type":"code_interpreter_tool_call","call_id":"b%[1]d","inputs":[{"type":"text","text":"1+1"}]},{"type":"code_interpreter_tool_result","call_id":"b%[1]d","outputs":[{"type":"text","text":"2"}]},`, i),
			fmt.Sprintf(`{"type":"mcp_server_tool_call","call_id":"b%[1]d","tool_name":"lookup","server_name":"s","arguments":{}},{"type":"mcp_server_tool_result","call_id":"b%[1]d","output":[{"type":"text","text":"2"}]},`, i),
			`{"type":"text_reasoning","text":"hm"},`)
		messages = append(messages,
			fmt.Sprintf(`{"role":"user","contents":[{"type":"text","text":"question %d"}],"message_id":"m%d"}`, g.IntN(9), i),
			fmt.Sprintf(`{"role":"assistant","author_name":"clerk","contents":[%s{"type":"text","text":"I look %d."},{"type":"function_call","call_id":"c%d","name":"find","arguments":"{\"n\":%d}"}]}`, hosted, g.IntN(9), i, g.IntN(99)),
			fmt.Sprintf(`{"role":"tool","contents":[{"type":"function_result","call_id":"c%d","result":{"found":%d}}]}`, i, g.IntN(9)))
	}
	return "[" + strings.Join(messages, ",") + "]"
}
