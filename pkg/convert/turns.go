package convert

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/rfc3339"
)

// Turns are kept as the canonical message has them: role, content, and the tool calls and
// call identifiers of the OpenAI Chat API, which are what agents of all systems write.
// Members that nobody knows stay with their turn.

// canonicalTurn returns a turn as the schema of the canonical message asks for it: with a
// role, and content that is text or parts.
func canonicalTurn(t node) node {
	if !t.is(jsonstream.Object) {
		return userMessage(text(t.flat()))
	}
	if t.get("role").str() == "" {
		t = t.with("role", text("user"))
	}
	if content := t.get("content"); !content.is(jsonstream.String) && !isParts(content) {
		t = t.with("content", text(content.flat()))
	}
	return t
}

// isParts reports whether content is an array of parts.
func isParts(n node) bool {
	return n.is(jsonstream.Array) && all(n, func(e node) bool { return e.is(jsonstream.Object) })
}

// A call is a call of a tool in a turn.
type call struct{ id, name, arguments node }

// callsOf returns the calls of a turn of the assistant; nil if it has none, or one that
// is not as the Chat API has it.
func callsOf(t node) []call {
	list := t.get("tool_calls")
	if !list.is(jsonstream.Array) {
		return nil
	}
	var calls []call
	for elements := list.children(); elements.next(); {
		e := elements.value
		c := call{e.get("id"), e.at("/function/name"), e.at("/function/arguments")}
		if !c.id.is(jsonstream.String) || !c.name.is(jsonstream.String) || !c.arguments.is(jsonstream.String) {
			return nil
		}
		calls = append(calls, c)
	}
	return calls
}

// callTurn returns the turn of a call, with further members.
func callTurn(c call, further []member) node {
	function := object(member{name: "name", value: c.name}, member{name: "arguments", value: c.arguments})
	one := object(member{name: "id", value: c.id}, member{name: "type", value: text("function")}, member{name: "function", value: function})
	return object(append([]member{
		{name: "role", value: text("assistant")},
		{name: "content", value: text("")},
		{name: "tool_calls", value: array(one)},
	}, further...)...)
}

// receiver returns the agent that turns hand over to, as the latest output of a handoff
// tool of the Agents SDK or call of one names it, the index of that turn, and the member of
// its item that has the name; nil if there is none.
func receiver(turns []node) (agent node, turn int, member string) {
	for i, t := range slices.Backward(turns) {
		if content := t.get("content").str(); t.get("role").str() == "tool" && strings.HasPrefix(content, `{"assistant"`) {
			output, _ := parse([]byte(content))
			if agent := output.get("assistant"); isText(agent) && output.length() == 1 {
				return agent, i, "output"
			}
		}
		for _, c := range slices.Backward(callsOf(t)) {
			if name, ok := strings.CutPrefix(c.name.str(), "transfer_to_"); ok {
				return text(name), i, "name"
			}
		}
	}
	return none, 0, ""
}

// missingCall notes the calls among the items of a turn, and returns a call for a result
// among them that none was before: the API refuses a result without one. It is nil if
// nothing is missing.
func missingCall(items []node, t node, called map[string]bool) node {
	for _, item := range items {
		id := item.get("call_id").str()
		switch item.get("type").str() {
		case "function_call":
			called[id] = true
		case "function_call_output":
			if id == "" || called[id] {
				continue
			}
			called[id] = true
			name := t.get("name")
			if name.str() == "" {
				name = text("unknown")
			}
			return object(
				member{name: "type", value: text("function_call")},
				member{name: "call_id", value: item.get("call_id")},
				member{name: "name", value: name},
				member{name: "arguments", value: text("{}")},
			)
		}
	}
	return none
}

// fromSW4RM reads an entry of a conversation_history. One of the assistant that has a
// tool's name and a call's identifier is the call.
func fromSW4RM(t node) node {
	if !t.is(jsonstream.Object) {
		return t
	}
	if at := t.get("timestamp"); at.is(jsonstream.Number) {
		if s, ok := unixTime(at); ok {
			t = t.with("timestamp", s)
		}
	}
	c := call{t.get("tool_call_id"), t.get("name"), t.get("content")}
	if t.get("role").str() != "assistant" || t.get("tool_calls") != none ||
		!c.id.is(jsonstream.String) || !c.name.is(jsonstream.String) || !c.arguments.is(jsonstream.String) {
		return t
	}
	return callTurn(c, t.without("role", "content", "tool_call_id", "name", "tool_calls"))
}

