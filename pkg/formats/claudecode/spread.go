package claudecode

import (
	"slices"
)

// spread adds to a path the parts of its responses that branch off from it. Claude Code writes
// each block of a response as an entry of its own and attaches the results of parallel calls to
// different blocks; only one of them is on the path.
func (t *Tree[K]) spread(path []int) []int {
	on := make([]bool, len(t.nodes))
	for _, n := range path {
		on[n] = true
	}
	if !t.branchesOff(on) {
		return path
	}
	var none K
	last := map[K]int{}  // the last entry of each response on the path
	have := map[K]bool{} // calls with a result on the path
	for _, n := range path {
		e := t.nodes[n]
		if e.Kind == "assistant" && e.Response != none {
			last[e.Response] = n
		}
		for _, id := range e.Results {
			have[id] = true
		}
	}
	if len(last) == 0 {
		return path
	}
	x := t.crossings(on)
	branches := map[int][]int{} // branches by entry of the path
	done := map[K]bool{}
	grew := false
	for _, n := range path {
		response := t.nodes[n].Response
		if t.nodes[n].Kind != "assistant" || response == none || done[response] {
			continue
		}
		done[response] = true
		more := t.branches(x, x.parts[response], on, have)
		for _, m := range more {
			on[m] = true
		}
		if len(more) > 0 {
			branches[last[response]] = more
			grew = true
		}
	}
	if !grew {
		return path
	}
	var all []int
	for _, n := range path {
		all = append(append(all, n), branches[n]...)
	}
	return all
}

// branchesOff reports whether a part of a response, or a result, is missing from a path.
func (t *Tree[K]) branchesOff(on []bool) bool {
	var none K
	for n, e := range t.nodes {
		if !on[n] && (e.Kind == "assistant" && e.Response != none || e.Answers) {
			return true
		}
	}
	return false
}

// A crossings holds the references between responses, calls and results.
type crossings[K comparable] struct {
	parts   map[K][]int   // the entries of each response
	caller  map[K]int     // the entry of each call, -1 if it is in several responses
	results map[int][]int // the results of an entry that are not on the path
}

func (t *Tree[K]) crossings(on []bool) crossings[K] {
	var none K
	x := crossings[K]{map[K][]int{}, map[K]int{}, map[int][]int{}}
	var answers []int
	for n, e := range t.nodes {
		switch {
		case e.Kind == "assistant" && e.Response != none:
			x.parts[e.Response] = append(x.parts[e.Response], n)
			for _, id := range e.Calls {
				if other, known := x.caller[id]; known && (other < 0 || t.nodes[other].Response != e.Response) {
					x.caller[id] = -1
				} else {
					x.caller[id] = n
				}
			}
		case !on[n] && e.Kind == "user" && e.Answers && t.parent(n) != none:
			answers = append(answers, n)
		}
	}
	type pair struct{ of, result int }
	known := map[pair]bool{}
	add := func(of, result int) {
		if !known[pair{of, result}] {
			known[pair{of, result}] = true
			x.results[of] = append(x.results[of], result)
		}
	}
	for _, n := range answers {
		e := t.nodes[n]
		if p := t.Up(n); p >= 0 {
			add(p, n)
		}
		same := func(of int) bool { return t.nodes[of].Sidechain == e.Sidechain && t.nodes[of].Agent == e.Agent }
		if owner, ok := t.of(e.Owner); ok && e.Owner != t.parent(n) && same(owner) {
			add(owner, n)
		}
		for _, id := range e.Results {
			if caller, ok := x.caller[id]; ok && caller >= 0 && same(caller) {
				add(caller, n)
			}
		}
	}
	return x
}

// branches returns the parts of a response that are not on the path, followed by the results of
// its calls that are not on the path either: first the results attached to one of its parts,
// then other results of calls that have no result yet. have holds the calls with a result on
// the path.
func (t *Tree[K]) branches(x crossings[K], parts []int, on []bool, have map[K]bool) []int {
	of := map[int]bool{}
	var more, hanging, stray []int
	for _, n := range parts {
		of[n] = true
		if !on[n] {
			more = append(more, n)
		}
	}
	seen := map[int]bool{}
	for _, part := range parts {
		for _, n := range x.results[part] {
			if on[n] || seen[n] {
				continue
			}
			seen[n] = true
			if p := t.Up(n); p >= 0 && of[p] {
				hanging = append(hanging, n)
			} else {
				stray = append(stray, n)
			}
		}
	}
	answered := map[K]bool{}
	for _, n := range hanging {
		for _, id := range t.nodes[n].Results {
			answered[id] = true
		}
	}
	slices.Sort(stray)
	for _, n := range stray {
		ids := t.nodes[n].Results
		if !slices.ContainsFunc(ids, func(id K) bool {
			caller, ok := x.caller[id]
			return !answered[id] && !have[id] && ok && caller >= 0 && of[caller]
		}) {
			continue
		}
		for _, id := range ids {
			answered[id] = true
		}
		hanging = append(hanging, n)
	}
	byTime := func(a, b int) int { return t.nodes[a].Time.compare(t.nodes[b].Time) }
	slices.SortStableFunc(more, byTime)
	slices.SortStableFunc(hanging, byTime)
	return append(more, hanging...)
}
