package align

import "math"

// A search looks for a shortest path through the grid of two sequences, from their
// beginnings to their ends: one step along an element of one of them, or along
// equal elements of both at no cost (E. W. Myers, "An O(ND) Difference Algorithm
// and Its Variations", Algorithmica 1, 1986, sections 3 and 4b). Where that takes
// too many steps it goes as far as those allow and on from there.
type search struct {
	a, b  []int32
	match []int32 // of the elements of a: the index in b, or -1
	steps int     // that may still be taken
	rest  int     // elements that are not decided yet

	// The furthest indices in a that were reached on each diagonal of a box, from
	// its beginning and, counted backwards, from its end.
	forward, backward front
}

// A box is a part of both sequences.
type box struct{ fromA, toA, fromB, toB int }

func newSearch(a, b []int32) *search {
	s := &search{a: a, b: b, match: make([]int32, len(a)), rest: len(a) + len(b)}
	for i := range s.match {
		s.match[i] = -1
	}
	s.steps = 1<<25 + 8*s.rest
	return s
}

func (s *search) pairs() []Pair {
	var pairs []Pair
	for i, j := range s.match {
		if j >= 0 {
			pairs = append(pairs, Pair{i, int(j)})
		}
	}
	return pairs
}

// pair notes that elements are paired.
func (s *search) pair(i, j int) {
	s.match[i] = int32(j)
	s.rest -= 2
}

// between takes pairs for given and solves what is between them.
func (s *search) between(given []Pair) {
	at := box{}
	for _, p := range append(given, Pair{len(s.a), len(s.b)}) {
		at.toA, at.toB = p.A, p.B
		s.solve(at, 0)
		if p.A < len(s.a) {
			s.pair(p.A, p.B)
		}
		at.fromA, at.fromB = p.A+1, p.B+1
	}
}

// solve pairs elements of a box. It may take the given number of steps for the
// first part of it even if that is more than its share.
func (s *search) solve(at box, granted int) {
	for {
		at = s.trim(at)
		if at.fromA == at.toA || at.fromB == at.toB {
			s.rest -= at.toA - at.fromA + at.toB - at.fromB
			return
		}
		allowed := max(s.share(), granted)
		before := s.steps
		x, y, ok := s.middle(at, allowed)
		if ok {
			s.split(at, x, y, before-s.steps)
			return
		}
		if x == at.fromA && y == at.fromB {
			s.rest -= at.toA - at.fromA + at.toB - at.fromB
			return // given up
		}
		s.solve(box{at.fromA, x, at.fromB, y}, before-s.steps)
		at.fromA, at.fromB = x, y
	}
}

// share returns how many steps one part may take so that all others can have as
// many: n steps lead at least the root of n elements further.
func (s *search) share() int {
	each := min(max(s.steps, 0)/max(s.rest, 1), 1<<15)
	return min(each*each, s.steps)
}

// split solves the parts of a box on both sides of a point.
func (s *search) split(at box, x, y, granted int) {
	s.solve(box{at.fromA, x, at.fromB, y}, granted)
	s.solve(box{x, at.toA, y, at.toB}, granted)
}

// trim pairs the common beginning and end of a box and returns what is left.
func (s *search) trim(at box) box {
	for at.fromA < at.toA && at.fromB < at.toB && s.a[at.fromA] == s.b[at.fromB] {
		s.pair(at.fromA, at.fromB)
		at.fromA++
		at.fromB++
	}
	for at.fromA < at.toA && at.fromB < at.toB && s.a[at.toA-1] == s.b[at.toB-1] {
		at.toA--
		at.toB--
		s.pair(at.toA, at.toB)
	}
	return at
}

// middle returns a point in the middle of a shortest path through a box that has
// been trimmed. If it does not find one in as many steps as are allowed, it
// returns the furthest point that it reached.
func (s *search) middle(at box, allowed int) (x, y int, ok bool) {
	a, b := s.a[at.fromA:at.toA], s.b[at.fromB:at.toB]
	delta := len(a) - len(b)
	maxSteps := min((len(a)+len(b)+1)/2, int(math.Sqrt(float64(allowed)))+1)
	s.forward.clear(maxSteps)
	s.backward.clear(maxSteps)
	limit := s.steps - allowed
	var furthest Pair
	for d := 0; d <= maxSteps; d++ {
		low, high := -d+2*max(0, d-len(b)), d-2*max(0, d-len(a))
		for k := low; k <= high; k += 2 {
			x := s.forward.next(d, k)
			from := x
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			s.steps -= 1 + x - from
			s.forward.set(k, x)
			if x <= len(a) && x-k <= len(b) { // else the path left the grid
				if other := delta - k; delta&1 != 0 && -d <= other && other <= d && x+s.backward.at(other) >= len(a) {
					return at.fromA + x, at.fromB + x - k, true
				}
				if 2*x-k > furthest.A+furthest.B {
					furthest = Pair{x, x - k}
				}
			}
			if s.steps < limit {
				return at.fromA + furthest.A, at.fromB + furthest.B, false
			}
		}
		for k := low; k <= high; k += 2 {
			x := s.backward.next(d, k)
			from := x
			for x < len(a) && x-k < len(b) && a[len(a)-1-x] == b[len(b)-1-x+k] {
				x++
			}
			s.steps -= 1 + x - from
			s.backward.set(k, x)
			inside := x <= len(a) && x-k <= len(b)
			if other := delta - k; inside && delta&1 == 0 && -d <= other && other <= d && x+s.forward.at(other) >= len(a) {
				return at.toA - x, at.toB - x + k, true
			}
		}
	}
	return at.fromA + furthest.A, at.fromB + furthest.B, false
}

// A front holds how far into a the paths with some number of steps lead on each
// diagonal: on the k-th, k fewer elements of b than of a have been passed.
type front struct {
	reach  []int32
	origin int // the place of the diagonal 0
}

// clear makes room for paths with the given number of steps.
func (f *front) clear(maxSteps int) {
	f.origin = maxSteps + 1
	if need := 2*maxSteps + 3; cap(f.reach) < need {
		f.reach = make([]int32, need)
	} else {
		f.reach = f.reach[:need]
	}
	f.set(1, 0) // from where the path without steps begins on the diagonal 0
}

func (f *front) at(k int) int { return int(f.reach[f.origin+k]) }

func (f *front) set(k, x int) { f.reach[f.origin+k] = int32(x) }

// next returns how far the paths with d steps lead on a diagonal before they go on
// along equal elements, given those with d-1 steps.
func (f *front) next(d, k int) int {
	if k == -d || k != d && f.at(k-1) < f.at(k+1) {
		return f.at(k + 1)
	}
	return f.at(k-1) + 1
}
