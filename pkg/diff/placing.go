package diff

import (
	"errors"
	"sort"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A placing finds the indices at which elements of an array are inserted and moved, one after
// the other, without a copy of the array.
//
// Elements of the old array that stay are its fixed points. Each placed element goes directly
// after its predecessor in the new array or, if late, before the next fixed element. So a place
// is preceded by the elements already placed, and by the pending ones (not moved yet, or left
// out of the comparison and never moved) that preceded that fixed element in the old array.
type placing struct {
	edits   map[int]*Edit      // by the index in the new array
	removed []jsonstream.Value // in the order of the old array
	fixed   []int              // indices of the elements that stay and are not yet passed
	stayed  []int              // for each old index, the number of elements before it that stay
	pending sums               // over old indices
	last    int                // old index of the last fixed element passed, -1 before the first
	late    bool
	after   []int // for each inserted or moved element, the old index that it came after
}

var errEdits = errors.New("the edits of an array do not fit together")

// newPlacing returns a placing for an array that changed.
func newPlacing(r sides, e *Edit, late bool) (*placing, error) {
	const (
		stays = 1 + iota
		moves
		goes
	)
	fate := make([]byte, e.Old.Len()) // 0 means left out
	for _, child := range r.old.Children(e.Old) {
		fate[child.Value.Index()] = stays
	}
	p := &placing{edits: make(map[int]*Edit, len(e.Edits)), last: -1, late: late}
	for _, inner := range e.Edits {
		switch inner.Kind {
		case Removed:
			fate[inner.Old.Index()] = goes
		case Moved:
			fate[inner.Old.Index()] = moves
		}
		if inner.Kind != Removed {
			p.edits[inner.New.Index()] = inner
		}
	}
	p.stayed = make([]int, len(fate))
	p.pending = make(sums, len(fate))
	for i, element := range e.Old.Elements() {
		p.stayed[i] = len(p.fixed)
		switch fate[i] {
		case stays:
			p.fixed = append(p.fixed, i)
		case goes:
			p.removed = append(p.removed, element)
		default:
			p.pending.add(i, 1)
		}
	}
	if len(p.removed)+len(p.edits) != len(e.Edits) {
		return nil, errEdits
	}
	return p, nil
}

// stays passes the next element that stays.
func (p *placing) stays(edit *Edit) error {
	if len(p.fixed) == 0 || edit != nil && edit.Old.Index() != p.fixed[0] {
		return errEdits
	}
	p.last, p.fixed = p.fixed[0], p.fixed[1:]
	return nil
}

// insert returns the index for an element that is at index i of the new array.
func (p *placing) insert(placed int) int {
	after := p.last
	if p.late {
		after = len(p.stayed) - 1
		if len(p.fixed) > 0 {
			after = p.fixed[0] - 1
		}
	}
	p.after = append(p.after, after)
	return placed + p.pending.before(after+1)
}

// move returns the index of an element of the old array, and its new index once it has
// been removed.
func (p *placing) move(placed, old int) (from, to int) {
	from = p.pending.before(old) + p.stayed[old] + sort.SearchInts(p.after, old)
	p.pending.add(old, -1)
	return from, p.insert(placed)
}

// sums are numbers with fast prefix sums: a Fenwick tree.
type sums []int

func (s sums) add(i, n int) {
	for i++; i <= len(s); i += i & -i {
		s[i-1] += n
	}
}

// before returns the sum of the numbers before index i.
func (s sums) before(i int) int {
	sum := 0
	for ; i > 0; i -= i & -i {
		sum += s[i-1]
	}
	return sum
}
