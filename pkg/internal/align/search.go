package align

import "math"

// A search looks for a shortest path through the grid of two sequences, from their beginnings to
// their ends. A step follows an element of one sequence; equal elements of both are free (E. W.
// Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1, 1986, sections 3 and
// 4b). When it runs out of steps, it continues from the furthest point reached.
type search struct {
	a, b  []int32
	match []int32 // for each element of a: its index in b, or -1
	steps int     // remaining steps
	rest  int     // undecided elements

	// For each diagonal of a box, the furthest index reached in the first sequence, from the
	// beginning of the box and, backwards, from its end.
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

// pair records a pair of elements.
func (s *search) pair(i, j int) {
	s.match[i] = int32(j)
	s.rest -= 2
}

// between accepts the given pairs and solves the boxes between them.
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

// solve pairs elements of a box. It may spend the granted number of steps on the first part, even
// if that exceeds the part's share.
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

// share returns the number of steps that one part may take so that all others can take as many: n
// steps advance by at least the square root of n elements.
func (s *search) share() int {
	each := min(max(s.steps, 0)/max(s.rest, 1), 1<<15)
	return min(each*each, s.steps)
}

// split solves the parts of a box on both sides of a point.
func (s *search) split(at box, x, y, granted int) {
	s.solve(box{at.fromA, x, at.fromB, y}, granted)
	s.solve(box{x, at.toA, y, at.toB}, granted)
}

// trim pairs the common beginning and end of a box and returns the rest.
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

// middle returns a point in the middle of a shortest path through a trimmed box. If it finds none
// within the allowed steps, it returns the furthest point reached.
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
			if x <= len(a) && x-k <= len(b) { // otherwise the path left the grid
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

// A front holds, for each diagonal, the furthest index in a reached by paths with some number of
// steps. On diagonal k, a path has passed k fewer elements of b than of a.
type front struct {
	reach  []int32
	origin int // index of diagonal 0
}

// clear prepares the front for paths of up to maxSteps.
func (f *front) clear(maxSteps int) {
	f.origin = maxSteps + 1
	if need := 2*maxSteps + 3; cap(f.reach) < need {
		f.reach = make([]int32, need)
	} else {
		f.reach = f.reach[:need]
	}
	f.set(1, 0) // the predecessor of the path without steps on diagonal 0
}

func (f *front) at(k int) int { return int(f.reach[f.origin+k]) }

func (f *front) set(k, x int) { f.reach[f.origin+k] = int32(x) }

// next returns the furthest index reached on a diagonal with d steps, before free steps along equal
// elements, given the front for d-1 steps.
func (f *front) next(d, k int) int {
	if k == -d || k != d && f.at(k-1) < f.at(k+1) {
		return f.at(k + 1)
	}
	return f.at(k-1) + 1
}
