package openai

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// isHandoffCall reports whether an item is a call to a handoff: a run item for such a call, or a
// call to a tool with one of the SDK's names.
func isHandoffCall(item jsonstream.Value) bool {
	if kind := item.Get("type").Text(); conversation.IsRunItem(kind) {
		return kind == "handoff_call_item"
	}
	return item.Get("type").Text() == "function_call" && isHandoffName(item.Get("name").Text())
}

// A Run selects a handoff of a run.
type Run struct {
	// Call is the call_id of its call; "" means the last handoff call of the run.
	Call string
}

// A Built is a HandoffInputData built from a run.
type Built struct {
	Text  []byte // compact JSON
	Call  string // the call_id of the handoff
	After int    // the number of items after the turn of the handoff, which are not included
}

// ErrNoHandoff reports a run without a handoff.
var ErrNoHandoff = errors.New("the run has no handoff: found no call to a tool " + tool.Prefix + "…, and no handoff_call_item")

// Build returns the HandoffInputData of a handoff in a recorded run: an array of items, as from
// the SDK's to_input_list, or an object with input and new_items, as in a result of the SDK, whose
// items may be run items. The data has the spelling of the SDK that recorded the run. new_items is
// the turn of the handoff: the model's output and the results of its calls. input_history is the
// input of the object, or the items up to the last message of the user before the turn, and
// pre_handoff_items has the items between the two. The error wraps [ErrNoHandoff], or reports that
// run is not a recorded run.
func (o Run) Build(run jsonstream.Value) (Built, error) {
	s, history, list, err := recorded(run)
	if err != nil {
		return Built{}, err
	}
	call := o.find(list)
	if call < 0 && o.Call != "" {
		return Built{}, fmt.Errorf("%w: no call has the call_id %q", ErrNoHandoff, o.Call)
	} else if call < 0 {
		return Built{}, ErrNoHandoff
	}
	begin, end := turnAround(list, call)
	before := list[:begin]
	if history == nil { // a single list
		input := 0
		for i, item := range before {
			if conversation.Item(item).Get("role").Text() == "user" {
				input = i + 1
			}
		}
		history, before = appendItems(nil, before[:input]), before[input:]
	}
	text := fmt.Appendf(nil, `{"%s":%s`, s.lists[inHistory], history)
	text = appendItems(fmt.Appendf(text, `,"%s":`, s.lists[beforeTurn]), before)
	text = appendItems(fmt.Appendf(text, `,"%s":`, s.lists[inTurn]), list[begin:end])
	return Built{append(text, '}'), callID(conversation.Item(list[call])).Text(), len(list) - end}, nil
}

// recorded returns the items of a run, and its input as JSON, nil if the items include it.
func recorded(run jsonstream.Value) (s *spelling, input []byte, list []jsonstream.Value, err error) {
	s = &pythonSpelling
	produced := run
	if run.Kind() == jsonstream.Object {
		given := run.Get("input")
		if produced = run.Get("new_items"); !produced.Exists() {
			produced, s = run.Get("newItems"), &javaScriptSpelling
		}
		if given.Kind() != jsonstream.String && given.Kind() != jsonstream.Array || produced.Kind() != jsonstream.Array {
			return nil, nil, nil, errors.New("not a record of a run: expected an array of items, or an object with input and new_items")
		}
		input = jsonstream.AppendCompact(nil, given.Raw())
	}
	if produced.Kind() != jsonstream.Array {
		return nil, nil, nil, fmt.Errorf("not a record of a run: expected an array of items, or an object with input and new_items, found %s", produced.Kind())
	}
	for i, item := range produced.Elements() {
		if item.Kind() != jsonstream.Object {
			return nil, nil, nil, fmt.Errorf("item %d of the run: expected an object, found %s", i, item.Kind())
		}
		if item.Get(javaScriptSpelling.rawItem).Exists() || item.Get(javaScriptSpelling.callID).Exists() {
			s = &javaScriptSpelling
		}
		list = append(list, item)
	}
	return s, input, list, nil
}

// find returns the index of the call of the handoff, -1 if there is none.
func (o Run) find(list []jsonstream.Value) int {
	found := -1
	for i, item := range list {
		switch id := callID(conversation.Item(item)).Text(); {
		case o.Call != "" && id == o.Call && conversation.IsModelOutput(conversation.Item(item)):
			return i
		case o.Call == "" && isHandoffCall(item):
			found = i
		}
	}
	return found
}

// turnAround returns the bounds of the turn with a call: adjacent output of the model, and the
// results of the calls in it.
func turnAround(list []jsonstream.Value, call int) (begin, end int) {
	isMade := func(i int) bool { return conversation.IsModelOutput(conversation.Item(list[i])) }
	for begin = call; begin > 0 && isMade(begin-1); {
		begin--
	}
	calls := map[string]bool{}
	for end = call; end < len(list) && isMade(end); {
		end++
	}
	for _, item := range list[begin:end] {
		calls[callID(conversation.Item(item)).Text()] = true
	}
	for end < len(list) && !isMade(end) {
		if id := callID(conversation.Item(list[end])); !id.Exists() || !calls[id.Text()] {
			break
		}
		end++
	}
	return begin, end
}

// appendItems appends items as a JSON array.
func appendItems(dst []byte, list []jsonstream.Value) []byte {
	dst = append(dst, '[')
	for _, item := range list {
		dst = jsonstream.AppendCompact(jsonstream.AppendComma(dst), item.Raw())
	}
	return append(dst, ']')
}
