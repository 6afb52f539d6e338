package safety

import (
	"hash/maphash"
	"unsafe"
)

// known remembers texts of previous documents by their digests, since names, tool definitions and
// the first turns of a conversation recur. Recent texts replace older ones. The seed of the digests
// is random, so that no text can be made to have the digest of another.
type known struct {
	entries []uint64 // digests, with the verdict in the lowest bit
}

const knownTexts = 1 << 12 // maximum number of remembered texts

// The verdicts on a text.
const (
	harmless uint64 = iota // has no findings
	suspect                // may have some
	unknown                // was not seen
)

var knownSeed = maphash.MakeSeed()

// digestOf returns the digest of a text, which is even.
func digestOf(text []byte) uint64 { return maphash.Bytes(knownSeed, text) << 1 }

// digestIn returns the digest of a text in a field.
func digestIn(text string, field Field) uint64 {
	var h uint64
	for _, c := range []byte(field) {
		h = h<<8 | uint64(c)
	}
	return digestOf(unsafe.Slice(unsafe.StringData(text), len(text))) ^ h*0x9E3779B97F4A7C15<<1
}

// verdict returns the verdict on the text with a digest.
func (k *known) verdict(digest uint64) uint64 {
	if k.entries == nil {
		return unknown
	}
	if e := k.entries[digest>>1%knownTexts]; e&^1 == digest && e != 0 {
		return e & 1
	}
	return unknown
}

// add remembers the verdict on the text with a digest.
func (k *known) add(digest, verdict uint64) {
	if k.entries == nil {
		k.entries = make([]uint64, knownTexts)
	}
	k.entries[digest>>1%knownTexts] = digest | verdict
}
