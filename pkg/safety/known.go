package safety

import "hash/maphash"

// A suspicion is the set of checks that may find something in a text. The prefilter excludes the others.
type suspicion uint64

const (
	mayMatch suspicion = 1 << iota // the rules, in the text as it is
	mayHide                        // the search for other readings and oddities

	harmless suspicion = 0
	unknown  suspicion = 4 // of a text that was not seen
)

// known remembers texts of previous documents by their digests, since names, tool definitions and
// the first turns of a conversation recur. Recent texts replace older ones. The seed of the digests
// is random, so that no text can be made to have the digest of another.
type known struct {
	entries  []uint64 // digests, with the suspicion in the lowest two bits
	verdicts map[uint64]Verdict
}

const (
	knownTexts    = 1 << 12 // maximum number of remembered texts
	knownVerdicts = 64      // maximum number of remembered texts with findings
)

var knownSeed = maphash.MakeSeed()

// digestOf returns the digest of a text. Its lowest two bits are 0.
func digestOf(text []byte) uint64 { return maphash.Bytes(knownSeed, text) << 2 }

// A fieldText is a text in a field.
type fieldText struct {
	field Field
	text  string
}

// digestIn returns the digest of a text in a field. Its lowest two bits are 0.
func digestIn(text string, field Field) uint64 {
	return maphash.Comparable(knownSeed, fieldText{field, text}) << 2
}

// suspicion returns the suspicion of the text with a digest.
func (k *known) suspicion(digest uint64) suspicion {
	if k.entries == nil {
		return unknown
	}
	if e := k.entries[digest>>2%knownTexts]; e&^3 == digest && e != 0 {
		return suspicion(e & 3)
	}
	return unknown
}

// add remembers the suspicion of the text with a digest.
func (k *known) add(digest uint64, s suspicion) {
	if k.entries == nil {
		k.entries = make([]uint64, knownTexts)
	}
	k.entries[digest>>2%knownTexts] = digest | uint64(s)
}

// verdict returns the verdict on a text in a field, given its digest.
func (k *known) verdict(digest uint64) (Verdict, bool) {
	if k.suspicion(digest) == harmless {
		return Verdict{}, true
	}
	v, ok := k.verdicts[digest]
	return v, ok
}

// keep remembers the verdict on a text in a field.
func (k *known) keep(digest uint64, v Verdict) {
	if len(v.Findings) == 0 {
		k.add(digest, harmless)
		return
	}
	if k.verdicts == nil || len(k.verdicts) == knownVerdicts {
		k.verdicts = make(map[uint64]Verdict)
	}
	k.verdicts[digest] = v
}
