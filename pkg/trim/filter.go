package trim

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// filter removes the turns that Roles and DropTools exclude. From the remaining turns it removes calls
// without their results, and results without their calls.
func (d *draft) filter() {
	torn := map[int]bool{} // units without all of their turns
	for i, t := range d.h.Turns {
		if i != d.former && d.excludes(t) {
			d.set(i, filtered)
			torn[d.units[i]] = true
		}
	}
	for i, t := range d.h.Turns {
		if d.turns[i].fate != kept || !d.o.DropTools && !torn[d.units[i]] || !hasTools(t.Value) || d.h.Lists[t.List].Alone {
			continue
		}
		text, empty := withoutTools(t.Value)
		if empty || conversation.IsTool(t.Value) {
			d.set(i, filtered)
			continue
		}
		was := d.turns[i].size
		now := size{d.measure(text), d.h.Encoded(len(text)) + len(",")}
		d.turns[i] = turn{size: now, fate: edited, text: text, uncut: edited}
		d.total = d.total.minus(was).plus(now)
	}
}

func (d *draft) excludes(t conversation.Turn) bool {
	if t.IsContext() || d.h.Lists[t.List].Alone {
		return false
	}
	return d.o.Roles != nil && !slices.Contains(d.o.Roles, t.Role) || d.o.DropTools && conversation.IsTool(t.Value)
}

// measure returns the number of tokens of a turn that is not in the message.
func (d *draft) measure(text []byte) int {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(err) // written by this package
	}
	return d.o.Meter.Turn(conversation.Item(doc.Root()))
}

func hasTools(turn jsonstream.Value) bool {
	for p := range conversation.Parts(turn) {
		if isTool(p) {
			return true
		}
	}
	return false
}

// withoutTools returns the compact text of a turn without its calls and results, and the reasoning before
// them. It also reports whether nothing else is left. The wrapper of the content stays.
func withoutTools(turn jsonstream.Value) (text []byte, empty bool) {
	item := conversation.Item(turn)
	if item == turn {
		return contentWithoutTools(turn)
	}
	text = []byte{'{'}
	for name, v := range turn.Members() {
		value := v.Raw()
		if v == item {
			value, empty = contentWithoutTools(v)
		}
		text = appendMember(jsonstream.AppendComma(text), name, value)
	}
	return append(text, '}'), empty
}

func contentWithoutTools(turn jsonstream.Value) (text []byte, empty bool) {
	gone := map[jsonstream.Value]bool{}
	for p := range conversation.Parts(turn) {
		gone[p.Value] = isTool(p)
	}
	empty, text = true, []byte{'{'}
	for name, v := range turn.Members() {
		value := v.Raw()
		switch {
		case slices.Contains(callMembers, name):
			continue
		case name == "additional_kwargs" && v.Kind() == jsonstream.Object: // LangChain keeps the provider's original calls there
			value, _ = contentWithoutTools(v)
		case (name == "content" || name == "parts") && v.Kind() == jsonstream.Array:
			value = []byte{'['}
			for _, part := range v.Elements() {
				kind := part.Get("type").Text()
				if gone[part] || conversation.IsTool(part) || strings.HasPrefix(kind, "tool-approval-") {
					continue
				}
				value = jsonstream.AppendCompact(jsonstream.AppendComma(value), part.Raw())
				empty = empty && kind == "step-start" // the AI SDK: the beginning of a model's step
			}
			value = append(value, ']')
		case name == "content":
			empty = empty && (v.Kind() == jsonstream.Null || string(v.Raw()) == `""`)
		}
		text = appendMember(jsonstream.AppendComma(text), name, value)
	}
	return append(text, '}'), empty
}

// callMembers are the members of a turn with its calls, outside its content.
var callMembers = []string{"tool_calls", "function_call", "invalid_tool_calls", "tool_call_chunks", "toolInvocations", "toolCalls", "toolRequests"}

// isTool reports whether a part of a turn is a call or belongs to one.
func isTool(p conversation.Part) bool {
	return p.Kind == conversation.Call || p.Kind == conversation.Result || p.Kind == conversation.Reasoning
}

// appendMember appends the compact text of a member of an object.
func appendMember(dst []byte, name string, value []byte) []byte {
	dst, _ = jsontext.AppendQuote(dst, name) // it is from strict JSON
	return jsonstream.AppendCompact(append(dst, ':'), value)
}
