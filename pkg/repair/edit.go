package repair

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// parse returns a turn with a text.
func parse(text []byte) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(fmt.Sprintf("repair: wrote what is no JSON: %v", err)) // made of JSON by edits that keep it
	}
	return doc.Root()
}

// replace gives an item another text.
func (r *repairer) replace(i int, text []byte) {
	it := r.items[i]
	delete(r.holders, it.turn.Value)
	it.turn.Value = parse(text)
	r.holders[it.turn.Value] = it
	it.turn.Role = conversation.Role(it.turn.Value)
}

// edit changes a value within an item: nil removes it.
func (r *repairer) edit(i int, at jsonstream.Value, value []byte) {
	r.editAt(i, at.Pointer()[len(r.items[i].turn.Value.Pointer()):], value)
}

// editAt is edit by a JSON Pointer in the turn.
func (r *repairer) editAt(i int, pointer string, value []byte) {
	turn := jsonstream.NewDraft(r.items[i].turn.Value)
	var err error
	if value == nil {
		err = turn.Remove(pointer)
	} else {
		err = turn.Set(pointer, value)
	}
	if err != nil { // a turn of a shape that no remedy knows
		r.failed = true
		return
	}
	r.replace(i, turn.Bytes())
}

// insert inserts a turn that was made up.
func (r *repairer) insert(i int, text []byte) {
	like := &item{at: -1}
	like.turn.Value = parse(text)
	like.turn.Role = conversation.Role(like.turn.Value)
	if len(r.items) > 0 {
		like.turn.List = r.items[min(max(i-1, 0), len(r.items)-1)].turn.List
	}
	r.holders[like.turn.Value] = like
	r.items = slices.Insert(r.items, i, like)
}

// move moves an item before that with another index.
func (r *repairer) move(from, to int) {
	it := r.items[from]
	r.items = slices.Delete(r.items, from, from+1)
	if to > from {
		to--
	}
	if len(r.items) > 0 {
		it.turn.List = r.items[min(max(to-1, 0), len(r.items)-1)].turn.List
	}
	r.items = slices.Insert(r.items, to, it)
}

// drop removes an item.
func (r *repairer) drop(i int) {
	delete(r.holders, r.items[i].turn.Value)
	r.items = slices.Delete(r.items, i, i+1)
}
