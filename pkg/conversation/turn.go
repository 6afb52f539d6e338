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

// Role returns the role of a turn in lower case, "" where an item has none.
func Role(turn jsonstream.Value) string {
	return strings.ToLower(strings.TrimSpace(Item(turn).Get("role").Text()))
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
	content, ok := strings.CutPrefix(t.Item().Get("content").Text(), ContextLabel)
	return ok && t.Role == "user" && strings.HasPrefix(content, "\n") ||
		t.Value.Get("type").Text() == CarriedType && t.Value.Get("name").Text() == CarriedName
}

// IsInstruction reports whether a turn is by the system or the developer.
func (t Turn) IsInstruction() bool { return t.Role == "system" || t.Role == "developer" }
