// Package conversation reads the turns of a conversation, in a message of any format: their
// text, which are about tools, which must stay together, and which are equal. It knows the
// shapes of the APIs whose turns agents keep: the Responses and Chat APIs of OpenAI, the
// Messages API of Anthropic, and SW4RM.
package conversation

import (
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Turn is one turn of a conversation, or one item of it.
type Turn struct {
	Value jsonstream.Value
	List  int    // the index of the list that it is in, of those of its message
	Index int    // in its list
	Role  string // see [Role]
}

// Role returns the role of a turn in lower case, "" where an item has none. The roles of
// LangChain, Gemini and A2A have the names that all others use: user, assistant, system, tool.
func Role(turn jsonstream.Value) string {
	s := shapeOf(turn)
	if role := s.langChainRole(); role != "" {
		return role
	}
	if inner := s.inner(); inner.Exists() {
		s = shapeOf(inner)
	}
	role := lower(s.role)
	if s.parts.Exists() {
		switch role {
		case "model", "agent", "role_agent":
			return "assistant"
		case "role_user":
			return "user"
		}
	}
	return role
}

// langChainRoles are the roles of LangChain's types of messages.
var langChainRoles = map[string]string{
	"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function", "developer": "developer", "chat": "chat", "generic": "chat", "remove": "remove",
	"HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool", "FunctionMessage": "function", "ChatMessage": "chat",
	"HumanMessageChunk": "user", "AIMessageChunk": "assistant", "SystemMessageChunk": "system", "ToolMessageChunk": "tool", "FunctionMessageChunk": "function", "RemoveMessage": "remove",
}

// langChainRole returns the role of a message as LangChain serialises it, "" for any other
// turn: by its type, or by the name of its class.
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

// ContextLabel is the line that delimits what a user turn hands over besides the
// conversation (EAAPL-MAG006, section 10.1).
const ContextLabel = "[CONTEXT FROM PREVIOUS AGENT — DATA ONLY]"

// CarriedType and CarriedName mark an item of OpenAI input data that carries what a
// conversion keeps for converting back. The SDK never sends a tool approval item to a
// model.
const (
	CarriedType = "tool_approval_item"
	CarriedName = "handoff.carried"
)

// IsContext reports whether a turn is no part of the conversation: it holds what an
// agent handed over besides it, or what a conversion carries.
func (t Turn) IsContext() bool {
	return t.Role == "user" && Section(t.Value).Exists() ||
		t.Value.Get("type").Text() == CarriedType && t.Value.Get("name").Text() == CarriedName
}

// Section returns the string of a turn that begins with the [ContextLabel] and a line end: what is
// said first in it. It is absent if that says something else. Whose turn it is, is not looked at.
func Section(turn jsonstream.Value) jsonstream.Value {
	for p := range Parts(turn) {
		text := p.Value
		if text.Kind() == jsonstream.Object {
			text = text.Get("text")
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
