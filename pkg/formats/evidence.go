package formats

import (
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Evidence says why a document is in a format.
type Evidence struct {
	Format format.Format // "" if it is in none
	// Members are those whose names indicate the format.
	Members []string
	// Turn is the first element of its list that no other format has; absent if there is
	// none, or if the members decide.
	Turn jsonstream.Value
	// Also are the formats that the elements of the list fit as well.
	Also []format.Format
}

// Examine detects the format of a document as [Detect] does, and says why it is that one.
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
	}
	return e
}

// enough is how many elements of a list are looked at once they have told of one format.
const enough = 64

// A candidate is a format that the list of a document may be in.
type candidate struct {
	*format.Descriptor
	list             jsonstream.Value
	foreign, typical int
	fitting          int              // elements that are not foreign
	first            jsonstream.Value // the first typical element
	members          int32            // the weight of those that indicate the format
	lines            int              // 1 for lines of a format whose messages are lines
	settled          bool             // further elements are not looked at
}

// narrowest returns the format that the elements of a document's list belong to. A format
// without an element that it does not know precedes the others, and of several, for JSON Lines,
// one whose messages are lines, then the one with the most elements that no other has, then the
// one with the most members. What tells of no format is plain. A list of which only some
// elements fit is in the format that they are of, so that a person is told what is wrong with
// the others.
func narrowest(root jsonstream.Value, found *[maxFormats]int32) (e Evidence) {
	all := candidates(root, found)
	best := best(all)
	if best == nil {
		return e
	}
	e.Format, e.Turn = best.Name, best.first
	for _, c := range all {
		if c.Name != best.Name && c.foreign == 0 && c.list == best.list && c.list.Len() > 0 {
			e.Also = append(e.Also, c.Name)
		}
	}
	return e
}

// best returns the candidate that precedes all others, nil if there is none.
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

// hasListAlone reports whether all that indicates the format is the name of an empty list, such
// as history.
func (c *candidate) hasListAlone() bool {
	return c.list.Len() == 0 && c.members == memberWeight && slices.Contains(c.Members, c.list.Name())
}

// soundness is 2 if the whole list is of the format, 1 if most of it surely is, and 0 for any
// other.
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

// candidates returns the formats that are known by a list that the document has, with what
// they say of its elements.
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

// look counts how the elements of the list, or of a part of it, fit.
func (c *candidate) look(list jsonstream.Value) {
	for at, element := range list.Elements() {
		if c.settled {
			return
		}
		fit := c.Known.Fit(element)
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
