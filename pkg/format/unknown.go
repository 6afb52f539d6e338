package format

import (
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Unknown is a kind of elements that the reader of a format does not know: a newer version of the program wrote them.
type Unknown struct {
	Kind  string // "" for elements without a type
	First int    // the index of the first, or what the caller of Add gave instead
	Count int
}

// Unknowns are kinds of elements, in the order of their first elements.
type Unknowns []Unknown

// maxUnknown is the maximum number of kinds: elements of further ones are not counted.
const maxUnknown = 20

// Add counts an element if its kind is unknown.
func (u *Unknowns) Add(known *Elements, index int, element jsonstream.Value) {
	if known == nil || known.Kind == nil {
		return
	}
	if kind, isKnown := known.Kind(element); !isKnown {
		u.add(Unknown{kind, index, 1})
	}
}

// AddAll adds the kinds of later elements.
func (u *Unknowns) AddAll(later Unknowns) {
	for _, k := range later {
		u.add(k)
	}
}

func (u *Unknowns) add(k Unknown) {
	for i := range *u {
		if (*u)[i].Kind == k.Kind {
			(*u)[i].Count += k.Count
			return
		}
	}
	if len(*u) < maxUnknown {
		k.Kind = strings.Clone(k.Kind)
		*u = append(*u, k)
	}
}
