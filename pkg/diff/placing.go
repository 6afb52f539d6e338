package diff

import (
	"errors"
	"sort"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A placing tells the indices at which elements of an array are inserted and moved,
// one after the other, without a copy of the array to try it on.
//
// Elements of the old array that stay are its fixed points. Each element that is
// placed goes directly behind the one before it in the new array, or, if late, before
// the next fixed one. So what stands before a place is what was placed before it, and
// those pending elements (not moved yet, or left out of the comparison and never
// moved) that stood before that fixed one in the old array.
type placing struct {
	edits   map[int]*Edit      // by the index in the new array
	removed []jsonstream.Value // in the order of the old array
	fixed   []int              // indices of the elements that stay and have not been met
	stayed  []int              // for each old index, how many elements before it stay
	pending sums               // over old indices
	last    int                // old index of the last fixed element met, -1 before the first
	late    bool
	behind  []int // for each element that was inserted or moved, the old index that it came behind
}

var errEdits = errors.New("the edits of an array do not fit together")

// newPlacing returns what places the elements of an array that changed.
func newPlacing(r sides, e *Edit, late bool) (*placing, error) {
	const (
		stays = 1 + iota
		moves
		goes
	)
	fate := make([]byte, e.Old.Len()) // 0 for what is left out
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

// stays meets the next element that stays.
func (p *placing) stays(edit *Edit) error {
	if len(p.fixed) == 0 || edit != nil && edit.Old.Index() != p.fixed[0] {
		return errEdits
	}
	p.last, p.fixed = p.fixed[0], p.fixed[1:]
	return nil
}

// insert returns where an element goes that has so many before it in the new array.
func (p *placing) insert(placed int) int {
	behind := p.last
	if p.late {
		behind = len(p.stayed) - 1
		if len(p.fixed) > 0 {
			behind = p.fixed[0] - 1
		}
	}
	p.behind = append(p.behind, behind)
	return placed + p.pending.before(behind+1)
}

// move returns where an element of the old array stands, and where it goes once it
// has been taken out.
func (p *placing) move(placed, old int) (from, to int) {
	from = p.pending.before(old) + p.stayed[old] + sort.SearchInts(p.behind, old)
	p.pending.add(old, -1)
	return from, p.insert(placed)
}

// sums are numbers of which a part can be added up quickly: a Fenwick tree.
type sums []int

func (s sums) add(i, n int) {
	for i++; i <= len(s); i += i & -i {
		s[i-1] += n
	}
}

// before returns the sum of the numbers before that at i.
func (s sums) before(i int) int {
	sum := 0
	for ; i > 0; i -= i & -i {
		sum += s[i-1]
	}
	return sum
}
