package equal

import (
	"hash/maphash"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Seen finds values that are equal to earlier ones: see [Values]. The zero value has seen
// none. It is not safe for concurrent use.
type Seen struct {
	seed  maphash.Seed
	last  map[uint64]int // the last value with a hash; usually the only one
	first []seenValue
}

// A seenValue is a value that is equal to none before it.
type seenValue struct {
	value  jsonstream.Value
	index  int
	before int // the previous value with the same hash, or -1
}

// Add records a value under an index. If an equal value has been added, it returns the index of the first
// one, otherwise index.
func (s *Seen) Add(index int, v jsonstream.Value) (first int, again bool) {
	if s.last == nil {
		s.seed, s.last = maphash.MakeSeed(), map[uint64]int{}
	}
	hash := Relation{}.Hash(s.seed, v)
	last, ok := s.last[hash]
	if !ok {
		last = -1
	}
	for at := last; at >= 0; at = s.first[at].before {
		if Values(s.first[at].value, v) {
			return s.first[at].index, true
		}
	}
	s.last[hash] = len(s.first)
	s.first = append(s.first, seenValue{v, index, last})
	return index, false
}

// Reset removes all values but keeps the allocated memory.
func (s *Seen) Reset() {
	clear(s.last)
	clear(s.first)
	s.first = s.first[:0]
}
