package gram

import (
	"math"
	"unicode/utf8"
)

// A text is scored by windows of two blocks of tokens, each window sharing a block with
// the one before, inside chunks that overlap: suspicious words must be close together,
// however long the text.
const (
	blockLen = 32 // tokens

	chunkLen     = 4 << 10 // bytes
	chunkOverlap = 512
)

// Value is the contribution of each feature in a window of n tokens: a phrase among others counts less than
// alone.
func Value(n int) float64 { return 1 / math.Sqrt(float64(n)+32) }

// A Reader divides a text into blocks. Chunks that its gate rejects are left out.
type Reader struct {
	text     string
	gate     *Gate
	from, to int // the rest of the chunk
	before   byte
	stream   Stream

	// Tokens are the tokens of the block, with places in the whole text.
	Tokens []Token
	// Before is the state of the stream before the block.
	Before Stream
	// First reports that the block is the first of a chunk: no window joins it to the previous block.
	First bool

	tokens [blockLen]Token
}

// Reset puts r at the start of text. A nil gate rejects nothing.
func (r *Reader) Reset(text string, gate *Gate) {
	r.text, r.gate, r.from, r.to, r.stream = text, gate, 0, 0, Stream{}
}

// Next advances to the next block and reports whether there is one.
func (r *Reader) Next() bool {
	r.First = false
	for {
		r.Before = r.stream
		n := 0
		for ; n < blockLen; n++ {
			if !next(r.text[:r.to], r.from, r.before, &r.tokens[n]) {
				break
			}
			r.from, r.before = r.tokens[n].End, 0
		}
		if n > 0 {
			r.Tokens = r.tokens[:n]
			return true
		}
		if !r.nextChunk() {
			return false
		}
	}
}

func (r *Reader) nextChunk() bool {
	for r.to < len(r.text) {
		start := 0
		r.before = startOfText
		if r.to > 0 {
			start = runeStart(r.text, r.to-chunkOverlap)
			r.before = 0
		}
		r.from, r.to = start, chunkEnd(r.text, start)
		r.stream = Stream{}
		r.First = true
		if r.gate == nil || r.gate.Opens(r.text[start:r.to]) {
			return true
		}
		r.from = r.to
	}
	return false
}

// chunkEnd returns the end of the chunk that begins at from: after a space if one is near.
func chunkEnd(text string, from int) int {
	if len(text)-from <= chunkLen+chunkOverlap {
		return len(text)
	}
	end := from + chunkLen
	for i := end; i > end-64; i-- {
		if text[i-1] == ' ' {
			return i
		}
	}
	return runeStart(text, end)
}

// runeStart returns the start of the rune that has a byte at i, or i in text that is
// not UTF-8.
func runeStart(text string, i int) int {
	for j := i; j > i-utf8.UTFMax && j > 0; j-- {
		if utf8.RuneStart(text[j]) {
			return j
		}
	}
	return i
}
