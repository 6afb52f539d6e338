package trim

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// filter removes the turns that Roles and DropTools exclude. From a turn that stays it
// removes calls without their results, and results without their calls.
func (d *draft) filter() {
	torn := map[int]bool{} // units that have lost a turn
	for i, t := range d.h.Turns {
		if i != d.former && d.excludes(t) {
			d.set(i, filtered)
			torn[d.units[i]] = true
		}
	}
	for i, t := range d.h.Turns {
		if d.turns[i].fate != kept || !d.o.DropTools && !torn[d.units[i]] || !hasTools(t.Value) {
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
	if t.IsContext() {
		return false
	}
	return d.o.Roles != nil && !slices.Contains(d.o.Roles, t.Role) || d.o.DropTools && conversation.IsTool(t.Value)
}

// measure returns the tokens of a turn that is not in the message.
func (d *draft) measure(text []byte) int {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(err) // this package has written it
	}
	return d.o.Meter.Turn(doc.Root())
}

func hasTools(turn jsonstream.Value) bool {
	for range conversation.ToolEvents(turn) {
		return true
	}
	return false
}

// withoutTools returns the compact text of a turn without its calls and results, and
// whether nothing is left of it.
func withoutTools(turn jsonstream.Value) (text []byte, empty bool) {
	empty, text = true, []byte{'{'}
	for name, v := range turn.Members() {
		value := jsonstream.AppendCompact(nil, v.Raw())
		switch {
		case name == "tool_calls", name == "function_call":
			continue
		case name == "content" && v.Kind() == jsonstream.Array:
			value = append(value[:0], '[')
			for _, part := range v.Elements() {
				if !conversation.IsTool(part) {
					value = jsonstream.AppendCompact(jsonstream.AppendComma(value), part.Raw())
					empty = false
				}
			}
			value = append(value, ']')
		case name == "content":
			empty = v.Kind() == jsonstream.Null || string(v.Raw()) == `""`
		}
		text = appendMember(jsonstream.AppendComma(text), name, value)
	}
	return append(text, '}'), empty
}

// appendMember appends the compact text of a member of an object.
func appendMember(dst []byte, name string, value []byte) []byte {
	dst, _ = jsontext.AppendQuote(dst, name) // it is from strict JSON
	return jsonstream.AppendCompact(append(dst, ':'), value)
}
