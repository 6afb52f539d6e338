package chatgen

import (
	"fmt"
	"strings"
)

// pydanticMessages writes messages of Pydantic AI: rounds of a prompt, a call with its result, and a text.
func pydanticMessages(g *gen, _ scene) string {
	var messages []string
	for i := range 1 + g.IntN(4) {
		messages = append(messages,
			fmt.Sprintf(`{"kind":"request","parts":[{"part_kind":"user-prompt","content":"question %d"}],"run_id":"r%d"}`, g.IntN(9), i),
			fmt.Sprintf(`{"kind":"response","parts":[{"part_kind":"text","content":"I look %d."},{"part_kind":"tool-call","tool_name":"find","args":{"n":%d},"tool_call_id":"c%d"}]}`, g.IntN(9), g.IntN(99), i),
			fmt.Sprintf(`{"kind":"request","parts":[{"part_kind":"tool-return","tool_name":"find","content":{"found":%d},"tool_call_id":"c%d"}]}`, g.IntN(9), i))
	}
	return "[" + strings.Join(messages, ",") + "]"
}

// agentMessages writes messages of Agent Framework in the same rounds.
func agentMessages(g *gen, _ scene) string {
	var messages []string
	for i := range 1 + g.IntN(4) {
		messages = append(messages,
			fmt.Sprintf(`{"role":"user","contents":[{"type":"text","text":"question %d"}],"message_id":"m%d"}`, g.IntN(9), i),
			fmt.Sprintf(`{"role":"assistant","author_name":"clerk","contents":[{"type":"text","text":"I look %d."},{"type":"function_call","call_id":"c%d","name":"find","arguments":"{\"n\":%d}"}]}`, g.IntN(9), i, g.IntN(99)),
			fmt.Sprintf(`{"role":"tool","contents":[{"type":"function_result","call_id":"c%d","result":{"found":%d}}]}`, i, g.IntN(9)))
	}
	return "[" + strings.Join(messages, ",") + "]"
}
