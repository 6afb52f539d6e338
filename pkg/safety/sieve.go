package safety

import (
	"slices"
	"unsafe"

	"github.com/eaapl/handoff/internal/textscan"
	"github.com/eaapl/handoff/internal/view"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A sieve is a prefilter for the strings and names of a JSON text, most of which cannot have
// findings. It joins their contents and reads them at once, which is cheaper than many short
// searches. Texts of previous documents are known.
type sieve struct {
	set     *RuleSet
	text    []byte   // of the document
	joined  []byte   // texts that are not known, each followed by a quotation mark
	strings []sieved // those that are not known to be harmless, in the order of the document
	wanted  []int    // strings that need a scan, sorted: offsets in text and, in two bits, suspicions
	known   known    // of this scanner's documents

	places []int // offsets in joined at which a rule may look, sorted
	blocks []int // offsets in joined of blocks that may have readings, sorted
	search textscan.Search
}

// A sieved is a string in a sieve.
type sieved struct {
	at, end   int // offset in the document, end in the joined texts
	digest    uint64
	suspicion suspicion // unknown if the text is among the joined ones
}

// newSieve returns a sieve for the text of a value. The caller may put it back into set.sieves.
func (set *RuleSet) newSieve(v jsonstream.Value) *sieve {
	s, ok := set.sieves.Get().(*sieve)
	if !ok {
		s = &sieve{set: set}
	}
	s.text, s.joined, s.strings, s.wanted = v.Raw(), s.joined[:0], s.strings[:0], s.wanted[:0]
	for quoted := range v.Strings() {
		s.add(quoted)
	}
	s.places, s.blocks = s.places[:0], s.blocks[:0]
	// Copying would cost as much as the search.
	s.read(unsafe.String(unsafe.SliceData(s.joined), len(s.joined)))
	s.judge()
	return s
}

// add adds a quoted string. Rules search a text longer than pieceLen in pieces, whose beginnings the
// sieve does not know.
func (s *sieve) add(quoted []byte) {
	next := sieved{at: s.offset(quoted), suspicion: mayMatch | mayHide}
	if len(quoted) <= pieceLen {
		next.digest = digestOf(quoted)
		next.suspicion = s.known.suspicion(next.digest)
	}
	switch next.suspicion {
	case harmless:
		return
	case unknown:
		text, grown := jsonstream.Unquote(quoted, s.joined)
		if len(grown) == len(s.joined) { // has no escapes
			grown = append(grown, text...)
		}
		s.joined = append(grown, '"')
	}
	next.end = len(s.joined)
	s.strings = append(s.strings, next)
}

// offset returns the offset of a part of the document.
func (s *sieve) offset(part []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.text))))
}

// read finds the places and blocks of the joined texts.
func (s *sieve) read(text string) {
	found := func(rule, at int) {
		if r := s.set.rules[rule]; r.promises(text[at:min(len(text), at+r.reach)]) {
			s.places = append(s.places, at)
		}
	}
	looker, classes := view.NewLooker(text), s.set.classes()
	s.search.Begin(s.set.index(), text)
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
}

// judge decides which strings need a scan.
func (s *sieve) judge() {
	start := 0
	places, blocks := s.places, s.blocks
	for _, text := range s.strings {
		if text.suspicion == unknown {
			text.suspicion = harmless
			for len(places) > 0 && places[0] < start {
				places = places[1:]
			}
			for len(blocks) > 0 && blocks[0]+textscan.BlockLen <= start {
				blocks = blocks[1:]
			}
			if len(places) > 0 && places[0] < text.end {
				text.suspicion |= mayMatch
			}
			if len(blocks) > 0 && blocks[0] < text.end {
				text.suspicion |= mayHide
			}
			s.known.add(text.digest, text.suspicion)
		}
		if text.suspicion != harmless {
			s.wanted = append(s.wanted, text.at<<2|int(text.suspicion))
		}
		start = text.end
	}
}

// suspicion returns the suspicion of a part of the document: of the first such string in it.
func (s *sieve) suspicion(part []byte) suspicion {
	start := s.offset(part)
	i, _ := slices.BinarySearch(s.wanted, start<<2)
	if i == len(s.wanted) || s.wanted[i] >= (start+len(part))<<2 {
		return harmless
	}
	return suspicion(s.wanted[i] & 3)
}
