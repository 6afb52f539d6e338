package openai

import (
	"fmt"
	"iter"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// NestOptions configures the nesting of history. The zero value is the SDK's default.
type NestOptions struct {
	// Start and End are the markers around the lines of a summary; "" means [DefaultStart]
	// and [DefaultEnd]. Summaries between the default markers are always recognised.
	Start, End string
	// Early nests like the first release of the SDK: everything becomes one summary,
	// pre_handoff_items keeps items other than assistant messages, and new_items and
	// input_items stay as they are.
	Early bool
}

// The default markers around the lines of a summary.
const (
	DefaultStart = "<CONVERSATION HISTORY>"
	DefaultEnd   = "</CONVERSATION HISTORY>"
)

// Nest appends data, a HandoffInputData, with its history nested, as compact JSON:
// input_history holds summaries and the forwarded items, pre_handoff_items and input_items
// are empty, and new_items and unknown members stay. The SDK for JavaScript has no
// input_items, so newItems is empty instead. On error, which is a [*ShapeError] or reports a
// marker that is not valid UTF-8, Nest returns dst unchanged.
func Nest(dst []byte, data jsonstream.Value, o NestOptions) ([]byte, error) {
	m, err := o.check(data)
	if err != nil {
		return dst, err
	}
	n := &nesting{markers: m, history: []byte{'['}}
	n.summarizeHistory(data)
	if o.Early {
		return n.early(dst, data), nil
	}
	for _, item := range items(m.list(data, beforeTurn)) {
		n.add(item, item.Get("role").Text() != "assistant" && !isWork(item))
	}
	for _, item := range items(m.list(data, inTurn)) {
		n.add(item, item.Get("role").Text() != "" || !isWork(item))
	}
	if n.summary.items > 0 || len(n.history) == 1 {
		n.writeSummary()
	}
	return m.appendNested(dst, data, append(n.history, ']')), nil
}

// appendNested appends data with its history nested, so that the next agent receives only the
// history. For Python it empties input_items, so that new_items stays for the session.
func (m markers) appendNested(dst []byte, data jsonstream.Value, history []byte) []byte {
	return appendData(dst, data,
		replacement{m.lists[inHistory], history},
		replacement{m.lists[beforeTurn], []byte("[]")},
		replacement{m.lists[len(m.lists)-1], []byte("[]")},
	)
}

// A nesting is an input_history under construction.
type nesting struct {
	markers markers
	history []byte  // a JSON array without its end
	summary summary // the pending summary
}

// check returns the markers, or an error if they or the data are invalid.
func (o NestOptions) check(data jsonstream.Value) (markers, error) {
	if err := CheckShape(data); err != nil {
		return markers{}, err
	}
	for _, marker := range []string{o.Start, o.End} {
		if !utf8.ValidString(marker) {
			return markers{}, fmt.Errorf("the marker is not valid UTF-8, so JSON cannot contain it: found %q", marker)
		}
	}
	return newMarkers(data, o.Start, o.End), nil
}

func (n *nesting) summarizeHistory(data jsonstream.Value) {
	said := n.markers.list(data, inHistory)
	if said.Kind() == jsonstream.String {
		// Use the member order of the SDK, which is visible if the message is written as
		// JSON.
		n.summary.add(mustParse(append(appendQuoted([]byte(`{"content":`), said.Text()), `,"role":"user"}`...)), n.markers)
		return
	}
	for _, item := range items(said) {
		n.summarize(item)
	}
}

// items yields the items of a list; for a run item its raw_item, as the SDK does.
func items(list jsonstream.Value) iter.Seq2[int, jsonstream.Value] {
	return func(yield func(int, jsonstream.Value) bool) {
		for i, item := range list.Elements() {
			if !yield(i, conversation.Item(item)) {
				return
			}
		}
	}
}

func (n *nesting) summarize(item jsonstream.Value) {
	n.markers.flatten(item, func(item jsonstream.Value) bool {
		n.summary.add(item, n.markers)
		return true
	})
}

// add adds the next item of pre_handoff_items or new_items. forward is set if the SDK
// forwards the list's items.
func (n *nesting) add(item jsonstream.Value, forward bool) {
	switch {
	case isApproval(item):
	case forward && !isOfProgram(item):
		if n.summary.items > 0 || len(n.history) == 1 {
			n.writeSummary()
		}
		n.history = jsonstream.AppendCompact(jsonstream.AppendComma(n.history), item.Raw())
	default:
		n.summarize(item)
	}
}

// isApproval reports whether an item awaits approval by a person. The SDK never sends such
// items to a model.
func isApproval(item jsonstream.Value) bool {
	return item.Get("type").Text() == conversation.CarriedType
}

// isWork reports whether an item's type belongs to the work of the agent, such as calls and
// reasoning.
func isWork(item jsonstream.Value) bool {
	switch item.Get("type").Text() {
	case "function_call", "function_call_output", "function_call_result", "reasoning":
		return true
	default:
		return false
	}
}

// isOfProgram reports whether an item is a program, its output or a call it made.
func isOfProgram(item jsonstream.Value) bool {
	switch item.Get("type").Text() {
	case "program", "program_output":
		return true
	default:
		return item.Get("caller").Get("type").Text() == "program"
	}
}

func (n *nesting) writeSummary() {
	n.history = n.summary.take(jsonstream.AppendComma(n.history), n.markers)
}

// early completes the output of the first release of the SDK.
func (n *nesting) early(dst []byte, data jsonstream.Value) []byte {
	kept := []byte{'['}
	for _, item := range n.markers.list(data, beforeTurn).Elements() {
		if conversation.Item(item).Get("role").Text() != "assistant" {
			kept = jsonstream.AppendCompact(jsonstream.AppendComma(kept), item.Raw())
		}
	}
	for _, place := range []int{beforeTurn, inTurn} {
		for _, item := range items(n.markers.list(data, place)) {
			if !isApproval(item) {
				n.summarize(item)
			}
		}
	}
	n.writeSummary()
	return appendData(dst, data,
		replacement{n.markers.lists[inHistory], append(n.history, ']')},
		replacement{n.markers.lists[beforeTurn], append(kept, ']')},
	)
}

// Unnest appends data, a HandoffInputData, with every summary message in any list replaced
// by its items, as compact JSON. The package documentation lists the losses. Early is
// ignored. The errors are as for [Nest].
func Unnest(dst []byte, data jsonstream.Value, o NestOptions) ([]byte, error) {
	m, err := o.check(data)
	if err != nil {
		return dst, err
	}
	var lists []replacement
	for _, name := range m.lists {
		list := data.Get(name)
		if list.Kind() != jsonstream.Array {
			continue
		}
		text := []byte{'['}
		for _, item := range list.Elements() {
			if _, _, ok := m.lines(conversation.Item(item)); !ok {
				text = jsonstream.AppendCompact(jsonstream.AppendComma(text), item.Raw())
				continue
			}
			m.flatten(conversation.Item(item), func(item jsonstream.Value) bool {
				text = jsonstream.AppendCompact(jsonstream.AppendComma(text), item.Raw())
				return true
			})
		}
		lists = append(lists, replacement{name, append(text, ']')})
	}
	return appendData(dst, data, lists...), nil
}
