package align

// Pairs returns pairs of equal elements, ascending in both sequences: a longest common subsequence
// or, if finding one takes too many steps, a shorter one.
//
// The result is longest if the common elements occur once in each sequence, and if fewer than about
// 2,000 elements are in only one of them. Pairs takes at most about 2^25 steps plus 8 per element,
// excluding sorting.
func Pairs[T comparable](a, b []T) []Pair {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	middle := within(a[start:endA], b[start:endB])
	pairs := make([]Pair, 0, start+len(middle)+len(a)-endA)
	for i := range start {
		pairs = append(pairs, Pair{i, i})
	}
	for _, p := range middle {
		pairs = append(pairs, Pair{start + p.A, start + p.B})
	}
	for i := range len(a) - endA {
		pairs = append(pairs, Pair{endA + i, endB + i})
	}
	return pairs
}

// within pairs sequences without a common beginning or end. Elements of only one sequence are left
// out first, and cost nothing after that.
func within[T comparable](a, b []T) []Pair {
	ids := make(map[T]int32)
	for _, x := range b {
		if _, ok := ids[x]; !ok {
			ids[x] = int32(len(ids))
		}
	}
	shared := make([]bool, len(ids))
	inA := keep(a, func(x T) (int32, bool) {
		id, ok := ids[x]
		if ok {
			shared[id] = true
		}
		return id, ok
	})
	inB := keep(b, func(x T) (int32, bool) {
		id, ok := ids[x] // not found for NaN
		return id, ok && shared[id]
	})
	pairs := longest(inA.ids, inB.ids, len(ids))
	for i, p := range pairs {
		pairs[i] = Pair{inA.places[p.A], inB.places[p.B]}
	}
	return pairs
}

// kept are the elements of a sequence that the other one also has.
type kept struct {
	ids    []int32
	places []int // indexes in the sequence
}

func keep[T any](list []T, id func(T) (int32, bool)) kept {
	var k kept
	for i, x := range list {
		if id, ok := id(x); ok {
			k.ids = append(k.ids, id)
			k.places = append(k.places, i)
		}
	}
	return k
}

// longest pairs two sequences whose numbers are all less than below.
func longest(a, b []int32, below int) []Pair {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	unique := uniques(a, b, below)
	if len(unique) == len(a) { // then also for b
		return ascending(unique)
	}
	s := newSearch(a, b)
	whole := box{0, len(a), 0, len(b)}
	before := s.steps
	if x, y, ok := s.middle(whole, s.steps/4); ok {
		s.split(whole, x, y, before-s.steps)
		return s.pairs()
	}
	if 2*len(unique) >= min(len(a), len(b)) {
		s.between(ascending(unique))
	} else {
		s.solve(whole, 0)
	}
	return s.pairs()
}

// uniques pairs the elements that occur once in each sequence, in the order of a.
func uniques(a, b []int32, below int) []Pair {
	type place struct{ inA, inB, at int32 }
	places := make([]place, below)
	for _, id := range a {
		places[id].inA++
	}
	for j, id := range b {
		places[id].inB++
		places[id].at = int32(j)
	}
	var pairs []Pair
	for i, id := range a {
		if p := places[id]; p.inA == 1 && p.inB == 1 {
			pairs = append(pairs, Pair{i, int(p.at)})
		}
	}
	return pairs
}

// ascending returns a maximum subset of the pairs that ascends in both sequences.
func ascending(pairs []Pair) []Pair {
	places := make([]int, len(pairs))
	for i, p := range pairs {
		places[i] = p.B
	}
	var kept []Pair
	for _, i := range Increasing(places, nil) {
		kept = append(kept, pairs[i])
	}
	return kept
}
