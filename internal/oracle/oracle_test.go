package oracle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
)

// Histories are equivalent in all formats: a question, a call and its result. The named check
// rejects the bad ones, with an error that contains the text.
var oracles = []struct {
	name    string // with its options
	good    string
	bad     string
	check   string
	refused string
	made    string // part of the answer to the good one
}{
	{
		name: "ai-model",
		good: `[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}]},
			{"role": "tool", "content": [{"type": "tool-result", "toolCallId": "a", "toolName": "f", "output": {"type": "text", "value": "r"}}]}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}]}, {"role": "user", "content": "on"}]`,
		check: "generate", refused: "AI_MissingToolResultsError: Tool result is missing for tool call a.",
		made: `"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},`,
	},
	{
		name:  "ai-model",
		good:  `[{"role": "user", "content": [{"type": "file", "mediaType": "image/png", "data": "https://example.com/a.png"}]}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "tool", "content": "r"}]`,
		check: "schema", refused: "ZodError: 1.",
	},
	{
		name: "ai-ui",
		good: `[{"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
			{"id": "2", "role": "assistant", "parts": [{"type": "tool-f", "toolCallId": "a", "state": "output-available", "input": {}, "output": "r"}]}]`,
		bad: `[{"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
			{"id": "2", "role": "assistant", "parts": [{"type": "tool-invocation", "toolInvocation": {"state": "result", "toolCallId": "a", "toolName": "f", "args": {}, "result": "r"}}]}]`,
		check: "validate", refused: "AI_TypeValidationError: 1.parts.0.state: Invalid discriminator value",
		made: `"toolCallId":"a"`,
	},
	{
		name:  "ai-request bedrock",
		good:  `[{"role": "user", "content": "q"}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "system", "content": "s"}, {"role": "user", "content": "q"}, {"role": "system", "content": "s"}]`,
		check: "request", refused: "AI_UnsupportedFunctionalityError: 'Multiple system messages that are separated by user/assistant messages' functionality not supported.",
		made: `"request":{"system":[],"messages":[{"role":"user","content":[{"text":"q"}]}]`,
	},
	{
		name:  "ai-request anthropic",
		good:  `[{"role": "user", "content": "q"}, {"role": "user", "content": "q"}]`,
		bad:   `[{"role": "user", "content": [{"type": "file", "mediaType": "video/mp4", "data": "AAAA"}]}]`,
		check: "request", refused: "AI_UnsupportedFunctionalityError: 'media type: video/mp4' functionality not supported.",
		made: `"messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":"q"}]}]`,
	},
	{
		name:  "ai-request google",
		good:  `[{"role": "user", "content": "q"}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "system", "content": "s"}]`,
		check: "request", refused: "system messages are only supported at the beginning of the conversation",
		made: `"contents":[{"role":"user","parts":[{"text":"q"}]}]`,
	},
	{
		name:  "ai-request openai",
		good:  `[{"role": "user", "content": "q"}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}]}]`,
		check: "request", refused: "AI_MissingToolResultsError",
		made: `"input":[{"role":"user","content":[{"type":"input_text","text":"q"}]}]`,
	},
	{
		name:  "ai-request openai-chat",
		good:  `[{"role": "user", "content": "q"}]`,
		bad:   `[{"role": "user", "content": [{"type": "file", "mediaType": "application/zip", "data": "AAAA"}]}]`,
		check: "request", refused: "AI_UnsupportedFunctionalityError: 'file part media type application/zip' functionality not supported.",
		made: `"messages":[{"role":"user","content":"q"}]`,
	},
	{
		name: "langchain", // OpenAI's
		good: `[{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
			{"role": "tool", "tool_call_id": "a", "content": "r"}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "tool", "content": "r"}]`,
		check: "read", refused: "Error: Unable to coerce message from array",
		made: `"tool_calls":[{"id":"a","args":{},"name":"f","type":"tool_call"}]`,
	},
	{
		name:  "langchain", // stored
		good:  `[{"type": "human", "data": {"content": "q"}}]`,
		bad:   `[{"type": "human", "data": {"content": "q"}}, {"type": "tool", "data": {"content": "r"}}]`,
		check: "read", refused: "Error: Tool call ID must be defined for tool messages",
		made: `"anthropic":{"model":"claude-sonnet-4-5","stream":false,"max_tokens":`,
	},
	{
		name:  "langchain", // constructors
		good:  `[{"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "HumanMessage"], "kwargs": {"content": "q"}}]`,
		bad:   `[{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "q"}}]`,
		check: "read", refused: "Error: Invalid namespace: $ -> ",
		made: `"messages":[{"type":"human","data":{"content":"q",`,
	},
	{
		name:  "langchain",
		good:  `[{"type": "human", "data": {"content": "q"}}, {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "a", "name": "f", "args": {}}]}}]`,
		bad:   `[{"type": "human", "data": {"content": "q"}}, {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "f", "args": {}}]}}]`,
		check: "anthropic", refused: `Error: Anthropic requires all tool calls to have an "id".`,
	},
	{
		name: "openai-chat",
		good: `[{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
			{"role": "tool", "tool_call_id": "a", "content": "r"}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "tool", "content": "r"}]`,
		check: "types", refused: "TypeMismatch: Property 'tool_call_id' is missing",
	},
	{
		name: "openai-responses",
		good: `[{"role": "user", "content": "q"}, {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
			{"type": "function_call_output", "call_id": "a", "output": "r"}]`,
		bad:   `[{"role": "user", "content": "q"}, {"type": "function_call", "id": "a", "name": "f", "arguments": "{}"}]`,
		check: "types", refused: "TypeMismatch: ",
	},
	{
		name: "openai-agents",
		good: `[{"role": "user", "content": "q"}, {"type": "function_call", "callId": "a", "name": "f", "arguments": "{}"},
			{"type": "function_call_result", "callId": "a", "name": "f", "status": "completed", "output": "r"}]`,
		bad:   `[{"role": "user", "content": "q"}, {"type": "function_call_output", "call_id": "a", "output": "r"}]`,
		check: "state", refused: "ZodError: originalInput",
		made: `"responses":{"model":"gpt-5","input":[{"role":"user","content":"q"},{"type":"function_call","name":"f","call_id":"a","arguments":"{}"},`,
	},
	{
		name: "anthropic",
		good: `[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "r"}]}]`,
		bad:   `[{"role": "user", "content": "q"}, {"role": "tool", "content": "r"}]`,
		check: "types", refused: `TypeMismatch: Type '"tool"' is not assignable to type '"system" | "user" | "assistant"'.`,
	},
	{
		name: "bedrock-converse",
		good: `[{"role": "user", "content": [{"text": "q"}, {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}]},
			{"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]},
			{"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "r"}]}}]}]`,
		bad:   `[{"role": "user", "content": "q"}]`,
		check: "types", refused: "TypeMismatch: Type 'string' is not assignable to type 'ContentBlock[]'.",
		made: `"request":{"messages":[{"role":"user","content":[{"text":"q"},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}}]},`,
	},
	{
		name: "gemini",
		good: `[{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": "r"}}}]}]`,
		bad:   `[{"role": "user", "parts": [{"text": "q"}]}, {"role": "assistant", "parts": [{"text": "a"}]}]`,
		check: "chat", refused: "Error: Role must be user or model, but got assistant.",
		made: `"curated":[{"role":"user","parts":[{"text":"q"}]},`,
	},
	{
		name: "adk",
		good: `[{"author": "user", "content": {"role": "user", "parts": [{"text": "q"}]}}, {"author": "a", "content": {"role": "model", "parts": [{"function_call": {"id": "1", "name": "f", "args": {}}}]}},
			{"author": "a", "content": {"role": "user", "parts": [{"function_response": {"id": "1", "name": "f", "response": {}}}]}}]`,
		bad: `[{"author": "user", "content": {"role": "user", "parts": [{"text": "q"}]}},
			{"author": "a", "content": {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "f", "response": {}}}]}}]`,
		check: "contents", refused: "Error: No function call event found for function responses ids: 1",
		made: `"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}}}]},`,
	},
	{
		name:  "a2a", // 1.0
		good:  `{"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "q"}]}`,
		bad:   `{"role": "ROLE_USER", "parts": [{"text": "q"}]}`,
		check: "send", refused: "JSON-RPC -32602: message.messageId is required.",
		made: `"message":{"messageId":"1",`,
	},
	{
		name:  "a2a", // 0.3
		good:  `{"kind": "message", "messageId": "1", "role": "user", "parts": [{"kind": "text", "text": "q"}]}`,
		bad:   `{"kind": "message", "messageId": "1", "role": "user", "parts": [{"kind": "txt", "text": "q"}]}`,
		check: "send", refused: "JSON-RPC -32602: Invalid v0.3 part kind: txt",
		made: `"role":"ROLE_USER","parts":[{"text":"q"}]`,
	},
	{
		name:  "a2a",
		good:  `{"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}, "history": [{"messageId": "1", "role": "user", "parts": [{"text": "q"}]}]}`,
		bad:   `{"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}, "history": [{"messageId": "1", "role": "ROLE_USER", "parts": [{}]}]}`,
		check: "get", refused: "JSON-RPC -32602: Invalid v1.0 part: missing content",
		made: `"role":"UNRECOGNIZED"`,
	},
	{
		name: "claude-code",
		good: `[{"type": "user", "uuid": "1", "parentUuid": null, "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": "q"}},
			{"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "timestamp": "2026-01-01T00:00:01Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "a"}]}}]`,
		bad:   `[{"type": "user", "message": {"role": "user", "content": "q"}}]`,
		check: "messages", refused: "Error: getSessionMessages: no messages are found",
		made: `"count":2,"uuids":["1","2"]`,
	},
	{
		name:  "codex",
		good:  `[{"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}}]`,
		bad:   `[{"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": "function_call", "name": "f", "call_id": "a"}}]`,
		check: "schema", refused: "Error: line 1: /payload",
	},
}

