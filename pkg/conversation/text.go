package conversation

import (
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Failed is the text of a failed tool result for an API that requires one.
const Failed = "[the tool failed]"

// Name returns the name of a turn's author, in addition to its role: a speaker or a tool; "" if there is
// none.
func (t Turn) Name() string { return t.Item().Get("name").Text() }

// Text returns the content of a turn as text: the texts of its parts, the names and arguments of its calls,
// and the results, one per line. It omits content without text (an image), and has parts of unknown kinds
// as JSON.
func (t Turn) Text() string {
	var s speech
	if t.Value.Kind() == jsonstream.String {
		return t.Value.Text()
	}
	item := t.Item()
	s.item(item)
	for p := range ToolEvents(item) {
		switch of := p.Value.Parent(); {
		case of.Name() == "tool_calls": // OpenAI Chat, LangChain
			if function := p.Value.Get("function"); function.Exists() {
				s.call(function)
			} else {
				s.call(p.Value)
			}
		case p.Value.Name() == "function_call":
			s.call(p.Value)
		case of.Name() == "toolCalls", of.Name() == "toolRequests": // the Gemini CLI, the Copilot CLI
			s.call(p.Value)
		case of.Parent().Name() == "toolCalls":
			s.value(p.Value)
		}
	}
	return strings.Join(s, "\n")
}

// speech collects texts.
type speech []string

func (s *speech) add(text string) {
	if text != "" {
		*s = append(*s, text)
	}
}

// item adds the text of a turn, or of a part of one.
func (s *speech) item(item jsonstream.Value) {
	kind := item.Get("type").Text()
	switch {
	case kind == "tool" && item.Get("callID").Exists(): // OpenCode
		s.call(item.Get("state"))
		s.value(resultIn(item))
	case isMark(item, kind):
	case item.Get("summaryContent").Exists(): // the Copilot CLI
		s.value(item.Get("summaryContent"))
	case item.Get("toolCallId").Exists() && item.Get("success").Exists(): // the Copilot CLI
		s.value(item.At("/result/content"))
		s.value(item.At("/error/message"))
	case kind == QueuedCommand:
		s.value(item.Get("prompt"))
	case item.Get("content").Exists():
		s.value(item.Get("content"))
		s.add(item.Get("refusal").Text()) // OpenAI Chat
		s.add(item.At("/additional_kwargs/refusal").Text())
		s.value(transcriptIn(item.Get("audio")))
	case transcriptIn(item.Get("audio")).Exists():
		s.value(transcriptIn(item.Get("audio")))
	case item.Get("refusal").Exists():
		s.value(item.Get("refusal"))
	case item.Get("parts").Exists():
		s.value(item.Get("parts"))
	case item.Get("compactedContent").Exists(): // ADK
		s.value(item.Get("compactedContent"))
	case function(item, "functionCall", "function_call").Exists() && kind == "":
		s.call(function(item, "functionCall", "function_call"))
	case function(item, "functionResponse", "function_response").Exists():
		s.value(function(item, "functionResponse", "function_response").Get("response"))
	case kind == "" && s.untyped(item):
	case item.Get("arguments").Exists() || item.Get("input").Exists():
		s.call(item)
		s.value(item.Get("output")) // of a tool that the provider runs itself
	case item.Get("output").Kind() == jsonstream.Object && kind == "function_call_result":
		s.item(item.Get("output"))
	case item.Get("output").Exists():
		s.value(item.Get("output"))
	case item.Get("text").Exists():
		s.value(item.Get("text"))
	case item.Get("thinking").Exists():
		s.value(item.Get("thinking"))
	case kind == "reasoning":
		s.value(item.Get("summary"))
	case kind == "redacted_thinking" || item.Get("source").Get("type").Text() == "base64":
		// Encrypted reasoning and base64 data are not readable.
	case kind == "audio" && item.Get("transcript").Exists(): // the Agents SDK
		s.value(item.Get("transcript"))
	case strings.Contains(kind, "image") || strings.Contains(kind, "audio") || strings.Contains(kind, "file"):
		// Media data is not text.
	case kind != "":
		s.add(string(jsonstream.AppendCompact(nil, item.Raw())))
	}
}

// untyped adds the text of a part of Bedrock or Gemini, which has no type, and reports whether it is one with
// a member of its own.
func (s *speech) untyped(part jsonstream.Value) bool {
	for name, v := range part.Members() {
		switch name {
		case "toolUse":
			s.call(v)
		case "toolResult", "citationsContent":
			s.value(v.Get("content"))
		case "reasoningContent":
			s.value(v.At("/reasoningText/text"))
		case "toolCall", "tool_call":
			s.add(strings.TrimSpace(v.Get("toolType").Text() + " " + string(jsonstream.AppendCompact(nil, v.Get("args").Raw()))))
		case "toolResponse", "tool_response":
			s.value(v.Get("response"))
		case "executableCode", "executable_code":
			s.value(v.Get("code"))
		case "codeExecutionResult", "code_execution_result":
			s.value(v.Get("output"))
		default:
			continue
		}
		return true
	}
	return false
}

// value adds the text of a string or of an array of parts, and JSON for anything
// else.
func (s *speech) value(v jsonstream.Value) {
	switch v.Kind() {
	case jsonstream.String:
		s.add(v.Text())
	case jsonstream.Array:
		for _, part := range v.Elements() {
			if part.Kind() == jsonstream.Object {
				s.item(part)
			} else {
				s.value(part)
			}
		}
	case jsonstream.Null, jsonstream.Absent:
	default:
		s.add(string(jsonstream.AppendCompact(nil, v.Raw())))
	}
}

// call adds a tool call as its name and arguments.
func (s *speech) call(call jsonstream.Value) {
	arguments := call.Get("arguments")
	for _, name := range [...]string{"input", "args"} {
		if !arguments.Exists() {
			arguments = call.Get(name)
		}
	}
	text := arguments.Text()
	if arguments.Exists() && arguments.Kind() != jsonstream.String {
		text = string(jsonstream.AppendCompact(nil, arguments.Raw()))
	}
	name := call.Get("name").Text()
	if p, _ := PartOf(call); name == "" && p.Kind == Call { // the AI SDK
		name = p.Tool()
	}
	s.add(strings.TrimSpace(name + " " + text))
}

// function returns a member of a Gemini part under either of its names.
func function(part jsonstream.Value, camel, snake string) jsonstream.Value {
	if v := part.Get(camel); v.Kind() == jsonstream.Object {
		return v
	}
	return part.Get(snake)
}
