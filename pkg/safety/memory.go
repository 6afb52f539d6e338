package safety

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

// A memory remembers short texts in which nothing was found: most strings of a document
// are names of members and values such as "user" that come again in every message. The
// nil memory remembers nothing. It is safe for concurrent use.
type memory struct {
	seed maphash.Seed
	// Each slot has the last hash that fell on it. Nobody outside the process can make
	// two texts of one hash, as the seed is random.
	slots [1 << 12]atomic.Uint64
}

// mostRemembered is how long a text may be to be remembered, in bytes.
const mostRemembered = 64

func newMemory() *memory { return &memory{seed: maphash.MakeSeed()} }

func (m *memory) hash(field Field, text string) uint64 {
	h := maphash.String(m.seed, text)
	for i := range len(field) {
		h = bits.RotateLeft64(h, 5) ^ uint64(field[i])
	}
	return h
}

// has reports whether nothing was found in text. It may have forgotten.
func (m *memory) has(field Field, text string) bool {
	if m == nil || len(text) > mostRemembered {
		return false
	}
	h := m.hash(field, text)
	return m.slots[h%uint64(len(m.slots))].Load() == h
}

// add notes that nothing was found in text.
func (m *memory) add(field Field, text string) {
	if m == nil || len(text) > mostRemembered {
		return
	}
	h := m.hash(field, text)
	m.slots[h%uint64(len(m.slots))].Store(h)
}
