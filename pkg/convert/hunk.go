package convert

import (
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A hunk is a difference between turns: some that follow each other become others. They
// are found by their digests, so that turns removed or added elsewhere do not matter:
// the first is the nth from the end of those that have its digest.
type hunk struct {
	was  []digest
	nth  int
	put  []node
	edit []entry // instead of put, of one turn that stays one
	list string  // instead of was, of a list that was empty
}

// A place is where a turn is: in which of the lists, and its index.
type place struct{ list, index int }

// turnsOf returns the turns of each list.
func turnsOf(v node, lists []string) [][]node {
	turns := make([][]node, len(lists))
	for i, list := range lists {
		turns[i] = elementsOf(v.at(list))
	}
	return turns
}

// A span is a run of turns of one sequence and what another one has in its place.
type span struct{ a, aEnd, b, bEnd int }

// alignTurns returns how to make the turns of one view of those of another, in the lists
// that both have.
func alignTurns(from, to node, lists, both []string) []hunk {
	var hunks []hunk
	var starts []int // the index among all turns of the first one of each hunk, -1 if it has none
	count := map[digest]int{}
	base := 0
	for _, list := range lists {
		a := elementsOf(from.at(list))
		if slices.Contains(both, list) {
			b := elementsOf(to.at(list))
			for _, s := range spans(a, b) {
				h, start := hunkOf(list, a[s.a:s.aEnd], b[s.b:s.bEnd]), -1
				if len(h.was) > 0 {
					start, count[h.was[0]] = base+s.a, 0
				}
				hunks, starts = append(hunks, h), append(starts, start)
			}
		}
		base += len(a)
	}
	if len(count) == 0 {
		return hunks
	}
	k := len(hunks) - 1
	for _, list := range slices.Backward(lists) {
		for _, t := range slices.Backward(elementsOf(from.at(list))) {
			base--
			d := t.digest()
			later, wanted := count[d]
			if !wanted {
				continue
			}
			for k >= 0 && (starts[k] < 0 || starts[k] > base) {
				k--
			}
			if k >= 0 && starts[k] == base {
				hunks[k].nth = later
			}
			count[d]++
		}
	}
	return hunks
}

// hunkOf returns how turns of a list become others.
func hunkOf(list string, from, to []node) hunk {
	h := hunk{put: to}
	for _, t := range from {
		h.was = append(h.was, t.digest())
	}
	if len(h.was) == 0 {
		h.list = list
	}
	if len(from) == 1 && len(to) == 1 {
		if edit := differences(from[0], to[0], nil); edit[0].at != "" {
			h.put, h.edit = nil, edit
		}
	}
	return h
}

// window is how far to look for the next turn that two sequences share.
const window = 8

// spans returns where two sequences of turns differ. None of them is without a turn of
// the first sequence, unless that has none.
func spans(a, b []node) []span {
	var list []span
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		if i < len(a) && j < len(b) && same(a[i], b[j]) {
			i, j = i+1, j+1
			continue
		}
		s := span{i, i + 1, j, j + 1}
		if len(a) != len(b) && (i == len(a) || j == len(b) || !akin(a[i], b[j])) {
			s = nextSpan(a, b, i, j)
		}
		list = addSpan(list, s, len(a))
		i, j = list[len(list)-1].aEnd, list[len(list)-1].bEnd
	}
	return list
}

// akin reports whether two turns say the same, whatever else is with them: then one is the
// translation of the other.
func akin(a, b node) bool {
	said := false
	for _, name := range []string{"type", "role", "content", "call_id", "tool_call_id", "output", "arguments"} {
		x, y := a.get(name), b.get(name)
		if (x == none) != (y == none) || x != none && (x.digest() != y.digest() || !same(x, y)) {
			return false
		}
		said = said || x != none && name != "type" && name != "role"
	}
	return said
}

// nextSpan returns the shortest difference at two places after which the sequences agree
// again, as far as the window reaches.
func nextSpan(a, b []node, i, j int) span {
	for steps := 1; steps <= 2*window; steps++ {
		for di := range steps + 1 {
			x, y := i+di, j+steps-di
			if x < len(a) && y < len(b) && (a[x].digest() == b[y].digest() && same(a[x], b[y]) || akin(a[x], b[y])) {
				return span{i, x, j, y}
			}
		}
	}
	if i == len(a) || j == len(b) {
		return span{i, len(a), j, len(b)}
	}
	return span{i, i + 1, j, j + 1}
}