func TestOracles(t *testing.T) {
	program := oracle.New(t)
	for _, tt := range oracles {
		t.Run(tt.name, func(t *testing.T) {
			if tt.check == "types" && !tier.Full() {
				t.Skipf("TestTypes of pkg/validate asks about types: set %s=1", tier.Variable)
			}
			words := strings.Fields(tt.name)
			o := program.StartSample(t, words[0], words[1:]...)
			answers := o.Ask([]byte(tt.good), []byte(tt.bad), []byte("nothing"), []byte(tt.good))
			good, bad, nothing, again := answers[0], answers[1], answers[2], answers[3]
			for _, good := range []oracle.Answer{good, again} {
				if !good.OK || good.Error != "" || !strings.Contains(string(good.Raw), tt.made) {
					t.Errorf("the good one is answered %s, want %s", good.Raw, tt.made)
				}
			}
			if bad.OK || bad.Error == "" || !strings.Contains(bad.Checks[tt.check], tt.refused) {
				t.Errorf("the bad one is answered %s, want %s: %s", bad.Raw, tt.check, tt.refused)
			}
			if nothing.OK || !strings.HasPrefix(nothing.Checks["read"], "SyntaxError: ") {
				t.Errorf("what is not JSON is answered %s", nothing.Raw)
			}
		})
	}
}

