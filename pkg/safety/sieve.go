package safety

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/eaapl/handoff/internal/textscan"
	"github.com/eaapl/handoff/internal/view"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A sieve is a prefilter for the strings and names of a JSON text, most of which cannot have
// findings. It reads the whole text at once, which is cheaper than many short searches.
type sieve struct {
	text   []byte
	places []int // offsets at which a rule may look, sorted
	blocks []int // offsets of blocks that may have readings or escapes, sorted
	search textscan.Search
}

var sieves = sync.Pool{New: func() any { return new(sieve) }}

// newSieve returns a sieve for the text of a value. The caller may put it back into sieves.
func (set *RuleSet) newSieve(v jsonstream.Value) *sieve {
	s := sieves.Get().(*sieve)
	s.text, s.places, s.blocks = v.Raw(), s.places[:0], s.blocks[:0]
	// Copying would cost as much as the search, and documents are immutable.
	text := unsafe.String(unsafe.SliceData(s.text), len(s.text))
	found := func(rule, at int) {
		if r := set.rules[rule]; r.promises(text[at:min(len(text), at+r.reach)]) {
			s.places = append(s.places, at)
		}
	}
	looker, classes := view.NewLooker(text), set.classes()
	s.search.Begin(set.index(), text)
	next := textscan.ReadBlock(text, 0, classes)
	for at := 0; at < len(text); at += textscan.BlockLen {
		b := next
		next = textscan.ReadBlock(text, at+textscan.BlockLen, classes)
		s.search.Block(at, b, found)
		if looker.Block(at, b, next) {
			s.blocks = append(s.blocks, at)
		}
	}
	slices.Sort(s.places)
	return s
}

// wants reports whether a part of the text may need a scan. The part has no escapes, or is longer
// than the pieces that rules search.
func (s *sieve) wants(part []byte) bool {
	if len(part) > pieceLen {
		return true
	}
	start := int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.text))))
	return within(s.places, start, start+len(part)) || within(s.blocks, start-textscan.BlockLen+1, start+len(part))
}

// within reports whether one of the sorted numbers is in [start, end).
func within(numbers []int, start, end int) bool {
	i, _ := slices.BinarySearch(numbers, start)
	return i < len(numbers) && numbers[i] < end
}
