package safety

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/eaapl/handoff/pkg/internal/textscan"
	"github.com/eaapl/handoff/pkg/internal/view"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A sieve is a prefilter for the strings and names of a JSON text: in most, nothing can
// be found. It reads all of the text at once, which costs less than beginning anew with
// each of many short strings.
type sieve struct {
	text   []byte
	places []int // where a rule may look, in order
	blocks []int // where blocks begin that may have readings or escapes, in order
	search textscan.Search
}

var sieves = sync.Pool{New: func() any { return new(sieve) }}

// newSieve returns a sieve for the text of a value. It may be put back into sieves.
func (set *RuleSet) newSieve(v jsonstream.Value) *sieve {
	s := sieves.Get().(*sieve)
	s.text, s.places, s.blocks = v.Raw(), s.places[:0], s.blocks[:0]
	// A copy would cost as much as the search. Documents never change.
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

// wants reports whether a part of the text that has no escapes, or that is longer than
// the pieces that rules look through, may need a scan.
func (s *sieve) wants(part []byte) bool {
	if len(part) > pieceLen {
		return true
	}
	start := int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.text))))
	return within(s.places, start, start+len(part)) || within(s.blocks, start-textscan.BlockLen+1, start+len(part))
}

// within reports whether one of the numbers, which are sorted, is from start on and
// before end.
func within(numbers []int, start, end int) bool {
	i, _ := slices.BinarySearch(numbers, start)
	return i < len(numbers) && numbers[i] < end
}
