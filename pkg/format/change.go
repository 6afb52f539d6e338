package format

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Comparison is of two messages of one format.
type Comparison struct {
	Old, New jsonstream.Value
	// List returns what became of the elements of a member that is a list.
	List func(name string) ListEdits
}

// ListEdits are what became of the elements of a list.
type ListEdits struct {
	Added, Removed, Changed, Moved int
	New                            []jsonstream.Value // the added ones, unless the list was replaced as a whole
}

// A Change is a part of what it means that one message became another: a number of things
// came to something, what was so is something else, an amount grew or shrank, or just a
// Text.
type Change struct {
	Noun   string // of what there are Count, in the singular
	Count  int    // a Change with a Noun and none of them is no change
	Became string // what became of them, such as "lost"

	Was, Is []string // one name, or those between whom the message goes

	By string // by how much an amount grew, a decimal number; in Text, % stands for it

	Text string
	Loss bool // something is missing now that was there
}

// Differing returns how many names of old are not in new, and of new not in old.
func Differing(old, new map[string]jsonstream.Value) (dropped, added int) {
	both := 0
	for name := range old {
		if new[name].Exists() {
			both++
		}
	}
	return len(old) - both, len(new) - both
}

// TextChanges returns what became of the different texts of a list: so many of the noun
// dropped and added.
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

// Route returns the change of between whom a message goes, by the JSON Pointers of their
// names; none if they are the same.
func (c Comparison) Route(from, to string) []Change {
	was := []string{c.Old.At(from).Text(), c.Old.At(to).Text()}
	is := []string{c.New.At(from).Text(), c.New.At(to).Text()}
	if was[0] == is[0] && was[1] == is[1] {
		return nil
	}
	return []Change{{Was: was, Is: is}}
}
