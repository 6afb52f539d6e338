// Package names classifies words as names of persons.
package names

import (
	"bytes"
	_ "embed"
	"math/bits"
	"sync"

	"github.com/eaapl/handoff/internal/packed"
)

// Kinds are the kinds of a word; 0 means that it is not in the list.
type Kinds uint8

// The kinds. A word can have several: "Mark" is a first name and a word, "Jordan" a name and a
// place.
const (
	First   Kinds = 1 << iota // a first name
	Last                      // a surname
	Word                      // a common word of some language
	Place                     // a part of the name of a city, state or country
	Popular                   // one of the most common first names in the USA
)

// list has a line for each word: the word in lower case, and a last character that is its Kinds
// plus 64. README.md has the sources.
//
//go:embed names.txt.zst
var list []byte

// A set maps hashes of words to their kinds, in a table with open addressing. The words are not
// stored: with a probability of 1 in 30,000 another word has the same hash, and its kinds may be
// wrong.
type set struct {
	entries []uint32 // the upper 27 bits of the hash, and the kinds
	shift   int
}

var words = sync.OnceValue(load)

func load() *set {
	s := &set{entries: make([]uint32, 1<<18)}
	s.shift = 64 - bits.Len(uint(len(s.entries)-1))
	for line := range bytes.Lines(packed.Zstd(list)) {
		last := len(line) - len("?\n")
		h := hash(line[:last])
		at := h >> s.shift
		for s.entries[at] != 0 {
			at = (at + 1) & uint64(len(s.entries)-1)
		}
		s.entries[at] = uint32(h)&^kindBits | uint32(line[last]-64)
	}
	return s
}

const kindBits = 1<<5 - 1

// hash is FNV-1a, mixed once more so that its upper bits may be used.
func hash[T string | []byte](word T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	h ^= h >> 32
	return h * 0x9e3779b97f4a7c15
}

// Of returns the kinds of a word, which must be in lower case.
func Of[T string | []byte](word T) Kinds {
	s := words()
	h := hash(word)
	for at := h >> s.shift; s.entries[at] != 0; at = (at + 1) & uint64(len(s.entries)-1) {
		if s.entries[at]&^kindBits == uint32(h)&^kindBits {
			return Kinds(s.entries[at] & kindBits)
		}
	}
	return 0
}