// TestMany sends and receives more than pipes hold, and checks the order.
func TestMany(t *testing.T) {
	o := oracle.Start(t, "ai-model")
	docs := make([][]byte, 100)
	for i := range docs {
		role := "user"
		if i%7 == 0 {
			role = "nobody"
		}
		docs[i] = fmt.Appendf(nil, "[{\n\"role\": %q, \"content\": %q}]", role, strings.Repeat("text ", 2000))
	}
	for i, answer := range o.Ask(docs...) {
		if answer.OK != (i%7 != 0) {
			t.Fatalf("document %d is answered %s", i, answer.Raw)
		}
	}
}

// TestSwarm checks that the result of a call next to a handoff is lost, and that the conversation goes on
// with the repaired messages.
func TestSwarm(t *testing.T) {
	dir := oracle.Install(t)
	var files []string
	for i, broken := range swarm(t, dir, "run") {
		if text := string(broken.Request); !strings.Contains(text, `"id":"call_lookup"`) || strings.Contains(text, `"tool_call_id":"call_lookup"`) ||
			!strings.Contains(text, `"tool_call_id":"call_transfer"`) {
			t.Errorf("the second agent's model is sent %s", text)
		}
		files = append(files, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		if err := os.WriteFile(files[i], broken.Messages, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, resumed := range swarm(t, dir, "resume", strings.Join(files, ",")) {
		if text := string(resumed.Messages); !resumed.OK || !strings.Contains(text, "Bob here.") || !strings.Contains(text, "on its way") {
			t.Errorf("the resumed run says %t, %s", resumed.OK, text)
		}
	}
}

type run struct {
	OK       bool           `json:"ok"`
	Messages jsontext.Value `json:"messages"`
	Request  jsontext.Value `json:"request"`
}

// swarm returns the output of swarm.mjs for each form of messages.
func swarm(t *testing.T, dir string, args ...string) (runs []run) {
	t.Helper()
	var stdout, stderr strings.Builder
	args = append([]string{"node", filepath.Join(dir, "swarm.mjs"), "--as", "stored,constructor,openai"}, args...)
	node, err := child.StartAgent(t.Context(), args, &stdout, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	if _, how := node.Wait(); how != "" {
		t.Fatalf("swarm.mjs: %s\n%s", how, stderr.String())
	}
	for text := range strings.Lines(stdout.String()) {
		var r run
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		runs = append(runs, r)
	}
	if len(runs) != 3 {
		t.Fatalf("%d forms are answered: %s", len(runs), stdout.String())
	}
	return runs
}

func TestMain(m *testing.M) { os.Exit(tier.Run(m)) }
