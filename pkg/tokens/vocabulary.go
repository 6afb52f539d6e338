package tokens

import (
	_ "embed"
	"math/bits"
	"sync"

	"github.com/eaapl/handoff/internal/packed"
)

// The tokens of each vocabulary by rank, each after a byte with its length, which is 0 for an unused
// rank; compressed, since a program uses one of them or none. go test -update writes them. The tokens
// of r50k are the first ones of p50k.
var (
	//go:embed vocabularies/o200k.zst
	o200kTokens []byte
	//go:embed vocabularies/cl100k.zst
	cl100kTokens []byte
	//go:embed vocabularies/p50k.zst
	p50kTokens []byte
)

const (
	o200kSize  = 199998
	cl100kSize = 100256
	p50kSize   = 50281
	r50kSize   = 50256
)

// The vocabularies, each loaded on first use.
var (
	o200k  = sync.OnceValue(func() *vocabulary { return newVocabulary(o200kTokens, o200kSize) })
	cl100k = sync.OnceValue(func() *vocabulary { return newVocabulary(cl100kTokens, cl100kSize) })
	p50k   = sync.OnceValue(func() *vocabulary { return newVocabulary(p50kTokens, p50kSize) })
	r50k   = sync.OnceValue(func() *vocabulary { return newVocabulary(p50kTokens, r50kSize) })
)

// none is the rank of a string that is not a token. Every rank is lower.
const none = 1<<32 - 1

// A vocabulary maps tokens to their ranks: lower ranks merge first. It is a hash table with open
// addressing, small enough for the CPU caches.
type vocabulary struct {
	slots   []uint32        // a power of two, at most half in use: rank and tag of a token; 0 is empty
	tokens  string          // by rank, each after its length
	starts  []uint32        // offsets in tokens, by rank
	longest int             // length of the longest token
	pairs   [1 << 16]uint32 // ranks of the two-byte tokens
	memos   sync.Pool       // of *memo
}

// A slot has the rank of its token in the low bits, and its tag in the others: bits of its hash, not
// all zero, that avoid most comparisons with other tokens.
const (
	rankBits = 18
	rankMask = 1<<rankBits - 1
)

// newVocabulary makes a table of the first n tokens.
func newVocabulary(file []byte, n int) *vocabulary {
	tokens := string(packed.Zstd(file))
	v := &vocabulary{
		memos:  sync.Pool{New: func() any { return new(memo) }},
		slots:  make([]uint32, 2<<bits.Len(uint(n-1))),
		starts: make([]uint32, n),
		tokens: tokens,
	}
	for i := range v.pairs {
		v.pairs[i] = none
	}
	at := 0
	for rank := range v.starts {
		length := int(tokens[at])
		v.starts[rank] = uint32(at + 1)
		at += 1 + length
		if length > 0 {
			v.add(uint32(rank))
		}
	}
	return v
}

// token returns the token of a rank.
func (v *vocabulary) token(rank uint32) string {
	start := v.starts[rank]
	return v.tokens[start : start+uint32(v.tokens[start-1])]
}

// add adds a token by its rank.
func (v *vocabulary) add(rank uint32) {
	token := v.token(rank)
	v.longest = max(v.longest, len(token))
	if len(token) == 2 {
		v.pairs[int(token[0])<<8|int(token[1])] = rank
	}
	i, tag := v.place(hash(token))
	for v.slots[i] != 0 {
		i = (i + 1) & (len(v.slots) - 1)
	}
	v.slots[i] = tag | rank
}

// place returns the slot at which the search for a token starts, and its tag.
func (v *vocabulary) place(hash uint64) (slot int, tag uint32) {
	return int(hash) & (len(v.slots) - 1), uint32(hash>>32)&^rankMask | 1<<rankBits
}

// rankOf returns the rank of the token s, or none.
func rankOf(v *vocabulary, s string) uint32 {
	if len(s) > v.longest {
		return none
	}
	for i, tag := v.place(hash(s)); v.slots[i] != 0; i = (i + 1) & (len(v.slots) - 1) {
		slot := v.slots[i]
		if slot&^rankMask != tag {
			continue
		}
		rank := slot & rankMask
		if v.token(rank) == string(s) {
			return rank
		}
	}
	return none
}

// hash mixes well enough for the fixed set of tokens: hostile text is only looked up, never added.
func hash(s string) uint64 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(len(s)) * k
	i := 0
	for ; i+8 <= len(s); i += 8 {
		h = (h ^ load8(s[i:i+8])) * k
		h ^= h >> 32
	}
	var w uint64
	for ; i < len(s); i++ {
		w = w<<8 | uint64(s[i])
	}
	h = (h ^ w) * k
	h ^= h >> 29
	h *= k
	return h ^ h>>32
}
