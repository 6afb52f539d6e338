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
	put  []*node
	edit []entry // instead of put, of one turn that stays one
	list string  // instead of was, of a list that was empty
}

// A placedTurn is a turn and the list it is in.
type placedTurn struct {
	list string
	turn *node
}

// placeTurns returns the turns of all lists.
func placeTurns(v *node, lists []string) []placedTurn {
	var turns []placedTurn
	for _, list := range lists {
		for _, t := range elementsOf(v.at(list)) {
			turns = append(turns, placedTurn{list, t})
		}
	}
	return turns
}

// A span is a run of turns of one sequence and what another one has in its place.
type span struct{ a, aEnd, b, bEnd int }

// alignTurns returns how to make the turns of one view of those of another, in the lists
// that both have.
func alignTurns(from, to *node, lists, both []string) []hunk {
	all := placeTurns(from, lists)
	after := make([]int, len(all)) // how many turns like it come later
	count := map[digest]int{}
	for i, t := range slices.Backward(all) {
		d := t.turn.digest()
		after[i] = count[d]
		count[d]++
	}
	var hunks []hunk
	base := 0
	for _, list := range lists {
		a, b := elementsOf(from.at(list)), elementsOf(to.at(list))
		if !slices.Contains(both, list) {
			b = a
		}
		for _, s := range spans(a, b) {
			h := hunk{put: b[s.b:s.bEnd]}
			for _, t := range a[s.a:s.aEnd] {
				h.was = append(h.was, t.digest())
			}
			if len(h.was) == 0 {
				h.list = list
			} else {
				h.nth = after[base+s.a]
			}
			if s.aEnd-s.a == 1 && s.bEnd-s.b == 1 {
				if edit := differences(a[s.a], b[s.b], nil); edit[0].at != "" {
					h.put, h.edit = nil, edit
				}
			}
			hunks = append(hunks, h)
		}
		base += len(a)
	}
	return hunks
}

// window is how far to look for the next turn that two sequences share.
const window = 8

// spans returns where two sequences of turns differ. None of them is without a turn of
// the first sequence, unless that has none.
func spans(a, b []*node) []span {
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
func akin(a, b *node) bool {
	said := false
	for _, name := range []string{"type", "role", "content", "call_id", "tool_call_id", "output", "arguments"} {
		x, y := a.get(name), b.get(name)
		if (x == nil) != (y == nil) || x != nil && (x.digest() != y.digest() || !same(x, y)) {
			return false
		}
		said = said || x != nil && name != "type" && name != "role"
	}
	return said
}

// nextSpan returns the shortest difference at two places after which the sequences agree
// again, as far as the window reaches.
func nextSpan(a, b []*node, i, j int) span {
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
func applyTurns(v *node, lists []string, hunks []hunk) (*node, []string) {
	if len(hunks) == 0 {
		return v, nil
	}
	all := placeTurns(v, lists)
	places := map[digest][]int{}
	for i, t := range all {
		places[t.turn.digest()] = append(places[t.turn.digest()], i)
	}
	at := make(map[int]hunk, len(hunks))
	starts := map[string]hunk{}
	var missed []string
	for _, h := range hunks {
		if len(h.was) == 0 {
			if list := v.at(h.list); slices.Contains(lists, h.list) && list.is(jsonstream.Array) && len(list.elements) == 0 {
				starts[h.list] = h
			} else {
				missed = append(missed, h.list)
			}
			continue
		}
		i, ok := h.find(all, places[h.was[0]])
		if _, taken := at[i]; !ok || taken {
			missed = append(missed, lists[0])
			continue
		}
		at[i] = h
	}
	for _, list := range lists {
		if l := v.at(list); !l.is(jsonstream.Array) {
			continue
		}
		v = v.set(list, array(rebuild(all, at, list, starts[list].put)...))
	}
	return v, missed
}

// find returns the index of the hunk's first turn.
func (h hunk) find(all []placedTurn, places []int) (int, bool) {
	k := len(places) - 1 - h.nth
	if k < 0 || k >= len(places) {
		return 0, false
	}
	i := places[k]
	for n, d := range h.was {
		if i+n >= len(all) || all[i+n].list != all[i].list || all[i+n].turn.digest() != d {
			return 0, false
		}
	}
	return i, true
}

// rebuild returns the turns of a list with the hunks applied.
func rebuild(all []placedTurn, at map[int]hunk, list string, turns []*node) []*node {
	turns = slices.Clone(turns)
	for i := 0; i < len(all); i++ {
		if all[i].list != list {
			continue
		}
		h, ok := at[i]
		if !ok {
			turns = append(turns, all[i].turn)
			continue
		}
		turns = append(turns, h.put...)
		if h.edit != nil {
			if t, _ := apply(all[i].turn, h.edit, true); t != nil {
				turns = append(turns, t)
			}
		}
		i += len(h.was) - 1
	}
	return turns
}

func packHunks(hunks []hunk) *node {
	var list []*node
	for _, h := range hunks {
		n := object()
		if h.list != "" {
			n = n.with("list", text(h.list))
		} else {
			var was []*node
			for _, d := range h.was {
				was = append(was, text(string(d)))
			}
			n = n.with("was", array(was...))
		}
		if h.nth > 0 {
			n = n.with("nth", number(int64(h.nth)))
		}
		if h.edit != nil {
			entries := slices.Clone(h.edit)
			for i := range entries {
				entries[i].was = "" // the turn is known by its own
			}
			n = n.with("edit", packEntries(entries))
		} else {
			n = n.with("put", array(h.put...))
		}
		list = append(list, n)
	}
	return array(list...)
}

// unpackHunks reads hunks, and passes over what is none.
func unpackHunks(n *node) []hunk {
	var hunks []hunk
	for _, e := range elementsOf(n) {
		var h hunk
		for _, d := range elementsOf(e.get("was")) {
			h.was = append(h.was, digest(d.str()))
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
