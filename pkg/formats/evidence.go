package formats

import (
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Evidence explains the detected format of a document.
type Evidence struct {
	Format format.Format // "" if no format was detected
	// Members are the members whose names indicate the format.
	Members []string
	// Turn is the first list element that no other format has; absent if there is none or if
	// the members were decisive.
	Turn jsonstream.Value
	// Also lists the other formats that all elements of the list fit.
	Also []format.Format
}

// Examine detects the format of a document as [Detect] does, and returns the evidence.
func Examine(root jsonstream.Value) (e Evidence) {
	e.Format, _ = Detect(root)
	d := Named(e.Format)
	for name := range root.Members() {
		if slices.Contains(d.Marks, name) || slices.Contains(d.Members, name) {
			e.Members = append(e.Members, name)
		}
	}
	found := count(root)
	if i := slices.Index(All(), d); i >= 0 && found[i]&mark == 0 {
		fit := narrowest(root, &found)
		e.Turn, e.Also = fit.Turn, fit.Also
		e.Members = append(e.Members, fit.Members...)
	}
	return e
}

// enough is the number of list elements to examine before the evidence may be final.
const enough = 64

// A candidate is a possible format of a document's list.
type candidate struct {
	*format.Descriptor
	list             jsonstream.Value
	foreign, typical int
	fitting          int              // elements that fit the format
	first            jsonstream.Value // the first typical element
	members          int32            // the weight of the members that indicate the format
	lines            int              // 1 for lines in a format of JSON Lines
	settled          bool             // no further elements need to be examined
}

// narrowest returns the format of the elements in a document's list. A format that fits all
// elements precedes the others. Ties are broken by JSON Lines in a format of lines, the number
// of elements that no other format has, and the number of members, in this order. A list
// whose elements are no evidence is in the format that its carried data names; without any evidence, it
// is in the plain format. A format that fits only some elements is returned
// too, so that findings report the other elements.
func narrowest(root jsonstream.Value, found *[maxFormats]int32) (e Evidence) {
	all := candidates(root, found)
	best := best(all)
	if best == nil {
		return e
	}
	if best.typical == 0 {
		if c := converted(root, all); c != nil && c != best {
			best = c
			e.Members = []string{exchange.HolderName}
		}
	}
	e.Format, e.Turn = best.Name, best.first
	for _, c := range all {
		if c.Name != best.Name && c.foreign == 0 && c.list == best.list && c.list.Len() > 0 {
			e.Also = append(e.Also, c.Name)
		}
	}
	return e
}

// converted returns the candidate that the data carried in a converted message names, nil if there is none or
// an element does not fit it.
func converted(root jsonstream.Value, all []candidate) *candidate {
	for _, carried := range root.Get(exchange.HolderName).Members() {
		name := carried.Get(exchange.WrittenIn).Text()
		for i := range all {
			if c := &all[i]; string(c.Name) == name && c.foreign == 0 {
				return c
			}
		}
	}
	return nil
}

// best returns the candidate that precedes all others, or nil.
func best(all []candidate) (best *candidate) {
	for i := range all {
		c := &all[i]
		if c.fitting == 0 && c.foreign > 0 || !c.Known.Plain && c.typical == 0 && c.lines == 0 && (c.members == 0 || c.hasListAlone()) {
			continue
		}
		if best == nil || c.precedes(best) {
			best = c
		}
	}
	return best
}

func (c *candidate) precedes(other *candidate) bool {
	return cmp.Or(
		cmp.Compare(c.soundness(), other.soundness()),
		cmp.Compare(c.lines, other.lines),
		cmp.Compare(c.typical, other.typical),
		cmp.Compare(c.members, other.members),
		cmp.Compare(c.fitting, other.fitting),
	) > 0
}

// hasListAlone reports whether the only evidence is the name of an empty list, such as history.
func (c *candidate) hasListAlone() bool {
	return c.list.Len() == 0 && c.members == memberWeight && slices.Contains(c.Members, c.list.Name())
}

// soundness is 2 if all elements fit the format, 1 if it has more typical than foreign
// elements, and otherwise 0.
func (c *candidate) soundness() int {
	switch {
	case c.foreign == 0:
		return 2
	case c.typical > c.foreign:
		return 1
	default:
		return 0
	}
}

// candidates returns the formats whose list the document has, with the fits of its elements.
func candidates(root jsonstream.Value, found *[maxFormats]int32) (all []candidate) {
	for i, d := range All() {
		if d.Known == nil {
			continue
		}
		list := d.Known.List(root)
		if list.Kind() != jsonstream.Array || list == root && list.Len() == 0 {
			if d.Known.Whole != nil && d.Known.Whole(root) == format.Typical {
				all = append(all, candidate{Descriptor: d, typical: 1, first: root, members: found[i] &^ mark})
			}
			continue
		}
		c := candidate{Descriptor: d, list: list, members: found[i] &^ mark}
		if d.Known.Tells != nil && d.Known.Tells(root) {
			c.members += memberWeight
		}
		if len(d.Known.Lines) > 0 && list.IsLines() {
			c.lines = 1
		}
		c.look(list)
		all = append(all, c)
	}
	return all
}

// look counts the fits of the list, or of a part of it.
func (c *candidate) look(list jsonstream.Value) {
	for at, element := range list.Elements() {
		if c.settled {
			return
		}
		fit := c.Known.Fit(element)
		if at == 0 && c.Known.Later != nil && c.Known.Later(element) {
			fit = format.Foreign
		}
		if fit == format.Foreign {
			c.foreign++
		} else {
			c.fitting++
		}
		if fit == format.Typical {
			if c.typical++; c.typical == 1 {
				c.first = element
			}
		}
		c.settled = at >= enough && (c.typical > 0 || c.foreign > enough/2)
	}
}