// sw4rmRoles are the roles that SW4RM knows, and what others become.
var sw4rmRoles = map[string]string{
	"user": "user", "assistant": "assistant", "system": "system", "tool": "tool",
	"developer": "system", "function": "tool",
}

// sw4rmKinds are the members of an entry whose kind is fixed, beside role and content.
var sw4rmKinds = map[string]jsonstream.Kind{
	"name": jsonstream.String, "tool_call_id": jsonstream.String, "metadata": jsonstream.Object,
}

// toSW4RM writes an entry of a conversation_history: role and content are strings, and a
// timestamp is a date-time.
func toSW4RM(t node) node {
	t = canonicalTurn(t)
	if calls := callsOf(t); len(calls) == 1 && t.get("role").str() == "assistant" && t.get("content").str() == "" && isText(t.get("content")) &&
		t.get("name") == none && t.get("tool_call_id") == none {
		c := calls[0]
		t = object(append([]member{
			{name: "role", value: text("assistant")},
			{name: "name", value: c.name},
			{name: "tool_call_id", value: c.id},
			{name: "content", value: c.arguments},
		}, t.without("role", "content", "tool_calls")...)...)
	}
	role := t.get("role").str()
	known, ok := sw4rmRoles[role]
	if !ok {
		known = "user"
	}
	if known != role {
		t = t.with("role", text(known))
	}
	if content := t.get("content"); !isText(content) {
		t = t.with("content", text(content.flat()))
	}
	if at := t.get("timestamp"); at != none && !isTime(at) {
		s, _ := unixTime(at)
		t = t.with("timestamp", s)
	}
	for name, kind := range sw4rmKinds {
		if v := t.get(name); v != none && !v.is(kind) {
			t = t.with(name, none)
		}
	}
	return t
}

// isTime reports whether a string is a date-time of RFC 3339.
func isTime(n node) bool { return isText(n) && rfc3339.IsDateTime(n.str()) }

// unixTime returns Unix seconds, with or without a fraction, as a date-time; nil if they are
// none.
func unixTime(n node) (node, bool) {
	r, ok := n.rational()
	if !ok || r.Sign() < 0 || r.Cmp(big.NewRat(lastSecond+1, 1)) >= 0 {
		return none, false
	}
	nanos := new(big.Int).Mul(r.Num(), big.NewInt(int64(time.Second)))
	seconds, rest := nanos.Quo(nanos, r.Denom()).QuoRem(nanos, big.NewInt(int64(time.Second)), new(big.Int))
	return text(time.Unix(seconds.Int64(), rest.Int64()).UTC().Format(time.RFC3339Nano)), true
}

const lastSecond = 253402300799 // of the year 9999

// unixMillis returns Unix milliseconds as a date-time, nil if they are none.
func unixMillis(n node) (node, bool) {
	ms, ok := n.integer()
	if !ok || ms < 0 || ms/1000 > lastSecond {
		return none, false
	}
	layout := "2006-01-02T15:04:05Z"
	if ms%1000 != 0 {
		layout = "2006-01-02T15:04:05.000Z"
	}
	return text(time.UnixMilli(ms).UTC().Format(layout)), true
}

// fromOpenAI reads an item.
func fromOpenAI(item node) node {
	kind := item.get("type").str()
	switch {
	case conversation.IsRunItem(kind) && item.get("raw_item").is(jsonstream.Object):
		return fromOpenAI(item.get("raw_item"))
	case kind == "" || kind == "message":
		return item
	case kind == "function_call":
		c := call{item.get("call_id"), item.get("name"), item.get("arguments")}
		if isText(c.id) && isText(c.name) && isText(c.arguments) && !item.hasAny("role", "content", "tool_calls", "tool_call_id") {
			return callTurn(c, item.without("type", "call_id", "name", "arguments"))
		}
	case kind == "function_call_output":
		output := item.get("output")
		if isText(item.get("call_id")) && (isText(output) || isParts(output)) && !item.hasAny("role", "content", "tool_calls", "tool_call_id") {
			return object(append([]member{
				{name: "role", value: text("tool")},
				{name: "tool_call_id", value: item.get("call_id")},
				{name: "content", value: output},
			}, item.without("type", "call_id", "output")...)...)
		}
	}
	return describe(item)
}

