package view

import (
	"slices"
	"strings"
	"sync"
)

// stems begin words or stand in them that hardly any text has by chance once they are
// rotated, reversed, or written with digits. All have stemLen to maxStem letters.
var stems = strings.Fields(`
	ignore instruct previous system prompt overrid disregard forget reveal bypass
	password secret develop execut assistant follow directi command respond message
	please should`)

const (
	stemLen = 6
	maxStem = 10
)

// A needle is a disguised stem.
type needle struct {
	text   string
	sign   signs
	offset int // of the three letters it is found by
}

// A seeker finds needles. It looks at three letters at every stride-th place: of the
// first stemLen letters of a stem, wherever it is, three begin at such a place.
type seeker struct {
	fours   [1 << 10]uint64 // bits of hashes: of the three letters and what may follow them
	buckets [1 << 13]uint8  // by three letters: which of needles to compare, 0 for none
	needles [][]needle
}

const stride = stemLen - 2

var disguisedStems = sync.OnceValue(func() *seeker {
	s := &seeker{needles: make([][]needle, 1)}
	for _, stem := range stems {
		for offset := range stride {
			s.add(needle{rot13(stem), signRotated, offset})
			s.add(needle{reverse(stem), signReversed, offset})
		}
	}
	return s
})

// add makes the seeker find a needle by the three letters at its offset.
func (s *seeker) add(n needle) {
	x := upToEight(n.text[n.offset:])
	bucket := &s.buckets[bucketOf(x)]
	if *bucket == 0 {
		*bucket = uint8(len(s.needles))
		s.needles = append(s.needles, nil)
	}
	s.needles[*bucket] = append(s.needles[*bucket], n)
	if len(n.text) > n.offset+3 {
		s.note(uint32(x))
		return
	}
	for after := range uint32(1 << 5) { // may follow the last letter
		s.note(uint32(x)&0xFFFFFF | after<<24)
	}
}

// note makes the seeker look closely at the four letters of x.
func (s *seeker) note(x uint32) {
	h := hashOfFour(x)
	s.fours[h>>6] |= 1 << (h & 63)
}

// may returns a number that is odd if the four letters of x were noted.
func (s *seeker) may(x uint32) uint64 {
	h := hashOfFour(x)
	return s.fours[h>>6] >> (h & 63)
}

// hashOfFour hashes four letters, without regard to case, to 16 bits.
func hashOfFour(x uint32) uint32 {
	const differ = 0x1F1F1F1F // bits of letters
	return x & differ * 0x9E3779B1 >> (32 - 16)
}

// bucketOf returns a number for the first three letters of x, without regard to case.
func bucketOf(x uint64) uint32 {
	const differ = 0x1F1F1F // bits of letters
	return uint32(x) & differ * 0x9E3779B1 >> (32 - 13)
}

// stridden are the places in a block that a seeker looks at.
const stridden = 0x1111111111111111

// seek returns the signs of the ciphers that text has stems in of which letters stand at
// one of the given places from text[at] on. Hardly any block has letters of a needle at
// any place, so it asks for all of them first, without a branch for each.
func (s *seeker) seek(text string, at int, places uint64) (found signs) {
	if places == 0 || at+BlockLen <= len(text) && s.none(text[at:at+BlockLen]) {
		return 0
	}
	for ; places != 0; places &= places - 1 {
		i := at + trailing(places)
		if s.may(uint32(upToEight(text[i:])))&1 != 0 {
			found |= s.compare(text, i)
		}
	}
	return found
}

// none reports whether needles may have the letters at none of the places of text, of
// BlockLen bytes.
func (s *seeker) none(text string) bool {
	var may uint64
	for i := 0; i < BlockLen; i += 2 * stride {
		x := eight(text[i : i+8])
		may |= s.may(uint32(x)) | s.may(uint32(x>>(8*stride)))
	}
	return may&1 == 0
}

// compare returns the signs of those needles of a bucket that have the letters of it at
// text[i].
func (s *seeker) compare(text string, i int) (found signs) {
	for _, n := range s.needles[s.buckets[bucketOf(upToEight(text[i:]))]] {
		start := i - n.offset
		if start >= 0 && len(text)-start >= len(n.text) && strings.EqualFold(text[start:start+len(n.text)], n.text) {
			found |= n.sign
		}
	}
	return found
}

// three numbers three letters without regard to case. Other bytes fall on letters.
func three(a, b, c byte) uint16 {
	return uint16(a&31) | uint16(b&31)<<5 | uint16(c&31)<<10
}

// insideStems has the pairs of letters that follow each other in a stem, as three
// numbers them, the third being 0.
var insideStems = sync.OnceValue(func() *[1 << 10]bool {
	var pairs [1 << 10]bool
	for _, s := range stems {
		for i := 1; i < len(s); i++ {
			pairs[three(s[i-1], s[i], 0)] = true
		}
	}
	return &pairs
})

// hasStem reports whether word has one of the stems in it.
func hasStem(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(stems, func(s string) bool { return strings.Contains(word, s) })
}

// rot13 returns s with each letter thirteen places on.
func rot13(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isLetter(c) {
			b[i] = rotate(c)
		}
	}
	return string(b)
}

func rotate(letter byte) byte {
	if letter|0x20 < 'n' {
		return letter + 13
	}
	return letter - 13
}

// reverse returns s, which is ASCII, backwards.
func reverse(s string) string {
	b := make([]byte, len(s))
	for i := range b {
		b[i] = s[len(s)-1-i]
	}
	return string(b)
}
