package chat

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// places returns the places of turns in a message.
func (f *Form) places(message tree.Node) []string {
	if message.Is(jsonstream.Array) {
		return []string{""}
	}
	if f.isWhole(message) {
		return []string{""}
	}
	var at []string
	for _, place := range f.At {
		v := message.At(place)
		holds := v.Is(jsonstream.Array) || f.isText(place, v)
		if f.isAlone(place) {
			holds = f.isTurn(message, place, v)
		}
		if len(at) < maxPlaces && holds {
			at = append(at, place)
		}
	}
	return at
}

// isText reports whether the value at a place is a string that is a user turn.
func (f *Form) isText(place string, v tree.Node) bool {
	return f.Text != "" && place == f.Text && tree.IsString(v)
}

// isAlone reports whether a place belongs to a single turn.
func (f *Form) isAlone(place string) bool {
	return strings.HasSuffix(place, "/message") || slices.Contains(f.Alone, place)
}

// isTurn reports whether the value at the place of a single turn is a turn of its own.
func (f *Form) isTurn(message tree.Node, place string, v tree.Node) bool {
	return v.Is(jsonstream.Object) && (!slices.Contains(f.Alone, place) || f.isWhole(v)) && !f.repeats(message, place)
}

// isWhole reports whether a value is itself a turn.
func (f *Form) isWhole(value tree.Node) bool { return f.Whole != nil && f.Whole(value) }

// repeats reports whether the turn at a place is the last one of the list before it.
func (f *Form) repeats(message tree.Node, place string) bool {
	list := f.Before[place]
	if list == "" || f.Again == nil {
		return false
	}
	before := tree.Elements(message.At(list))
	return len(before) > 0 && f.Again(message.At(place), before[len(before)-1])
}

// restName returns the name of the view's member with the rest of the message.
func (f *Form) restName(at []string) string {
	if len(at) == 1 && f.isAlone(at[0]) && f.Before[at[0]] == "" {
		return "around"
	}
	return "rest"
}

// takes reports whether a value can be set at a place of a message: all its parents are objects or
// absent.
func takes(message tree.Node, at string) bool {
	tokens, _ := jsonstream.SplitPointer(at)
	for _, token := range tokens {
		if message != tree.None && !message.Is(jsonstream.Object) {
			return false
		}
		message = message.Get(token)
	}
	return true
}

// makeRoom moves elements if there are several for the place of a single turn: to the list before
// it or, if there is none, to the list of a new message. It returns nil if they can stay.
func (f *Form) makeRoom(at []tree.Node, written [][]tree.Node, whole bool) (places []tree.Node, moved [][]tree.Node) {
	for i, place := range at {
		n := len(written[i]) - 1
		if n < 1 || !whole && !f.isAlone(place.Text()) {
			continue
		}
		switch list := f.Before[place.Text()]; {
		case list == "": // it is the only place
			return []tree.Node{tree.String(f.At[0])}, [][]tree.Node{slices.Concat(written...)}
		case i > 0 && at[i-1].Text() == list:
			written[i-1], written[i] = slices.Concat(written[i-1], written[i][:n]), written[i][n:]
			return at, written
		default:
			return slices.Insert(slices.Clone(at), i, tree.String(list)), slices.Replace(slices.Clone(written), i, i+1, written[i][:n], written[i][n:])
		}
	}
	return nil, nil
}
