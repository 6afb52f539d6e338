package diff

import (
	"slices"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// alike matches the remaining elements between elements that stay, in order, to maximize their
// total likeness.
func (m *matching) alike() {
	i, j := 0, 0
	for i < len(m.olds) || j < len(m.news) {
		var g gap
		for ; i < len(m.olds) && !(m.to[i] >= 0 && m.stays[i]); i++ {
			if m.to[i] < 0 {
				g.olds = append(g.olds, i)
			}
		}
		for ; j < len(m.news) && !(m.from[j] >= 0 && m.stays[m.from[j]]); j++ {
			if m.from[j] < 0 {
				g.news = append(g.news, j)
			}
		}
		if len(g.olds) > 0 && len(g.news) > 0 {
			m.fill(g)
		}
		i++
		j++
	}
}

// A gap holds the unmatched elements between two elements that stay.
type gap struct{ olds, news []int }

// near is the maximum distance of an element from its expected place in a long gap, and fullGap
// the maximum number of pairs in a gap that is not long.
const (
	near    = 8
	fullGap = 1 << 16
)

// fill matches the elements of a gap by dynamic programming over all pairs or, in a long gap,
// over pairs of elements near each other.
func (m *matching) fill(g gap) {
	tooLong := len(g.olds)+len(g.news) > maxSketches
	if tooLong || !m.sketched(0, g.olds) || !m.sketched(1, g.news) {
		m.fillByPlace(g)
		return
	}
	width := near
	if pairs := int64(len(g.olds)) * int64(len(g.news)); pairs <= int64(min(fullGap, m.likeness)) {
		width = len(g.news)
	}
	best := make([]int, len(g.news)+1) // by the number of news passed, for the olds so far
	filled := 0                        // end of the known part of best
	var moves []move                   // of all rows
	rows := make([]row, len(g.olds))
	for i := range g.olds {
		expected := i * len(g.news) / len(g.olds)
		low, high := max(0, expected-width), min(len(g.news), expected+width+1)
		for ; filled < high; filled++ {
			best[filled+1] = best[filled]
		}
		m.likeness -= high - low
		rows[i] = row{low, high, len(moves) - low}
		corner := best[low] // of the olds before
		for j := low; j < high; j++ {
			above, how := best[j+1], skipOld
			if best[j] > above {
				best[j+1], how = best[j], skipNew
			}
			if score := m.score(g, i, j); score >= alikeEnough && corner+score > best[j+1] {
				best[j+1], how = corner+score, takeBoth
			}
			moves = append(moves, how)
			corner = above
		}
	}
	for i, j := len(g.olds)-1, len(g.news)-1; i >= 0 && j >= 0; {
		r := rows[i]
		if j = min(j, r.high-1); j < r.low || moves[r.start+j] == skipOld {
			i--
			continue
		}
		if moves[r.start+j] == takeBoth {
			m.pair(g.olds[i], g.news[j])
			i--
		}
		j--
	}
}

// sketched reports whether any of the elements of one side has a sketch.
func (m *matching) sketched(side int, indices []int) bool {
	return slices.ContainsFunc(indices, func(i int) bool { return m.sketch(side, i) != nil })
}

// fillByPlace matches elements at the same place of a gap.
func (m *matching) fillByPlace(g gap) {
	for i := range min(len(g.olds), len(g.news)) {
		if m.score(g, i, i) >= alikeEnough {
			m.pair(g.olds[i], g.news[i])
		}
	}
}

// A row holds the range of news that an old element was compared with, from low up to high,
// excluding high. The move for the j-th of them is at start+j.
type row struct{ low, high, start int }

// A move is the step that passes a pair of elements.
type move byte

const (
	skipOld move = iota
	skipNew
	takeBoth
)

// score returns the likeness of two elements of a gap. Scalars at the same place in it match,
// unless one side of the gap is shorter.
func (m *matching) score(g gap, i, j int) int {
	old, new := g.olds[i], g.news[j]
	a, b := m.sketch(0, old), m.sketch(1, new)
	if a != nil && b != nil {
		return a.likeness(b)
	}
	kind, other := m.olds[old].Value.Kind(), m.news[new].Value.Kind()
	if i == j && len(g.olds) == len(g.news) && isScalar(kind) && kind.String() == other.String() && a == nil && b == nil {
		return alikeEnough
	}
	return 0
}

// movedEnough is the minimum likeness of elements in different places, and rare the maximum
// number of elements that share a feature used to find them.
const (
	movedEnough   = 650
	rare          = 8
	maxCandidates = 32
)

// moved matches the remaining objects and arrays with great likeness, wherever they are. It
// finds them by rare features.
func (m *matching) moved() {
	olds, news := m.left(0), m.left(1)
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	total := 0
	for _, j := range news {
		total += len(m.sketch(1, j).features)
	}
	counts := make([]uint8, min(1<<20, 4*total)) // of features; some share an entry
	for _, j := range news {
		for _, f := range m.sketch(1, j).features {
			if n := &counts[f%uint64(len(counts))]; *n <= rare {
				*n++
			}
		}
	}
	holders := make(map[uint64][]int)
	for _, j := range news {
		for _, f := range m.sketch(1, j).features {
			if counts[f%uint64(len(counts))] <= rare {
				holders[f] = append(holders[f], j)
			}
		}
	}
	for _, i := range olds {
		if j, ok := m.counterpart(i, holders); ok {
			m.pair(i, j)
		}
	}
}

// left returns the unmatched objects and arrays of one side that have a sketch.
func (m *matching) left(side int) []int {
	list, matched := m.olds, m.to
	if side == 1 {
		list, matched = m.news, m.from
	}
	var left []int
	for i, c := range list {
		if matched[i] < 0 && !isScalar(c.Value.Kind()) && m.sketch(side, i) != nil {
			left = append(left, i)
		}
	}
	return left
}

// counterpart returns the new element that is most like an old one.
func (m *matching) counterpart(i int, holders map[uint64][]int) (best int, ok bool) {
	seen := make(map[int]bool)
	score := movedEnough - 1
	s := m.sketch(0, i)
	for _, f := range s.features {
		for _, j := range holders[f] {
			if len(seen) == maxCandidates {
				return best, ok
			}
			if seen[j] || m.from[j] >= 0 {
				continue
			}
			seen[j] = true
			if n := s.likeness(m.sketch(1, j)); n > score {
				best, score, ok = j, n, true
			}
		}
	}
	return best, ok
}

func isScalar(k jsonstream.Kind) bool { return k != jsonstream.Object && k != jsonstream.Array }
