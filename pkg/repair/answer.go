package repair

import (
	"cmp"
	"fmt"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A form is the form of results for a call: turns of their own, or parts of a turn.
type form struct {
	list string // the member with the parts of a turn; "" for turns of their own
	role string // of that turn
	by   string // the member with the role; "" for role
}

// pydanticResults is the form of results in messages of Pydantic AI.
var pydanticResults = form{list: "parts", role: "request", by: "kind"}

// resultOf returns a result with a text, in the form of the call: a turn, or a part and the form of its
// turn. It returns nil if a text cannot answer the call, such as a request for a screenshot.
func (r *repairer) resultOf(turn jsonstream.Value, call conversation.Part, text string) (answer []byte, parts *form) {
	v, id := call.Value, call.ID.Text()
	switch kind := v.Get("type").Text(); {
	case v.Parent().Name() == "toolRequests": // the Copilot CLI
		at, id := turn.Get("timestamp").Text(), format.MadeID(call.ID.Text())
		return format.Fill(`{"type":"tool.execution_complete","data":{"toolCallId":%,"success":false,"error":{"message":%}},"id":%,"timestamp":%,"parentId":%}`, call.ID.Text(), text, id, at, turn.Get("id").Text()), nil
	case v.Parent().Name() == "contents" && v.Get("$type").Exists(): // Agent Framework, whose approvals have a functionCall, too
		return format.Fill(`{"$type":"functionResult","callId":%,"result":%}`, id, text), &form{list: "contents", role: "tool"}
	case v.Parent().Name() == "contents":
		return format.Fill(`{"type":"function_result","call_id":%,"result":%,"exception":%}`, id, text, text), &form{list: "contents", role: "tool"}
	case v.Get("functionCall").Exists(), v.Get("function_call").Exists():
		return geminiResult(call, text), &form{list: "parts", role: "user"}
	case v.Get("toolUse").Exists():
		return format.Fill(`{"toolResult":{"toolUseId":%,"content":[{"text":%}],"status":"error"}}`, id, text), &form{list: "content", role: "user"}
	case v.Get("part_kind").Exists(): // Pydantic AI
		return format.Fill(`{"tool_name":%,"content":%,"tool_call_id":%,"outcome":"failed","part_kind":"tool-return"}`, call.Tool(), text, id), &pydanticResults
	case kind == "tool-call":
		return format.Fill(`{"type":"tool-result","toolCallId":%,"toolName":%,"output":{"type":"error-text","value":%}}`, id, call.Tool(), text), &form{list: "content", role: "tool"}
	case kind == "tool_use" && !isLangChain(turn) && conversation.Item(turn).Get("role").Exists():
		return format.Fill(`{"type":"tool_result","tool_use_id":%,"content":%,"is_error":true}`, id, text), &form{list: "content", role: "user"}
	case isLangChain(turn):
		return langChainResult(turn, id, call.Tool(), text), nil
	case kind == "shell_call" && call.ID.Name() == "callId": // OpenAI's Agents SDK for JavaScript
		return format.Fill(`{"type":"shell_call_output","callId":%,"output":[{"stdout":"","stderr":%,"outcome":{"type":"exit","exitCode":1}}]}`, id, text), nil
	case kind == "shell_call":
		return format.Fill(`{"type":"shell_call_output","call_id":%,"output":[{"stdout":"","stderr":%,"outcome":{"type":"exit","exit_code":1}}]}`, id, text), nil
	case kind == "apply_patch_call":
		return format.Fill(`{"type":"apply_patch_call_output","`+call.ID.Name()+`":%,"status":"failed","output":%}`, id, text), nil
	case kind == "custom_tool_call":
		return format.Fill(`{"type":"custom_tool_call_output","call_id":%,"output":%}`, id, text), nil
	case kind == "function_call" && call.ID.Name() == "call_id", kind == "local_shell_call" && r.isLines(): // Codex has no other result
		return format.Fill(`{"type":"function_call_output","call_id":%,"output":%}`, id, text), nil
	case kind == "function_call" && call.ID.Name() == "callId":
		return format.Fill(`{"type":"function_call_result","callId":%,"name":%,"status":"completed","output":{"type":"text","text":%}}`, id, call.Tool(), text), nil
	case kind == "local_shell_call":
		return format.Fill(`{"type":"local_shell_call_output","id":%,"call_id":%,"output":%}`, id, id, text), nil
	case v.Parent().Name() == "tool_calls":
		return format.Fill(`{"role":"tool","tool_call_id":%,"content":%}`, id, text), nil
	case v.Name() == "function_call":
		return format.Fill(`{"role":"function","name":%,"content":%}`, call.Tool(), text), nil
	}
	return nil, nil
}

func geminiResult(call conversation.Part, text string) []byte {
	member := "functionResponse"
	if call.Value.Get("function_call").Exists() {
		member = "function_response"
	}
	if id := call.ID.Text(); id != "" {
		return format.Fill(`{"`+member+`":{"id":%,"name":%,"response":{"error":%}}}`, id, call.Tool(), text)
	}
	return format.Fill(`{"`+member+`":{"name":%,"response":{"error":%}}}`, call.Tool(), text)
}

// isLangChain reports whether a turn is serialised by LangChain.
func isLangChain(turn jsonstream.Value) bool {
	return turn.Get("lc").Exists() || !turn.Get("role").Exists() && turn.Get("type").Text() == "ai"
}

func langChainResult(turn jsonstream.Value, id, tool, text string) []byte {
	switch {
	case turn.Get("lc").Exists():
		modules := `"langchain","schema","messages"`
		if turn.At("/id/0").Text() == "langchain_core" {
			modules = `"langchain_core","messages"`
		}
		return format.Fill(`{"lc":1,"type":"constructor","id":[`+modules+`,"ToolMessage"],"kwargs":{"content":%,"tool_call_id":%,"name":%,"status":"error"}}`, text, id, tool)
	case turn.Get("data").Exists():
		return format.Fill(`{"type":"tool","data":{"content":%,"tool_call_id":%,"name":%,"status":"error"}}`, text, id, tool)
	default:
		return format.Fill(`{"type":"tool","content":%,"tool_call_id":%,"name":%,"status":"error"}`, text, id, tool)
	}
}

// turnOf returns a turn with a part.
func (f *form) turnOf(part []byte) []byte {
	text := format.Fill(`{"`+cmp.Or(f.by, "role")+`":%,"`+f.list+`":[`, f.role)
	return append(append(text, part...), `]}`...)
}

// around returns a turn in the same wrapper as another one, such as a line or an event.
func (r *repairer) around(like jsonstream.Value, turn []byte) []byte {
	if conversation.Item(like) == like || isLangChain(like) || parse(turn).Get("parentId").Exists() { // an event of the Copilot CLI
		return turn
	}
	outer := parse(r.layout.Speak(like, "user", string(turn)))
	d := jsonstream.NewDraft(outer)
	if err := d.Set(conversation.Item(outer).Pointer(), turn); err != nil {
		panic(fmt.Sprintf("repair: %v", err)) // the place exists in it
	}
	return d.Bytes()
}
