package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// An entry is one difference: at a place, a value with a digest becomes another. An empty
// digest and no value stand for nothing.
type entry struct {
	at    string
	was   digest
	value node
}

const (
	// mostPointer and mostSteps bound the place of a difference. Below them, the whole
	// value differs: places of any depth would cost the square of the message.
	mostPointer = 256
	mostSteps   = 8
)

// whole are the places in the views whose value differs as a whole: a version or an
// execution is that of one agent, and messages are those of one handoff.
var whole = []string{"/fromAgent", "/toAgent", "/messages/others"}

// differences returns how to make b of a, but for what is at the pointers to skip.
func differences(a, b node, skip []string) []entry {
	d := differ{skip: skip}
	d.compare(a, b, "", 0)
	slices.SortFunc(d.entries, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	return d.entries
}

type differ struct {
	skip    []string
	entries []entry
}

func (d *differ) compare(a, b node, at string, steps int) {
	if a == b || slices.Contains(d.skip, at) {
		return
	}
	deep := steps >= mostSteps || len(at) > mostPointer || slices.Contains(whole, at)
	switch {
	case a == none || b == none || a.kind() != b.kind() || deep:
	case a.is(jsonstream.Object):
		for c := a.children(); c.next(); {
			d.compare(c.value, b.get(c.name), jsonstream.AppendPointer(at, c.name), steps+1)
		}
		for c := b.children(); c.next(); {
			if a.get(c.name) == none {
				d.compare(none, c.value, jsonstream.AppendPointer(at, c.name), steps+1)
			}
		}
		return
	case a.is(jsonstream.Array) && a.length() == b.length():
		x, y := a.children(), b.children()
		for i := 0; x.next() && y.next(); i++ {
			d.compare(x.value, y.value, jsonstream.AppendPointer(at, strconv.Itoa(i)), steps+1)
		}
		return
	}
	if !same(a, b) {
		e := entry{at: at, value: b}
		if a != none {
			e.was = a.digest()
		}
		d.entries = append(d.entries, e)
	}
}

// A change is the entries for a value and for what is below it.
type change struct {
	entry *entry
	below map[string]*change
	names []string // of below, in the order of the entries
}

// apply makes the differences where the values are still what they were. blind is for
// values that are known to be: then what they were is not asked. It returns the result,
// nil if nothing is left, and the places that have changed since.
func apply(n node, entries []entry, blind bool) (node, []string) {
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

func (a *applier) apply(n node, c *change) node {
	if e := c.entry; e != nil {
		is := digest{}
		if n != none && !a.blind {
			is = n.digest()
		}
		if a.blind || is == e.was {
			n = e.value
		} else {
			a.missed = append(a.missed, e.at)
		}
	}
	switch {
	case len(c.names) == 0:
	case n.is(jsonstream.Object):
		members := make([]member, len(c.names))
		for i, name := range c.names {
			members[i] = member{name: name, value: a.apply(n.get(name), c.below[name])}
		}
		return n.changed(members)
	case n.is(jsonstream.Array):
		elements := slices.Clone(elementsOf(n))
		for _, name := range c.names {
			i, ok := jsonstream.ArrayIndex(name)
			if !ok || i >= len(elements) {
				a.miss(c.below[name])
			} else if v := a.apply(elements[i], c.below[name]); v != none {
				elements[i] = v
			}
		}
		return array(elements...)
	default:
		for _, name := range c.names {
			a.miss(c.below[name])
		}
	}
	return n
}

// miss notes the entries whose place is not there any more.
func (a *applier) miss(c *change) {
	if c.entry != nil {
		a.missed = append(a.missed, c.entry.at)
	}
	for _, name := range c.names {
		a.miss(c.below[name])
	}
}

// packEntries writes entries as JSON.
func packEntries(entries []entry) node {
	list := make([]node, 0, len(entries))
	for _, e := range entries {
		members := []member{{name: "at", value: text(e.at)}}
		if e.was != (digest{}) {
			members = append(members, member{name: "was", value: text(e.was.text())})
		}
		if e.value != none {
			members = append(members, member{name: "value", value: e.value})
		}
		list = append(list, object(members...))
	}
	return array(list...)
}

// unpackEntries reads entries, and passes over what is none, or is deeper than any.
func unpackEntries(n node) []entry {
	var entries []entry
	for _, e := range elementsOf(n) {
		if at := e.get("at"); isText(at) && strings.Count(at.str(), "/") <= mostSteps {
			entries = append(entries, entry{e.get("at").str(), digestIn(e.get("was").str()), e.get("value")})
		}
	}
	return entries
}
