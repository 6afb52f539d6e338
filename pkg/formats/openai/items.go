package openai

import (
	"cmp"
	"iter"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An Item is an item of a run, as the model received or produced it.
type Item struct {
	// Value is the item, or a string for a message of the user. An item from a summary
	// belongs to a document of its own.
	Value jsonstream.Value
	// At is the document's item: the item itself, or the summary that lists it.
	At jsonstream.Value

	whole jsonstream.Value // At, with its run item wrapper
}

// Items yields the items of the run in a HandoffInputData, in run order: input_history,
// pre_handoff_items and new_items, or their equivalents in the SDK for JavaScript. Summaries, between
// the markers start and end or the SDK's own, are expanded. An item that is both in a summary and in a
// list is yielded twice. In an invalid document, Items yields the items that it finds.
func Items(data jsonstream.Value, start, end string) iter.Seq[Item] {
	return runItems(data, newMarkers(data, start, end))
}

func runItems(data jsonstream.Value, m markers) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, e := range entries(data) {
			switch {
			case e.list == insteadOfTurn: // replaces new_items
			case e.isText():
				if !yield(Item{e.item, e.item, e.whole}) {
					return
				}
			case e.item.Kind() == jsonstream.Object:
				if !m.flatten(e.item, func(item jsonstream.Value) bool { return yield(Item{item, e.item, e.whole}) }) {
					return
				}
			}
		}
	}
}

// IsUser reports whether the item is a message of the user.
func (i Item) IsUser() bool {
	return i.Value.Kind() == jsonstream.String || i.Value.Get("role").Text() == "user"
}

// IsCall reports whether the item is a function call.
func (i Item) IsCall() bool { return i.Value.Get("type").Text() == "function_call" }

// IsResult reports whether the item is the output of a function.
func (i Item) IsResult() bool { return isResult(i.Value) }

// CallID returns the id that a function call shares with its output, "" if it has none.
func (i Item) CallID() string { return callID(i.Value).Text() }

// By returns the name of the agent in a run item, which made the item or handed over with it; "" if
// it is not known.
func (i Item) By() string {
	return cmp.Or(i.whole.Get("agent").Get("name").Text(), i.whole.Get("sourceAgent").Get("name").Text())
}

// To returns the name of the next agent if the item is the output of a handoff, and
// otherwise "".
func (i Item) To() string {
	if !i.IsResult() {
		return ""
	}
	output, ok := parseObject(strings.TrimSpace(outputText(i.Value)))
	if !ok || output.Len() != 1 {
		return ""
	}
	return output.Get("assistant").Text()
}