// describe makes a turn of an item that is no message: role and content say what it is,
// for receivers that do not know it.
func describe(item node) node {
	kind := item.get("type").str()
	if item.get("content") == none {
		content := "[" + kind + "]"
		if summary := item.get("summary").flat(); kind == "reasoning" && summary != "" {
			content = summary
		}
		item = item.with("content", text(content))
	}
	if item.get("role") == none {
		role := "assistant"
		if strings.HasSuffix(kind, "_output") {
			role = "tool"
		}
		item = item.with("role", text(role))
	}
	return item
}

// undescribed returns the item that describe made a turn of, or nil.
func undescribed(t node) node {
	if kind := t.get("type"); !isText(kind) || kind.str() == "message" || kind.str() == "" {
		return none
	}
	for _, added := range [][]string{{"role", "content"}, {"content"}, {"role"}, {}} {
		if item := object(t.without(added...)...); same(describe(item), t) {
			return item
		}
	}
	return none
}

// toOpenAI appends the items that a turn becomes: at least one. The Responses API refuses
// members that it does not know.
func toOpenAI(items []node, t node) []node {
	if item := undescribed(t); item != none {
		content := item.get("content")
		if !isText(item.get("role")) || content != none && !isText(content) && !content.is(jsonstream.Array) {
			item = object(item.without("role")...)
		}
		return append(items, item)
	}
	t = canonicalTurn(t)
	role, content := t.get("role").str(), t.get("content")
	further := t.only("id", "status")
	if id := t.get("tool_call_id"); role == "tool" && isText(id) {
		return append(items, object(append([]member{
			{name: "type", value: text("function_call_output")},
			{name: "call_id", value: id},
			{name: "output", value: openAIParts(content, role)},
		}, further...)...))
	}
	calls := callsOf(t)
	if role != "assistant" || len(calls) == 0 {
		return append(items, toMessage(t))
	}
	if content.flat() != "" {
		items, further = append(items, toMessage(t)), nil
	} else if len(calls) > 1 {
		further = nil
	}
	for _, c := range calls {
		items = append(items, object(append([]member{
			{name: "type", value: text("function_call")},
			{name: "call_id", value: c.id},
			{name: "name", value: c.name},
			{name: "arguments", value: c.arguments},
		}, further...)...))
	}
	return items
}

// messageNames are the members of a message item.
var messageNames = []string{"type", "role", "content", "name", "id", "status"}

// toMessage writes a message item of a turn.
func toMessage(t node) node {
	role := t.get("role").str()
	switch role {
	case "user", "assistant", "system", "developer":
	default:
		role = "user"
	}
	if role != t.get("role").str() {
		t = t.with("role", text(role))
	}
	if content := t.get("content"); content != none {
		if parts := openAIParts(content, role); parts != content {
			t = t.with("content", parts)
		}
	}
	if kind := t.get("type"); kind != none && kind.str() != "message" {
		t = t.with("type", none)
	}
	for c := t.children(); c.next(); {
		if !c.isOneOf(messageNames) {
			return object(t.only(messageNames...)...)
		}
	}
	return t
}

// openAIParts names text parts as the Responses API does.
func openAIParts(parts node, role string) node {
	if !parts.is(jsonstream.Array) {
		return parts
	}
	name := "input_text"
	if role == "assistant" {
		name = "output_text"
	}
	out := slices.Clone(elementsOf(parts))
	for i, p := range out {
		if p.get("type").str() == "text" {
			out[i] = p.with("type", text(name))
		}
	}
	if slices.Equal(out, elementsOf(parts)) {
		return parts
	}
	return array(out...)
}

// each applies a function to all turns. If none changes, the result is turns.
func each(turns []node, f func(node) node) []node {
	out, shared := turns, true
	for i, t := range turns {
		other := f(t)
		if shared && other != t {
			out, shared = slices.Clone(turns), false
		}
		if !shared {
			out[i] = other
		}
	}
	return out
}
