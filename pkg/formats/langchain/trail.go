package langchain

import (
	"iter"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// removeAll is the id of a remove message that removes all earlier messages.
const removeAll = "__remove_all__"

// A trail finds the messages that are left in a state after add_messages, the reducer of LangGraph, has read the
// list (langgraph 1.7.3: messagesStateReducer). A remove message removes the earlier message with its id. A
// message with the id of a removed one takes its place; a message with the id of another is a fault, and a
// turn. The message that a Command removes can be in a state elsewhere.
type trail struct{ messages []format.Record[record] }

// A record is the id of a message, "" if it has none.
type record struct {
	id      string
	removes bool
}

// known finds the messages of a list.
var known = &format.Elements{Trail: newTrail}

func newTrail() format.Trail { return &trail{} }

func (t *trail) Read(part iter.Seq2[int, jsonstream.Value]) any {
	return format.Records(part, func(v jsonstream.Value) (record, bool) {
		return record{strings.Clone(conversation.Item(v).Get("id").Text()), isRemoval(v)}, true
	})
}

func (t *trail) Add(read any) {
	t.messages = append(t.messages, read.([]format.Record[record])...)
}

func (t *trail) Turns() []format.Spot {
	spots := make([]format.Spot, 0, len(t.messages))
	for _, i := range t.left() {
		spots = append(spots, format.Spot{Index: int32(i)})
	}
	return spots
}

// left returns the indices of the messages that are left, in the order of the state.
func (t *trail) left() []int {
	var left []int
	at := map[string]int{} // the places in left, by id
	gone := map[int]bool{} // the places of removed messages
	for _, m := range t.messages {
		place, found := at[m.Data.id]
		switch {
		case m.Data.removes && m.Data.id == removeAll:
			left = left[:0]
			clear(at)
			clear(gone)
		case m.Data.removes && found:
			gone[place] = true
		case m.Data.removes:
		case found && gone[place]:
			left[place] = m.Index
			delete(gone, place)
		default:
			if m.Data.id != "" && !found {
				at[m.Data.id] = len(left)
			}
			left = append(left, m.Index)
		}
	}
	kept := left[:0]
	for place, i := range left {
		if !gone[place] {
			kept = append(kept, i)
		}
	}
	return kept
}

// isRemoval reports whether a message removes others.
func isRemoval(message jsonstream.Value) bool {
	return message.Kind() == jsonstream.Object && conversation.Role(message) == "remove"
}

// isRemovalNode is [isRemoval] for a node.
func isRemovalNode(message tree.Node) bool {
	_, kind := fieldsOf(message)
	return strings.EqualFold(kind, "remove")
}

// undoes reports whether a message removes only the earlier one.
func undoes(later, earlier jsonstream.Value) bool {
	return isRemoval(later) && conversation.Item(later).Get("id").Text() == conversation.Item(earlier).Get("id").Text()
}
