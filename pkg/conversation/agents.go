package conversation

import "github.com/eaapl/handoff/pkg/jsonstream"

// geminiRole returns the role of a type of message in sessions of the Gemini CLI, "" for others.
func geminiRole(kind string) string {
	switch kind {
	case "user":
		return "user"
	case "gemini":
		return "assistant"
	}
	return ""
}

// isOfGeminiCLI reports whether a turn is a message in a session of the Gemini CLI.
func (s *shape) isOfGeminiCLI() bool {
	return geminiRole(s.kind.Text()) != "" && !s.role.Exists() && s.id.Exists() && s.content.Exists()
}

// yieldAnswered yields the calls of a message of the Gemini CLI, each with its result.
func (s *shape) yieldAnswered(yield func(Part) bool) {
	for _, call := range s.answeredCalls.Elements() {
		p := Part{Kind: Call, Value: call, ID: call.Get("id"), Name: call.Get("name")}
		if !yield(p) {
			return
		}
		result := call.Get("result")
		if result.Exists() && result.Kind() != jsonstream.Null && !yield(Part{Kind: Result, Value: result, ID: p.ID, Name: p.Name}) {
			return
		}
	}
}

// resultIn returns the result in a part that has a call and its result: in a part of OpenCode, its output or
// error, or its state if that is missing; any other part is both.
func resultIn(part jsonstream.Value) jsonstream.Value {
	if part.Get("type").Text() != "tool" {
		return part
	}
	result, state := jsonstream.Value{}, part.Get("state")
	switch state.Get("status").Text() {
	case "completed":
		result = state.Get("output")
	case "error":
		result = state.Get("error")
	default:
		return part
	}
	if !result.Exists() {
		return state
	}
	return result
}

// copilotRole returns the role of a type of event that is a turn in sessions of the Copilot CLI, "" for others.
func copilotRole(kind string) string {
	switch kind {
	case "user.message", "session.compaction_complete", "session.context_cleared":
		return "user"
	case "assistant.message":
		return "assistant"
	case "tool.execution_complete":
		return "tool"
	}
	return ""
}

// yieldEvent yields the parts of an event of the Copilot CLI.
func yieldEvent(kind string, data jsonstream.Value, yield func(Part) bool) {
	if kind == "tool.execution_complete" {
		yield(Part{Kind: Result, Value: data, ID: data.Get("toolCallId")})
		return
	}
	content := data.Get("content")
	switch kind {
	case "session.compaction_complete":
		content = data.Get("summaryContent")
	case "session.context_cleared":
		content = data.Get("initialMessage")
	}
	if content.Kind() == jsonstream.String && content.Text() != "" && !yield(Part{Kind: Said, Value: content}) {
		return
	}
	for _, call := range data.Get("toolRequests").Elements() {
		if !yield(Part{Kind: Call, Value: call, ID: call.Get("toolCallId"), Name: call.Get("name")}) {
			return
		}
	}
}

// isMark reports whether a part of a message of OpenCode marks a step or a change of files, without content.
func isMark(part jsonstream.Value, kind string) bool {
	switch kind {
	case "step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction":
		return part.Get("messageID").Exists()
	}
	return false
}
