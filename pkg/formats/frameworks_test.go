package formats_test

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/formats"
)

// The messages of other frameworks are recognised by name, in each form in which they are stored, and
// never taken for a format with the same roles.
func TestFrameworks(t *testing.T) {
	const (
		mastra    = `{"id":"1","role":"user","createdAt":"2026-05-02","content":{"format":2,"parts":[{"type":"text","text":"Hi"}]}}`
		mcp       = `{"role":"user","content":{"type":"text","text":"Hi"}}`
		kernel    = `{"content_type":"message","role":"user","items":[{"content_type":"text","text":"Hi"}]}`
		geminiCLI = `{"id":"1","timestamp":"2026-05-02","type":"gemini","content":"Hi"}`
		copilot   = `{"type":"user.message","data":{"content":"Hi"},"id":"2","timestamp":"2026-05-02","parentId":"1"}`
	)
	for _, tt := range []struct{ in, want string }{
		{`{"type":"SelectorManagerState","version":"1.0.0","message_thread":[]}`, "AutoGen"},
		{`{"type":"AssistantAgentState","version":"1.0.0","llm_context":{"messages":[]}}`, "AutoGen"},
		{`{"type":"TeamState","version":"1.0.0","agent_states":{}}`, "AutoGen"},
		{`{"messages":[{"source":"user","content":"Hi","type":"TextMessage"}],"stop_reason":null}`, "AutoGen"},
		{`[{"content":"Hi","source":"user","type":"UserMessage"}]`, "AutoGen"},
		{`{"messages":[` + kernel + `]}`, "Semantic Kernel"},
		{`[` + kernel + `]`, "Semantic Kernel"},
		{`[{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"Hi"}]}]`, "Semantic Kernel"},
		{`[` + mastra + `]`, "Mastra"},
		{`{"messages":[` + mastra + `],"uiMessages":[]}`, "Mastra"},
		{`[{"id":"1","role":"user","content":"Hi","type":"text","threadId":"t","resourceId":"r"}]`, "Mastra"},
		{`[{"role":"user","content":"Hi"},{"role":"assistant","content":"","toolInvocations":[{"state":"call","toolCallId":"c","toolName":"t","args":{}}]}]`, "AI SDK 4"},
		{`{"messages":[{"id":"1","role":"user","content":"Hi","experimental_attachments":[{"url":"https://example.org/a.png"}]}]}`, "AI SDK 4"},
		{`[{"id":"1","role":"assistant","content":"","parts":[{"type":"step-start"},{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c","toolName":"t","args":{},"result":1}}]}]`, "AI SDK 4"},
		{`[{"id":"1","role":"assistant","content":"","parts":[{"type":"reasoning","reasoning":"Hm","details":[{"type":"text","text":"Hm"}]}]}]`, "AI SDK 4"},
		{`[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"t","args":{}}]}]`, "AI SDK 4"},
		{`[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"t","result":1}]}]`, "AI SDK 4"},
		{`[{"role":"assistant","content":[{"type":"redacted-reasoning","data":"cg=="}]}]`, "AI SDK 4"},
		{`[{"role":"user","content":[{"type":"file","data":"cg==","mimeType":"text/plain"}]}]`, "AI SDK 4"},
		{`{"raw":"Done.","tasks_output":[],"token_usage":{}}`, "CrewAI"},
		{`{"$schemaVersion":"1.22","currentTurn":1,"originalInput":"Ship it.","generatedItems":[]}`, "RunState"},
		{`{"session_id":"s","messages":[{"message":{"role":"user","content":[{"text":"Hi"}]},"message_id":0}]}`, "Strands"},
		{`{"message":{"role":"user","content":[{"text":"Hi"}]},"message_id":0}`, "Strands"},
		{`[` + mcp + `]`, "Model Context Protocol"},
		{`{"description":"Review","messages":[` + mcp + `]}`, "Model Context Protocol"},
		{`{"jsonrpc":"2.0","id":1,"result":{"messages":[` + mcp + `]}}`, "Model Context Protocol"},
		{`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[]}}`, "Model Context Protocol"},
		{`{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"maxTokens":100}`, "Model Context Protocol"},
		{`{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"m"}`, "Model Context Protocol"},
		{`{"sessionId":"s","projectHash":"h","kind":"main"}`, "Gemini CLI"},
		{geminiCLI, "Gemini CLI"},
		{copilot, "Copilot CLI"},
		{`{"service_thread_id":null,"chat_message_store_state":{"messages":[]}}`, "Agent Framework"},
		{`{"type":"session","session_id":"s","state":{"in_memory":{"messages":[]}}}`, "Agent Framework"},
		{`[{"role":"user","blocks":[{"block_type":"text","text":"Hi"}],"additional_kwargs":{}}]`, "LlamaIndex"},
		{`[{"role":"user","meta":{},"name":null,"content":[{"text":"Hi"}]}]`, "Haystack"},
	} {
		root := parse(t, []byte(tt.in)).Root()
		if f, ok := formats.Detect(root); ok {
			t.Errorf("%s: detected as %s", tt.in, f)
		}
		if s, ok := formats.StrangerOf(root); !ok || !s.Message || !strings.Contains(s.Is, tt.want) {
			t.Errorf("%s: found %q, want %s", tt.in, s.Is, tt.want)
		}
	}
}

// No message of a format is taken for a message of a framework.
func TestNoFramework(t *testing.T) {
	for _, in := range []string{
		`{"sessionId":"s","projectHash":"h","messages":[{"id":"1","timestamp":"2026-05-02","type":"gemini","content":"Hi"}]}`,
		`[{"id":"1","timestamp":"2026-05-02","type":"user","content":"Hi"}]`,
		`[{"role":"user","content":"Hi"}]`,
		`[{"role":"user","content":[{"text":"Hi"}]}]`,
		`{"messages":[{"type":"human","content":"Hi"}]}`,
		`[{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}],"metadata":{"threadId":"t","resourceId":"r"}}]`,
		`[{"role":"user","parts":[{"text":"Hi"}]}]`,
		`[{"id":"1","role":"user","content":"Hi","parts":[{"type":"text","text":"Hi"}]}]`, // of AI SDK 4, which later versions take
		`[{"id":"1","role":"assistant","content":"Hi","toolInvocations":[]}]`,
		`[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"t","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"t","result":1}]}]`, // broken
		`[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Hi"}]}]`,
		`{"messages":[{"kind":"response","parts":[{"part_kind":"text","content":"Hi"}]}],"usage":{}}`,
		`[{"role":{"type":"role","value":"user"},"contents":[{"type":"text","text":"Hi"}]}]`,
		`{"type":"agent_response","messages":[{"role":"user","contents":[{"$type":"text","text":"Hi"}]}]}`,
		`{"messages":[{"role":"user","content":"Hi"}],"max_tokens":100,"raw":"x"}`,
	} {
		root := parse(t, []byte(in)).Root()
		if _, ok := formats.Detect(root); !ok {
			t.Errorf("%s: %q", in, func() string { s, _ := formats.StrangerOf(root); return s.Is }())
		}
	}
}
