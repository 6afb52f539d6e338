package openai

import (
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Filter removes items from a HandoffInputData. The zero Filter removes none. No filter
// removes context (see [conversation.Turn.IsContext]).
type Filter struct {
	// choose sets entry.gone of the items to remove. left are the remaining entries, in list
	// order.
	choose func(left []*entry)
}

// An entry is an item of a HandoffInputData: an object, or a string as input_history.
type entry struct {
	list  int              // the place of its list
	whole jsonstream.Value // as in the list
	item  jsonstream.Value // the item itself: the raw_item of a run item
	given bool             // the next agent receives it
	gone  bool
}

func (e *entry) isText() bool { return e.item.Kind() == jsonstream.String }

func (e *entry) isContext() bool { return conversation.Turn{Value: e.item, Role: e.role()}.IsContext() }

func (e *entry) role() string {
	if e.isText() {
		return "user"
	}
	return e.item.Get("role").Text()
}

// drop returns a filter that removes the items for which takes returns true.
func drop(takes func(*entry) bool) Filter {
	return Filter{func(left []*entry) {
		for _, e := range left {
			e.gone = takes(e)
		}
	}}
}

// RemoveAllTools removes tool items from every list: the types that remove_all_tools of the
// SDKs removes and, outside of input_history, pending approvals. A string as input_history
// stays.
func RemoveAllTools() Filter {
	return drop(func(e *entry) bool {
		return conversation.IsToolItem(e.item) || e.list != inHistory && isApproval(e.whole)
	})
}

// Roles keeps the items with one of these roles; tool items have none. A string as
// input_history has the role user.
func Roles(roles ...string) Filter {
	return drop(func(e *entry) bool { return !slices.Contains(roles, e.role()) })
}

// OnlyMessages keeps messages: items with a role or with the type message. A string as
// input_history stays.
func OnlyMessages() Filter {
	return drop(func(e *entry) bool { return e.role() == "" && e.item.Get("type").Text() != "message" })
}

// Types keeps items of the given types: for run items with or without the suffix _item, for others
// as named by the API. The type message matches any item with a role, and handoff_call any call to
// a handoff tool.
func Types(types ...string) Filter {
	return drop(func(e *entry) bool {
		return !slices.ContainsFunc(e.kinds(), func(kind string) bool { return slices.Contains(types, kind) })
	})
}

// kinds returns the types that match an item: the type of its run item, with and without _item, its
// own type, message for a message, and handoff_call for a call to a handoff tool.
func (e *entry) kinds() []string {
	if e.isText() {
		return []string{"message"}
	}
	var kinds []string
	if run := e.whole.Get("type").Text(); conversation.IsRunItem(run) {
		kinds = append(kinds, run, run[:len(run)-len("_item")])
	}
	if kind := e.item.Get("type").Text(); kind != "" {
		kinds = append(kinds, kind)
	} else if e.role() != "" {
		kinds = append(kinds, "message")
	}
	if len(kinds) > 0 && kinds[0] == "message_output_item" {
		kinds = append(kinds, "message")
	}
	if isHandoffCall(e.whole) {
		kinds = append(kinds, "handoff_call")
	}
	return kinds
}

// Clear removes all items of a list. [IsList] must hold for list.
func Clear(list string) Filter {
	place := placeOf(list)
	return drop(func(e *entry) bool { return e.list == place })
}

// Lists returns the names of the members that hold items, in conversation order.
func Lists() []string { return slices.Clone(pythonSpelling.lists) }

// IsList reports whether a name is one of [Lists], or the equivalent in the SDK for JavaScript.
func IsList(name string) bool { return placeOf(name) >= 0 }

// In returns a filter that applies f to one list alone, and sees no other list. [IsList] must hold
// for list.
func In(list string, f Filter) Filter {
	if f.choose == nil {
		return f
	}
	place := placeOf(list)
	return Filter{func(left []*entry) {
		var within []*entry
		for _, e := range left {
			if e.list == place {
				within = append(within, e)
			}
		}
		given := make([]bool, len(within))
		for i, e := range within { // including new_items if input_items replaces it
			given[i], e.given = e.given, e.given || place == inTurn && !isApproval(e.whole)
		}
		f.choose(within)
		for i, e := range within {
			e.given = given[i]
		}
	}}
}

// Last keeps the last n items of the next agent's input: input_history, pre_handoff_items
// and input_items or, if that is null or absent, new_items, counted as one sequence. A
// string as input_history counts as one item. An item that depends on a removed one is
// removed too, such as the result of an earlier call, so fewer than n items may remain.
// Items outside the input are not counted and stay: tool approval items and, if input_items
// replaces it, new_items. A negative n counts as 0.
func Last(n int) Filter {
	return Filter{func(left []*entry) {
		var given []*entry
		var turns []conversation.Turn
		for _, e := range left {
			if e.given {
				given = append(given, e)
				turns = append(turns, conversation.Turn{Value: e.item, Role: e.role()})
			}
		}
		from := max(len(given)-max(n, 0), 0)
		torn := map[int]bool{}
		units := conversation.Units(turns)
		for i, e := range given {
			// Removed items come first, so the units that they break are known here.
			e.gone = i < from || torn[units[i]]
			torn[units[i]] = e.gone
		}
	}}
}

// Apply appends data, a HandoffInputData, without the items that the filters remove, as
// compact JSON. The filters run in order, each on the result of the previous one. A removed
// string as input_history becomes an empty array. Unknown members, and the absence of
// input_items, are preserved. On error, which is a [*ShapeError], Apply returns dst
// unchanged.
func Apply(dst []byte, data jsonstream.Value, filters ...Filter) ([]byte, error) {
	if err := CheckShape(data); err != nil {
		return dst, err
	}
	left := entries(data)
	for _, f := range filters {
		if f.choose != nil {
			f.choose(slices.DeleteFunc(slices.Clone(left), (*entry).isContext))
			left = slices.DeleteFunc(left, func(e *entry) bool { return e.gone })
		}
	}
	var lists []replacement
	for i, name := range spellingOf(data).lists {
		if list := data.Get(name); list.Kind() == jsonstream.Array || list.Kind() == jsonstream.String {
			lists = append(lists, replacement{name, listText(left, i)})
		}
	}
	return appendData(dst, data, lists...), nil
}

// listText returns one of the lists as JSON.
func listText(left []*entry, list int) []byte {
	text := []byte{'['}
	for _, e := range left {
		switch {
		case e.list != list:
		case e.isText():
			return e.item.Raw()
		default:
			text = jsonstream.AppendCompact(jsonstream.AppendComma(text), e.whole.Raw())
		}
	}
	return append(text, ']')
}

// entries returns all items of a HandoffInputData, in list order.
func entries(data jsonstream.Value) []*entry {
	var all []*entry
	s := spellingOf(data)
	replaced := s.list(data, insteadOfTurn).Kind() == jsonstream.Array
	for i, name := range s.lists {
		list := data.Get(name)
		given := i != inTurn || !replaced
		if list.Kind() == jsonstream.String {
			all = append(all, &entry{list: i, whole: list, item: list, given: given})
		}
		for _, item := range list.Elements() {
			all = append(all, &entry{list: i, whole: item, item: conversation.Item(item), given: given && !isApproval(item)})
		}
	}
	return all
}