// addSpan adds a span that has a turn of the first sequence: a neighbour's, if need be.
func addSpan(list []span, s span, length int) []span {
	last := len(list) - 1
	switch {
	case s.a < s.aEnd || length == 0:
	case last >= 0 && list[last].aEnd == s.a && list[last].bEnd == s.b:
		list[last].bEnd = s.bEnd
		return list
	case s.a > 0:
		s.a, s.b = s.a-1, s.b-1
	default: // at the very beginning: with the next turn, which both have
		s.aEnd, s.bEnd = s.aEnd+1, s.bEnd+1
	}
	return append(list, s)
}

// applyTurns makes the differences in the turns of a view where the turns are still what
// they were, and returns the places of those that are not.
func applyTurns(v node, lists []string, hunks []hunk) (node, []string) {
	if len(hunks) == 0 {
		return v, nil
	}
	all := turnsOf(v, lists)
	places := map[digest][]place{}
	for _, h := range hunks {
		if len(h.was) > 0 {
			places[h.was[0]] = nil
		}
	}
	for list, turns := range all {
		for i, t := range turns {
			d := t.digest()
			if at, wanted := places[d]; wanted {
				places[d] = append(at, place{list, i})
			}
		}
	}
	at := make(map[place]hunk, len(hunks))
	starts := map[string]hunk{}
	var missed []string
	for _, h := range hunks {
		if len(h.was) == 0 {
			if list := v.at(h.list); slices.Contains(lists, h.list) && list.is(jsonstream.Array) && list.empty() {
				starts[h.list] = h
			} else {
				missed = append(missed, h.list)
			}
			continue
		}
		p, ok := h.find(all, places[h.was[0]])
		if _, taken := at[p]; !ok || taken {
			missed = append(missed, lists[0])
			continue
		}
		at[p] = h
	}
	for i, list := range lists {
		if v.at(list).is(jsonstream.Array) {
			v = v.set(list, array(rebuild(i, all[i], at, starts[list].put)...))
		}
	}
	return v, missed
}

// find returns the place of the hunk's first turn.
func (h hunk) find(all [][]node, places []place) (place, bool) {
	k := len(places) - 1 - h.nth
	if k < 0 || k >= len(places) {
		return place{}, false
	}
	p := places[k]
	turns := all[p.list][p.index:]
	if len(turns) < len(h.was) {
		return place{}, false
	}
	for n, d := range h.was {
		if turns[n].digest() != d {
			return place{}, false
		}
	}
	return p, true
}

// rebuild returns the turns of a list with the hunks applied.
func rebuild(list int, turns []node, at map[place]hunk, start []node) []node {
	out := append(make([]node, 0, len(start)+len(turns)), start...)
	for i := 0; i < len(turns); i++ {
		h, ok := at[place{list, i}]
		if !ok {
			out = append(out, turns[i])
			continue
		}
		out = append(out, h.put...)
		if h.edit != nil {
			if t, _ := apply(turns[i], h.edit, true); t != none {
				out = append(out, t)
			}
		}
		i += len(h.was) - 1
	}
	return out
}

func packHunks(hunks []hunk) node {
	list := make([]node, 0, len(hunks))
	for _, h := range hunks {
		var members []member
		add := func(name string, value node) { members = append(members, member{name: name, value: value}) }
		if h.list != "" {
			add("list", text(h.list))
		} else {
			var was []node
			for _, d := range h.was {
				was = append(was, text(d.text()))
			}
			add("was", array(was...))
		}
		if h.nth > 0 {
			add("nth", number(int64(h.nth)))
		}
		if h.edit != nil {
			entries := slices.Clone(h.edit)
			for i := range entries {
				entries[i].was = digest{} // the turn is known by its own
			}
			add("edit", packEntries(entries))
		} else {
			add("put", array(h.put...))
		}
		list = append(list, object(members...))
	}
	return array(list...)
}

// unpackHunks reads hunks, and passes over what is none.
func unpackHunks(n node) []hunk {
	var hunks []hunk
	for _, e := range elementsOf(n) {
		var h hunk
		for _, d := range elementsOf(e.get("was")) {
			h.was = append(h.was, digestIn(d.str()))
		}
		h.nth, _ = e.get("nth").count()
		h.put = elementsOf(e.get("put"))
		if edit := e.get("edit"); edit.is(jsonstream.Array) && len(h.was) == 1 {
			h.edit = unpackEntries(edit)
		}
		if len(h.was) == 0 {
			h.list = e.get("list").str()
		}
		hunks = append(hunks, h)
	}
	return hunks
}
