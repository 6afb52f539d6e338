package sw4rm

import (
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// fromSW4RM reads an entry of a conversation_history. An entry of the assistant with a tool
// name and a call identifier is a call.
func fromSW4RM(t tree.Node) tree.Node {
	if !t.Is(jsonstream.Object) {
		return t
	}
	if at := t.Get("timestamp"); at.Is(jsonstream.Number) {
		if s, ok := exchange.UnixTime(at); ok {
			t = t.With("timestamp", s)
		}
	}
	c := exchange.Call{ID: t.Get("tool_call_id"), Name: t.Get("name"), Arguments: t.Get("content")}
	if t.Get("role").Text() != "assistant" || t.Get("tool_calls") != tree.None ||
		!c.ID.Is(jsonstream.String) || !c.Name.Is(jsonstream.String) || !c.Arguments.Is(jsonstream.String) {
		return t
	}
	return exchange.CallTurn(c, t.Without("role", "content", "tool_call_id", "name", "tool_calls"))
}

// sw4rmRoles maps canonical roles to SW4RM roles.
var sw4rmRoles = map[string]string{
	"user": "user", "assistant": "assistant", "system": "system", "tool": "tool",
	"developer": "system", "function": "tool",
}

// sw4rmKinds are the entry members of a fixed kind, other than role and content.
var sw4rmKinds = map[string]jsonstream.Kind{
	"name": jsonstream.String, "tool_call_id": jsonstream.String, "metadata": jsonstream.Object,
}

// toSW4RM writes an entry of a conversation_history: role and content are strings, and a
// timestamp is a date-time.
func toSW4RM(t tree.Node) tree.Node {
	t = exchange.CanonicalTurn(t)
	if calls := exchange.CallsOf(t); len(calls) == 1 && t.Get("role").Text() == "assistant" && t.Get("content").Text() == "" && tree.IsString(t.Get("content")) &&
		t.Get("name") == tree.None && t.Get("tool_call_id") == tree.None {
		c := calls[0]
		t = tree.Object(append([]tree.Member{
			{Name: "role", Value: tree.String("assistant")},
			{Name: "name", Value: c.Name},
			{Name: "tool_call_id", Value: c.ID},
			{Name: "content", Value: c.Arguments},
		}, t.Without("role", "content", "tool_calls")...)...)
	}
	role := t.Get("role").Text()
	known, ok := sw4rmRoles[role]
	if !ok {
		known = "user"
	}
	if known != role {
		t = t.With("role", tree.String(known))
	}
	if content := t.Get("content"); !tree.IsString(content) {
		t = t.With("content", tree.String(content.Flat()))
	}
	if at := t.Get("timestamp"); at != tree.None && !exchange.IsTime(at) {
		s, _ := exchange.UnixTime(at)
		t = t.With("timestamp", s)
	}
	for name, kind := range sw4rmKinds {
		if v := t.Get(name); v != tree.None && !v.Is(kind) {
			t = t.With(name, tree.None)
		}
	}
	return t
}
