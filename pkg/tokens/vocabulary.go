package tokens

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// The vocabularies, each loaded when first asked for.
var (
	o200k  = sync.OnceValue(newO200k)
	cl100k = sync.OnceValue(func() *vocabulary { return newVocabulary(codec.NewCl100kBase(), 100256, none) })
	p50k   = sync.OnceValue(func() *vocabulary { return newVocabulary(codec.NewP50kBase(), 50281, 50256) })
	r50k   = sync.OnceValue(func() *vocabulary { return newVocabulary(codec.NewR50kBase(), 50256, none) })
)

func newO200k() *vocabulary { return newVocabulary(codec.NewO200kBase(), 199998, none) }

// none is the rank of what is no token. Every rank is lower.
const none = 1<<32 - 1

// A vocabulary maps tokens to their ranks: the lower, the sooner merged. It is a
// hash table with open addressing, made small for the caches.
type vocabulary struct {
	slots   []uint32        // a power of two, at most half in use: rank and tag of a token; 0 is empty
	starts  []uint32        // of the tokens in text, by rank, and the end of the last
	text    []byte          // the tokens
	longest int             // length of the longest token
	pairs   [1 << 16]uint32 // ranks of the tokens of two bytes
	memos   sync.Pool       // of *memo
}

// A slot has the rank of its token in the low bits, and in the others its tag: bits
// of its hash, not all zero, that spare most comparisons with other tokens.
const (
	rankBits = 18
	rankMask = 1<<rankBits - 1
)

// newVocabulary takes the tokens of the ranks below n, but for one, out of the
// library, whose only way to list them is to decode them. Adding some while the
// library decodes the next ones shortens what the first count waits.
func newVocabulary(c *codec.Codec, n, except uint) *vocabulary {
	v := &vocabulary{
		memos:  sync.Pool{New: func() any { return new(memo) }},
		slots:  make([]uint32, 2<<bits.Len(n-1)),
		starts: make([]uint32, 0, n+1),
		text:   make([]byte, 0, 8*n),
	}
	for i := range v.pairs {
		v.pairs[i] = none
	}
	batches := make(chan string, 4)
	go decodeAll(c, n, except, batches)
	for batch := range batches {
		for batch != "" {
			length := strings.IndexByte(batch, separator)
			if len(v.starts) == separatorRank {
				length = 1
			}
			v.add(batch[:length])
			batch = batch[length+1:]
		}
	}
	v.starts = append(v.starts, uint32(len(v.text)))
	return v
}

// The byte that keeps decoded tokens apart is in no token but its own, since it is
// in no UTF-8. Its rank is the same in all vocabularies.
const (
	separator     = 0xFF
	separatorRank = 187
)

// decodeAll sends the tokens of the ranks below n, each with a separator after it;
// the excepted one is empty. Many in one call take a tenth of the time of a call for
// each.
func decodeAll(c *codec.Codec, n, except uint, batches chan<- string) {
	const size = 4096
	list := make([]uint, 0, 2*size)
	for first := uint(0); first < n; first += size {
		list = list[:0]
		for rank := first; rank < min(first+size, n); rank++ {
			if rank != except {
				list = append(list, rank)
			}
			list = append(list, separatorRank)
		}
		batch, err := c.Decode(list)
		if err != nil {
			panic("tokens: the library's vocabulary has other ranks than expected: " + err.Error())
		}
		batches <- batch
	}
	close(batches)
}

// add adds the token of the next rank; the empty one is a gap.
func (v *vocabulary) add(token string) {
	rank := uint32(len(v.starts))
	v.starts = append(v.starts, uint32(len(v.text)))
	v.text = append(v.text, token...)
	v.longest = max(v.longest, len(token))
	switch len(token) {
	case 0:
		return
	case 2:
		v.pairs[int(token[0])<<8|int(token[1])] = rank
	}
	i, tag := v.place(hash(token))
	for v.slots[i] != 0 {
		i = (i + 1) & (len(v.slots) - 1)
	}
	v.slots[i] = tag | rank
}

// place returns the slot where the search for a token starts, and its tag.
func (v *vocabulary) place(hash uint64) (slot int, tag uint32) {
	return int(hash) & (len(v.slots) - 1), uint32(hash>>32)&^rankMask | 1<<rankBits
}

// rankOf returns the rank of the token s, or none.
func rankOf[T text](v *vocabulary, s T) uint32 {
	if len(s) > v.longest {
		return none
	}
	for i, tag := v.place(hash(s)); v.slots[i] != 0; i = (i + 1) & (len(v.slots) - 1) {
		slot := v.slots[i]
		if slot&^rankMask != tag {
			continue
		}
		rank := slot & rankMask
		if string(v.text[v.starts[rank]:v.starts[rank+1]]) == string(s) {
			return rank
		}
	}
	return none
}

// hash mixes well enough for the fixed set of tokens: hostile text is only looked
// up, never added.
func hash[T text](s T) uint64 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(len(s)) * k
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		h = (h ^ w) * k
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
