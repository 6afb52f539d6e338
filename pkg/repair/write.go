package repair

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// write returns the message with the current turns. Each list keeps the white space between its turns.
func (r *repairer) write() ([]byte, error) {
	if r.isLines() {
		turns := make([]history.Line, len(r.items))
		for i, it := range r.items {
			turns[i] = history.Line{Of: it.at, Value: it.turn.Value}
		}
		return r.h.WithTurns(turns)
	}
	root := jsonstream.NewDraft(r.h.Root)
	for i, list := range r.h.Lists {
		if list.Value.Kind() != jsonstream.Array {
			continue
		}
		elements := r.elements(i, list.Value)
		var was [][]byte
		for _, v := range list.Value.Elements() {
			was = append(was, v.Raw())
		}
		if slices.EqualFunc(elements, was, bytes.Equal) {
			continue
		}
		if err := root.Set(list.Pointer(), join(list.Value, elements)); err != nil {
			return nil, err
		}
	}
	for _, name := range r.layout.Signature {
		if r.h.Root.Get(name).Exists() {
			if err := root.Remove("/" + name); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range []string{"system", "systemInstruction"} {
		if value := r.members[name]; value != nil {
			if err := root.Set("/"+name, value); err != nil {
				return nil, err
			}
		}
	}
	return r.h.Message(root.Bytes())
}

// elements returns the new elements of a list: its current turns, and the elements that are not turns, such
// as an event without content, each after the turn it followed.
func (r *repairer) elements(list int, v jsonstream.Value) (elements [][]byte) {
	there := map[int]bool{} // the remaining turns, by their indices before the repair
	for _, it := range r.items {
		there[it.at] = there[it.at] || it.turn.List == list
	}
	at := map[int]int{} // the turns of the list before the repair, by their indices in it
	for i, t := range r.h.Turns {
		if t.List == list {
			at[t.Index] = i
		}
	}
	follows := map[int][][]byte{} // the elements that are not turns, by the turn before them, -1 if there is none
	last := -1
	was := map[string]bool{} // the texts of elements that are not turns
	for index, element := range v.Elements() {
		if i, isTurn := at[index]; isTurn {
			if there[i] {
				last = i
			}
			continue
		}
		if text := string(element.Raw()); !was[text] || !r.once[text] {
			follows[last] = append(follows[last], element.Raw())
			was[text] = true
		}
	}
	elements = follows[-1]
	for _, it := range r.inText() {
		if it.turn.List != list {
			continue
		}
		elements = append(elements, it.turn.Value.Raw())
		if it.at >= 0 {
			elements = append(elements, follows[it.at]...)
		}
	}
	return elements
}

// inText returns the items in the order in which they are written: the order of the message before the
// repair, unless a turn was moved. The order of the conversation may differ. A new turn follows the one
// before it.
func (r *repairer) inText() []*item {
	index := make(map[*item]int, len(r.items))
	before, last := -1, -1
	for _, it := range r.items {
		if it.at >= 0 {
			if it.at < before {
				return r.items
			}
			before, last = it.at, r.h.Turns[it.at].Index
		}
		index[it] = last
	}
	items := slices.Clone(r.items)
	slices.SortStableFunc(items, func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.turn.List, b.turn.List), cmp.Compare(index[a], index[b]))
	})
	return items
}

// reorder repairs the items in the order in which the written message is read, and reports whether it did: ADK sends
// an event with only results after its calls, and any other event where it is stored.
func (r *repairer) reorder(now *history.History) bool {
	if known := r.layout.Known; known == nil || known.Trail == nil || r.isLines() || len(r.steps) == 0 {
		return false
	}
	places := make([]int, len(now.Turns)) // the turns in the order of the text
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(now.Turns[a].List, now.Turns[b].List), cmp.Compare(now.Turns[a].Index, now.Turns[b].Index))
	})
	written := slices.Clone(r.inText())
	slices.SortStableFunc(written, func(a, b *item) int { return cmp.Compare(a.turn.List, b.turn.List) })
	items := make([]*item, len(written))
	for i, place := range places {
		items[place] = written[i]
	}
	if slices.Equal(items, r.items) {
		return false
	}
	before, n := r.items, len(r.steps)
	r.setItems(items)
	if r.run(); len(r.steps) == n {
		r.setItems(before)
		return false
	}
	return true
}

// join writes a list with the white space of the original before its first element and after its last.
func join(list jsonstream.Value, turns [][]byte) []byte {
	raw := list.Raw()
	before, after, between := "", "", ","
	if list.Len() > 0 {
		first, last := list.First(), list.First()
		for _, v := range list.Elements() {
			last = v
		}
		offset := list.Position().Offset
		before = string(raw[1 : first.Position().Offset-offset])
		after = string(raw[int(last.Position().Offset-offset)+len(last.Raw()) : len(raw)-1])
		if list.Len() > 1 {
			second := first.Next()
			between = string(raw[int(first.Position().Offset-offset)+len(first.Raw()) : second.Position().Offset-offset])
		} else if before != "" {
			between += before
		}
	}
	text := append([]byte{'['}, before...)
	for i, t := range turns {
		if i > 0 {
			text = append(text, between...)
		}
		text = append(text, t...)
	}
	return append(append(text, after...), ']')
}
