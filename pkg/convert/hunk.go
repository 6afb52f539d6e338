package convert

import (
	"slices"

	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A hunk is a difference between turns: consecutive turns are replaced by others. They are found by their
// digests, so turns removed or added elsewhere do not matter: the first is the nth from the end of the
// turns with its digest.
type hunk struct {
	was  []tree.Digest
	nth  int
	put  []tree.Node
	edit []entry // instead of put, for one turn replaced by one turn
	list string  // instead of was, for a list that was empty
}

// A place is the place of a turn: its list and its index.
type place struct{ list, index int }

// A span is a run of turns of one sequence, and the run that replaces it in another sequence.
type span struct{ a, aEnd, b, bEnd int }

// alignTurns returns the hunks that change the turns of one view to the turns of another, in the lists that
// both have.
func alignTurns(from, to tree.Node, lists, both []string) []hunk {
	var hunks []hunk
	starts := map[int]int{}        // the hunks by the index of their first turn among all turns
	count := map[tree.Digest]int{} // how many later turns have the digest
	var all []tree.Node
	for _, list := range lists {
		a := tree.Elements(from.At(list))
		if slices.Contains(both, list) {
			b := tree.Elements(to.At(list))
			for _, s := range spans(a, b) {
				h := hunkOf(list, a[s.a:s.aEnd], b[s.b:s.bEnd])
				if len(h.was) > 0 {
					starts[len(all)+s.a], count[h.was[0]] = len(hunks), 0
				}
				hunks = append(hunks, h)
			}
		}
		all = append(all, a...)
	}
	if len(count) == 0 {
		return hunks
	}
	for i, t := range slices.Backward(all) {
		d := t.Digest()
		later, wanted := count[d]
		if !wanted {
			continue
		}
		if k, ok := starts[i]; ok {
			hunks[k].nth = later
		}
		count[d]++
	}
	return hunks
}

// hunkOf returns the hunk that replaces turns of a list.
func hunkOf(list string, from, to []tree.Node) hunk {
	h := hunk{put: to}
	for _, t := range from {
		h.was = append(h.was, t.Digest())
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

// window is the number of turns to search for the next turn that two sequences share.
const window = 8

// spans returns the differences of two sequences of turns. Each has a turn of the first sequence, unless
// that is empty.
func spans(a, b []tree.Node) []span {
	var list []span
	named := identified(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		if i < len(a) && j < len(b) && tree.Same(a[i], b[j]) {
			i, j = i+1, j+1
			continue
		}
		s := span{i, i + 1, j, j + 1}
		if len(a) != len(b) && (i == len(a) || j == len(b) || !akin(a[i], b[j])) {
			if y := named.after(a, i, j); y > j {
				s = span{i, i, j, y}
			} else {
				s = nextSpan(a, b, i, j)
			}
		}
		list = addSpan(list, s, len(a))
		i, j = list[len(list)-1].aEnd, list[len(list)-1].bEnd
	}
	return list
}

// uuids are the indices of turns by uuid: lines of sessions, which may have any number of other lines
// between them.
type uuids map[string]int

// identified returns the indices of the turns of b by uuid, if the turns of a have uuids.
func identified(a, b []tree.Node) uuids {
	if len(a) == len(b) || len(a) == 0 || !tree.IsString(a[0].Get("uuid")) {
		return nil
	}
	n := make(uuids, len(b))
	for i, t := range b {
		if uuid := t.Get("uuid"); tree.IsString(uuid) {
			n[uuid.Text()] = i
		}
	}
	return n
}

// after returns the index in the second sequence of the ith turn of the first, if it is after j; -1
// otherwise.
func (n uuids) after(a []tree.Node, i, j int) int {
	if i == len(a) || n == nil {
		return -1
	}
	if y, ok := n[a[i].Get("uuid").Text()]; ok && y > j {
		return y
	}
	return -1
}

// akin reports whether two turns have the same content, regardless of other members: then one is the
// translation of the other.
func akin(a, b tree.Node) bool {
	said := false
	for _, name := range []string{"type", "role", "content", "call_id", "tool_call_id", "output", "arguments", "uuid"} {
		x, y := a.Get(name), b.Get(name)
		if (x == tree.None) != (y == tree.None) || x != tree.None && (x.Digest() != y.Digest() || !tree.Same(x, y)) {
			return false
		}
		said = said || x != tree.None && name != "type" && name != "role"
	}
	return said
}

// nextSpan returns the shortest difference at two places after which the sequences agree again, within the
// window.
func nextSpan(a, b []tree.Node, i, j int) span {
	for steps := 1; steps <= 2*window; steps++ {
		for di := range steps + 1 {
			x, y := i+di, j+steps-di
			if x < len(a) && y < len(b) && (a[x].Digest() == b[y].Digest() && tree.Same(a[x], b[y]) || akin(a[x], b[y])) {
				return span{i, x, j, y}
			}
		}
	}
	if i == len(a) || j == len(b) {
		return span{i, len(a), j, len(b)}
	}
	return span{i, i + 1, j, j + 1}
}

// addSpan adds a span. If it has no turn of the first sequence, addSpan extends it by a neighbour's.
func addSpan(list []span, s span, length int) []span {
	last := len(list) - 1
	switch {
	case s.a < s.aEnd || length == 0:
	case last >= 0 && list[last].aEnd == s.a && list[last].bEnd == s.b:
		list[last].bEnd = s.bEnd
		return list
	case s.a > 0:
		s.a, s.b = s.a-1, s.b-1
	default: // at the beginning: add the next turn, which both have
		s.aEnd, s.bEnd = s.aEnd+1, s.bEnd+1
	}
	return append(list, s)
}

// applyTurns applies hunks to turns that have not changed, and returns the places of the others.
func applyTurns(v tree.Node, lists []string, hunks []hunk) (tree.Node, []string) {
	if len(hunks) == 0 {
		return v, nil
	}
	all := make([][]tree.Node, len(lists))
	places := map[tree.Digest][]place{}
	for _, h := range hunks {
		if len(h.was) > 0 {
			places[h.was[0]] = nil
		}
	}
	for list, name := range lists {
		all[list] = tree.Elements(v.At(name))
		for i, t := range all[list] {
			d := t.Digest()
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
			if list := v.At(h.list); slices.Contains(lists, h.list) && list.Is(jsonstream.Array) && list.Empty() {
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
		if v.At(list).Is(jsonstream.Array) {
			v = v.Set(list, tree.Array(rebuild(i, all[i], at, starts[list].put)...))
		}
	}
	return v, missed
}

// find returns the place of the hunk's first turn.
func (h hunk) find(all [][]tree.Node, places []place) (place, bool) {
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
		if turns[n].Digest() != d {
			return place{}, false
		}
	}
	return p, true
}

// rebuild returns the turns of a list with the hunks applied.
func rebuild(list int, turns []tree.Node, at map[place]hunk, start []tree.Node) []tree.Node {
	out := append(make([]tree.Node, 0, len(start)+len(turns)), start...)
	for i := 0; i < len(turns); i++ {
		h, ok := at[place{list, i}]
		if !ok {
			out = append(out, turns[i])
			continue
		}
		out = append(out, h.put...)
		if h.edit != nil {
			if t, _ := apply(turns[i], h.edit, true); t != tree.None {
				out = append(out, t)
			}
		}
		i += len(h.was) - 1
	}
	return out
}

func packHunks(hunks []hunk) tree.Node {
	list := make([]tree.Node, 0, len(hunks))
	for _, h := range hunks {
		var members []tree.Member
		add := func(name string, value tree.Node) { members = append(members, tree.Member{Name: name, Value: value}) }
		if h.list != "" {
			add("list", tree.String(h.list))
		} else {
			var was []tree.Node
			for _, d := range h.was {
				was = append(was, tree.String(d.String()))
			}
			add("was", tree.Array(was...))
		}
		if h.nth > 0 {
			add("nth", tree.Int(int64(h.nth)))
		}
		if h.edit != nil {
			entries := slices.Clone(h.edit)
			for i := range entries {
				entries[i].was = tree.Digest{} // the turn is known by its own
			}
			add("edit", packEntries(entries))
		} else {
			add("put", tree.Array(h.put...))
		}
		list = append(list, tree.Object(members...))
	}
	return tree.Array(list...)
}

// unpackHunks reads hunks, and skips invalid ones.
func unpackHunks(n tree.Node) []hunk {
	var hunks []hunk
	for _, e := range tree.Elements(n) {
		var h hunk
		for _, d := range tree.Elements(e.Get("was")) {
			h.was = append(h.was, tree.DigestIn(d.Text()))
		}
		h.nth, _ = e.Get("nth").Count()
		h.put = tree.Elements(e.Get("put"))
		if edit := e.Get("edit"); edit.Is(jsonstream.Array) && len(h.was) == 1 {
			h.edit = unpackEntries(edit)
		}
		if len(h.was) == 0 {
			h.list = e.Get("list").Text()
		}
		hunks = append(hunks, h)
	}
	return hunks
}
