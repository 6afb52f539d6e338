package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An entry is one difference: the value at a place, identified by its digest, changes to another value. An
// empty digest or no value is an absent value.
type entry struct {
	at    string
	was   tree.Digest
	value tree.Node
}

const (
	// maxPointer and maxSteps limit the place of a difference. Deeper values differ as a whole: with places
	// of any depth, the cost would be quadratic in the size of the message.
	maxPointer = 256
	maxSteps   = 8
)

// whole returns the places whose values always differ as a whole, in the views of all formats.
var whole = sync.OnceValue(func() []string {
	var places []string
	for _, d := range formats.All() {
		if d.Exchange != nil {
			places = append(places, d.Exchange.Whole...)
		}
	}
	return places
})

// differences returns the entries that change a to b, except at the pointers in skip.
func differences(a, b tree.Node, skip []string) []entry {
	d := differ{skip: skip}
	d.compare(a, b, "", 0)
	slices.SortFunc(d.entries, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	return d.entries
}

type differ struct {
	skip    []string
	entries []entry
}

func (d *differ) compare(a, b tree.Node, at string, steps int) {
	if a == b || slices.Contains(d.skip, at) {
		return
	}
	deep := steps >= maxSteps || len(at) > maxPointer || slices.Contains(whole(), at)
	switch {
	case a == tree.None || b == tree.None || a.Kind() != b.Kind() || deep:
	case a.Is(jsonstream.Object):
		for c := a.Children(); c.Next(); {
			d.compare(c.Value, b.Get(c.Name), jsonstream.AppendPointer(at, c.Name), steps+1)
		}
		for c := b.Children(); c.Next(); {
			if a.Get(c.Name) == tree.None {
				d.compare(tree.None, c.Value, jsonstream.AppendPointer(at, c.Name), steps+1)
			}
		}
		return
	case a.Is(jsonstream.Array) && a.Length() == b.Length():
		x, y := a.Children(), b.Children()
		for i := 0; x.Next() && y.Next(); i++ {
			d.compare(x.Value, y.Value, jsonstream.AppendPointer(at, strconv.Itoa(i)), steps+1)
		}
		return
	}
	if !tree.Same(a, b) {
		e := entry{at: at, value: b}
		if a != tree.None {
			e.was = a.Digest()
		}
		d.entries = append(d.entries, e)
	}
}

// A change holds the entries for a value and its descendants.
type change struct {
	entry *entry
	below map[string]*change
	names []string // of below, in the order of the entries
}

// apply applies entries to values that have not changed. With blind, values are known to be unchanged, and
// are not compared. It returns the result, nil if nothing is left, and the places that have changed since.
func apply(n tree.Node, entries []entry, blind bool) (tree.Node, []string) {
	root := &change{}
	for i := range entries {
		at := root
		tokens, ok := jsonstream.SplitPointer(entries[i].at)
		if !ok {
			continue
		}
		for _, t := range tokens {
			if at.below == nil {
				at.below = map[string]*change{}
			}
			next := at.below[t]
			if next == nil {
				next = &change{}
				at.below[t] = next
				at.names = append(at.names, t)
			}
			at = next
		}
		at.entry = &entries[i]
	}
	a := applier{blind: blind}
	return a.apply(n, root), a.missed
}

type applier struct {
	blind  bool
	missed []string
}

func (a *applier) apply(n tree.Node, c *change) tree.Node {
	if e := c.entry; e != nil {
		is := tree.Digest{}
		if n != tree.None && !a.blind {
			is = n.Digest()
		}
		if a.blind || is == e.was {
			n = e.value
		} else {
			a.missed = append(a.missed, e.at)
		}
	}
	switch {
	case len(c.names) == 0:
	case n.Is(jsonstream.Object):
		members := make([]tree.Member, len(c.names))
		for i, name := range c.names {
			members[i] = tree.Member{Name: name, Value: a.apply(n.Get(name), c.below[name])}
		}
		return n.Changed(members)
	case n.Is(jsonstream.Array):
		elements := slices.Clone(tree.Elements(n))
		for _, name := range c.names {
			i, ok := jsonstream.ArrayIndex(name)
			if !ok || i >= len(elements) {
				a.miss(c.below[name])
			} else if v := a.apply(elements[i], c.below[name]); v != tree.None {
				elements[i] = v
			}
		}
		return tree.Array(elements...)
	default:
		for _, name := range c.names {
			a.miss(c.below[name])
		}
	}
	return n
}

// miss records entries whose place no longer exists.
func (a *applier) miss(c *change) {
	if c.entry != nil {
		a.missed = append(a.missed, c.entry.at)
	}
	for _, name := range c.names {
		a.miss(c.below[name])
	}
}

// packEntries writes entries as JSON.
func packEntries(entries []entry) tree.Node {
	list := make([]tree.Node, 0, len(entries))
	for _, e := range entries {
		members := []tree.Member{{Name: "at", Value: tree.String(e.at)}}
		if e.was != (tree.Digest{}) {
			members = append(members, tree.Member{Name: "was", Value: tree.String(e.was.String())})
		}
		if e.value != tree.None {
			members = append(members, tree.Member{Name: "value", Value: e.value})
		}
		list = append(list, tree.Object(members...))
	}
	return tree.Array(list...)
}

// unpackEntries reads entries, and skips invalid or too deep ones.
func unpackEntries(n tree.Node) []entry {
	var entries []entry
	for _, e := range tree.Elements(n) {
		if at := e.Get("at"); tree.IsString(at) && strings.Count(at.Text(), "/") <= maxSteps {
			entries = append(entries, entry{e.Get("at").Text(), tree.DigestIn(e.Get("was").Text()), e.Get("value")})
		}
	}
	return entries
}
