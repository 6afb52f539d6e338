package format

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Comparison compares two messages of one format.
type Comparison struct {
	Old, New jsonstream.Value
	// List returns the changes to the elements of the list member name.
	List func(name string) ListEdits
}

// ListEdits describes the changes to the elements of a list.
type ListEdits struct {
	Added, Removed, Changed, Moved int
	New                            []jsonstream.Value // the added elements, unless the whole list was replaced
}

// A Change describes one difference in meaning between two messages: things that were added
// or lost (Count), a changed value, an amount that grew or shrank, or only a Text.
type Change struct {
	Noun   string // the singular noun counted by Count
	Count  int    // with a Noun, 0 means no change
	Became string // the change, such as "lost"

	Was, Is []string // one name, or the names of sender and receiver

	By string // the growth of an amount, as a decimal number; replaces % in Text

	Text string
	Loss bool // something was lost
}

// Differing returns the number of names of old missing from new, and of new missing from
// old.
func Differing(old, new map[string]jsonstream.Value) (dropped, added int) {
	both := 0
	for name := range old {
		if new[name].Exists() {
			both++
		}
	}
	return len(old) - both, len(new) - both
}

// TextChanges counts the distinct texts of a list that were dropped and added.
func TextChanges(noun string, old, new jsonstream.Value) []Change {
	dropped, added := Differing(texts(old), texts(new))
	return []Change{{Noun: noun, Count: dropped, Became: "dropped", Loss: true}, {Noun: noun, Count: added, Became: "added"}}
}

func texts(list jsonstream.Value) map[string]jsonstream.Value {
	set := map[string]jsonstream.Value{}
	for _, v := range list.Elements() {
		if v.Kind() == jsonstream.String {
			set[v.Text()] = v
		}
	}
	return set
}

// Route returns the change of sender and receiver, whose names are at the JSON Pointers from
// and to; nil if they are the same.
func (c Comparison) Route(from, to string) []Change {
	was := []string{c.Old.At(from).Text(), c.Old.At(to).Text()}
	is := []string{c.New.At(from).Text(), c.New.At(to).Text()}
	if was[0] == is[0] && was[1] == is[1] {
		return nil
	}
	return []Change{{Was: was, Is: is}}
}
