package diff

import (
	"bytes"
	"hash/maphash"
	"strconv"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Compare returns the edit from a to b, or nil if and only if they are equal under the options.
// Values that the options leave out are in no edit, except within values that were added,
// removed or replaced as a whole.
func Compare(a, b *jsonstream.Document, o Options) *Edit {
	return compare(a, b, o, 0)
}

// compare compares documents at the given depth of nested strings.
func compare(a, b *jsonstream.Document, o Options, depth int) *Edit {
	old, new := a.Root(), b.Root()
	relation := o.relation()
	if relation.Mask.Partly() && relation.Equal(old, new) {
		return nil // possibly nothing in them is compared
	}
	c := newComparison(old, new, o.Exact, depth)
	return c.values(equal.Child{Value: old, Relation: relation}, equal.Child{Value: new, Relation: relation}, keysOf(old, new, o))
}

// The limits of a comparison beyond reading the documents.
const (
	// rounds is the maximum number of times that the text of both may be read to match the
	// elements of arrays in arrays. Further elements are matched by their indices.
	rounds = 32
	// maxSketches is the maximum number of elements with a sketch.
	maxSketches = 1 << 19
	// maxLikeness is the maximum number of pairs of elements compared for likeness. After that,
	// only elements near each other are compared.
	maxLikeness = 1 << 20
)

// A comparison is the state of comparing two documents, including what remains of its limits.
type comparison struct {
	seed  maphash.Seed
	exact bool
	depth int // of nested strings around the documents

	work     int64 // bytes of arrays whose elements may be matched
	sketches int
	likeness int
}

func newComparison(old, new jsonstream.Value, exact bool, depth int) *comparison {
	return &comparison{
		seed:     maphash.MakeSeed(),
		exact:    exact,
		depth:    depth,
		work:     rounds * size(old, new),
		sketches: maxSketches,
		likeness: maxLikeness,
	}
}

func size(a, b jsonstream.Value) int64 { return int64(len(a.Raw())) + int64(len(b.Raw())) }

// values returns the edit from a to b, nil if there is no difference that counts.
func (c *comparison) values(a, b equal.Child, k keys) *Edit {
	if a.Relation == b.Relation && bytes.Equal(a.Value.Raw(), b.Value.Raw()) {
		return nil
	}
	e := &Edit{Kind: Changed, Old: a.Value, New: b.Value}
	switch kind := a.Value.Kind(); {
	case kind != b.Value.Kind():
		e.Inside, e.SameInside = c.inside(a.Value, b.Value)
		return e
	case kind == jsonstream.Object:
		e.Edits = c.members(a, b, k)
	case kind == jsonstream.Array:
		e.Edits = c.elements(a, b, k)
	case equal.Same(a, b):
		return nil
	default:
		e.Inside, e.SameInside = c.inside(a.Value, b.Value)
		return e
	}
	if e.Edits == nil {
		return nil
	}
	return e
}

func (c *comparison) members(a, b equal.Child, k keys) []*Edit {
	olds, news := a.Relation.Children(a.Value), b.Relation.Children(b.Value)
	var edits []*Edit
	both := func(old, new equal.Child) {
		if e := c.values(old, new, k.below(old.Value.Name())); e != nil {
			edits = append(edits, e)
		}
	}
	for len(olds) > 0 && len(news) > 0 && olds[0].Value.Name() == news[0].Value.Name() {
		both(olds[0], news[0])
		olds, news = olds[1:], news[1:]
	}
	if len(olds)+len(news) == 0 {
		return edits
	}
	others := make(map[string]equal.Child, len(news))
	for _, new := range news {
		others[new.Value.Name()] = new
	}
	for _, old := range olds {
		if new, ok := others[old.Value.Name()]; ok {
			both(old, new)
			delete(others, old.Value.Name())
		} else {
			edits = append(edits, &Edit{Kind: Removed, Old: old.Value})
		}
	}
	for _, new := range news {
		if _, ok := others[new.Value.Name()]; ok {
			edits = append(edits, &Edit{Kind: Added, New: new.Value})
		}
	}
	return edits
}

func (c *comparison) elements(a, b equal.Child, k keys) []*Edit {
	olds, news := a.Relation.Children(a.Value), b.Relation.Children(b.Value)
	c.work -= size(a.Value, b.Value)
	if c.work >= 0 {
		for len(olds) > 0 && len(news) > 0 && equal.Same(olds[0], news[0]) {
			olds, news = olds[1:], news[1:]
		}
		for len(olds) > 0 && len(news) > 0 && equal.Same(olds[len(olds)-1], news[len(news)-1]) {
			olds, news = olds[:len(olds)-1], news[:len(news)-1]
		}
	}
	m := newMatching(c, olds, news, k)
	switch {
	case len(olds) == 0 || len(news) == 0:
	case c.work < 0:
		m.byIndex()
	default:
		m.match()
	}
	return m.edits()
}

// edits returns the edits of the elements after they are matched.
func (m *matching) edits() []*Edit {
	var edits []*Edit
	at := 0 // in olds
	removed := func() {
		for ; at < len(m.olds) && (m.to[at] < 0 || !m.stays[at]); at++ {
			if m.to[at] < 0 {
				edits = append(edits, &Edit{Kind: Removed, Old: m.olds[at].Value})
			}
		}
	}
	removed()
	for j, new := range m.news {
		i := int(m.from[j])
		if i < 0 {
			edits = append(edits, &Edit{Kind: Added, New: new.Value})
			continue
		}
		e := m.inner(i, j)
		if !m.stays[i] {
			if e == nil {
				e = &Edit{Old: m.olds[i].Value, New: new.Value}
			}
			e.Kind = Moved
		}
		if e != nil {
			edits = append(edits, e)
		}
		if m.stays[i] {
			at = i + 1
			removed()
		}
	}
	return edits
}

func (m *matching) inner(i, j int) *Edit {
	if m.same[i] {
		return nil
	}
	old := m.olds[i]
	return m.values(old, m.news[j], m.keys.below(strconv.Itoa(old.Value.Index())))
}
