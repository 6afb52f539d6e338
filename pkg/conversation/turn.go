// Package conversation reads the turns of a conversation in a message of any format. It extracts their
// text, and finds turns about tools, turns that must stay together, and equal turns. It reads the formats
// of the APIs whose turns agents keep: the Responses and Chat APIs of OpenAI, the Messages API of
// Anthropic, and SW4RM.
package conversation

import (
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Turn is one turn of a conversation, or one item of it.
type Turn struct {
	Value jsonstream.Value
	List  int    // the index of its list among the lists of its message
	Index int    // in its list
	Role  string // see [Role]
}

// NewTurn returns the turn of an element with an index. A string is a turn of the user.
func NewTurn(element jsonstream.Value, index int) Turn {
	if element.Kind() == jsonstream.String {
		return Turn{Value: element, Index: index, Role: "user"}
	}
	return Turn{Value: element, Index: index, Role: Role(element)}
}

// Role returns the role of a turn in lower case, "" if an item has none. The roles of LangChain, Gemini and
// A2A are mapped to the common names: user, assistant, system, tool.
func Role(turn jsonstream.Value) string {
	s := shapeOf(turn)
	if role := s.langChainRole(); role != "" {
		return role
	}
	if s.summary().Exists() { // ADK sends it as a turn of the user
		return "user"
	}
	if role := copilotRole(s.kind.Text()); role != "" && s.data.Exists() {
		return role
	}
	if s.parts.Exists() && s.info.Kind() == jsonstream.Object { // OpenCode
		return lower(s.info.Get("role"))
	}
	isFromAgent := s.kind.Text() == AgentCommunication
	if inner := s.inner(); inner.Exists() {
		s = shapeOf(inner)
	}
	role := lower(s.role)
	if isFromAgent || s.kind.Text() == AgentMessage || s.kind.Text() == QueuedCommand {
		role = "user"
	}
	if role == "" && s.isOfGeminiCLI() {
		role = geminiRole(s.kind.Text())
	}
	if s.contents.Exists() && s.role.Kind() == jsonstream.Object { // Agent Framework
		return lower(s.role.Get("value"))
	}
	if s.parts.Exists() {
		switch s.messageKind.Text() { // Pydantic AI
		case "request":
			return "user"
		case "response":
			return "assistant"
		}
		switch role {
		case "model", "agent", "role_agent":
			return "assistant"
		case "role_user":
			return "user"
		case "":
			if turn.Get("artifactId").Exists() { // A2A
				return "assistant"
			}
			if s.parts.Kind() == jsonstream.Array { // Gemini: the role may be left out
				return "user"
			}
		}
	}
	return role
}

// langChainRoles are the roles by LangChain message type.
var langChainRoles = map[string]string{
	"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function", "developer": "developer", "chat": "chat", "generic": "chat", "remove": "remove",
	"HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool", "FunctionMessage": "function", "ChatMessage": "chat",
	"HumanMessageChunk": "user", "AIMessageChunk": "assistant", "SystemMessageChunk": "system", "ToolMessageChunk": "tool", "FunctionMessageChunk": "function", "RemoveMessage": "remove",
}

// langChainRole returns the role of a message serialised by LangChain, by its type or class name; "" for
// any other turn.
func (s *shape) langChainRole() string {
	class, fields := s.kind.Text(), s.data
	switch {
	case s.role.Exists():
		return ""
	case s.lc.Exists():
		for _, name := range s.id.Elements() {
			class = name.Text()
		}
		fields = s.kwargs
	case s.content.Exists() == s.data.Exists():
		return ""
	}
	role := langChainRoles[class]
	if role == "chat" {
		return lower(fields.Get("role"))
	}
	return role
}

// ContextLabel is the line before data that a user turn hands over besides the conversation (EAAPL-MAG006,
// section 10.1).
const ContextLabel = "[CONTEXT FROM PREVIOUS AGENT — DATA ONLY]"

// CarriedType and CarriedName mark an item of OpenAI input data with the carried data of a conversion. The
// SDK never sends a tool approval item to a model.
const (
	CarriedType = "tool_approval_item"
	CarriedName = "handoff.carried"
)

// IsContext reports whether a turn is not part of the conversation: it holds other data that an agent
// handed over, or the carried data of a conversion.
func (t Turn) IsContext() bool {
	return t.Role == "user" && Section(t.Value).Exists() ||
		t.Value.Get("type").Text() == CarriedType && t.Value.Get("name").Text() == CarriedName
}

// Section returns the text of a turn's first part, if it begins with [ContextLabel] and a line end; absent
// otherwise. It ignores the turn's role.
func Section(turn jsonstream.Value) jsonstream.Value {
	for p := range Parts(turn) {
		text := p.Value
		if text.Kind() == jsonstream.Object {
			if text = p.Value.Get("text"); !text.Exists() {
				text = p.Value.Get("content") // Pydantic AI
			}
		}
		if p.Kind == Said && strings.HasPrefix(text.Text(), ContextLabel+"\n") {
			return text
		}
		break
	}
	return jsonstream.Value{}
}

// IsInstruction reports whether a turn is by the system or the developer.
func (t Turn) IsInstruction() bool { return t.Role == "system" || t.Role == "developer" }
