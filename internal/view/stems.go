package view

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/textscan"
)

// stems occur at the beginning of words or inside them. Rotated, reversed, or written with digits,
// they hardly ever occur by chance. All have stemLen to maxStem letters.
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
	offset int // of the three letters that identify it
}

// A seeker finds needles. It examines three letters at every stride-th place: three of the first
// stemLen letters of a stem always begin at such a place.
type seeker struct {
	buckets [1 << 13]uint8 // by three letters: the bucket of needles to compare, 0 for none
	used    [1 << 7]uint64 // a bit for each bucket with needles
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

// add adds a needle, identified by the three letters at its offset.
func (s *seeker) add(n needle) {
	h := bucketOf(n.text[n.offset:])
	bucket := &s.buckets[h]
	if *bucket == 0 {
		s.used[h>>6] |= 1 << (h & 63)
		*bucket = uint8(len(s.needles))
		s.needles = append(s.needles, nil)
	}
	s.needles[*bucket] = append(s.needles[*bucket], n)
}

// bucketOf returns a number for the first three letters of s, ignoring case.
func bucketOf(s string) uint32 {
	return bucketOfThree(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16)
}

// bucketOfThree is bucketOf for three letters in the lowest bytes of a number.
func bucketOfThree(letters uint32) uint32 {
	const differ = 0x1F1F1F // the significant bits of letters
	return letters & differ * 0x9E3779B1 >> (32 - 13)
}

// stridden are the places in a block that a seeker examines.
const stridden = 0x1111111111111111

// seek returns the signs of the ciphers with stems in text. It examines the given places from
// text[at] on, at which three letters stand.
func (s *seeker) seek(text string, at int, places uint64) (found signs) {
	var hits uint64
	if len(text)-at >= textscan.BlockLen+4 {
		window := text[at : at+textscan.BlockLen+4]
		for ; places != 0; places &= places - 1 {
			n := uint(bits.TrailingZeros64(places)) & 63
			four := window[n : n+4] // a single load
			h := bucketOfThree(uint32(four[0]) | uint32(four[1])<<8 | uint32(four[2])<<16 | uint32(four[3])<<24)
			hits |= (s.used[h>>6&127] >> (h & 63) & 1) << n
		}
	} else {
		hits = places
	}
	for ; hits != 0; hits &= hits - 1 {
		i := at + bits.TrailingZeros64(hits)
		for _, n := range s.needles[s.buckets[bucketOf(text[i:])]] {
			start := i - n.offset
			if start >= 0 && len(text)-start >= len(n.text) && (text[start]^n.text[0])&31 == 0 && strings.EqualFold(text[start:start+len(n.text)], n.text) {
				found |= n.sign
			}
		}
	}
	return found
}

// three returns a number for three letters, ignoring case. Other bytes share the numbers of
// letters.
func three(a, b, c byte) uint16 {
	return uint16(a&31) | uint16(b&31)<<5 | uint16(c&31)<<10
}

// insideStems has the pairs of adjacent letters in stems, numbered by three with a third letter of
// 0.
var insideStems = sync.OnceValue(func() *[1 << 10]bool {
	var pairs [1 << 10]bool
	for _, s := range stems {
		for i := 1; i < len(s); i++ {
			pairs[three(s[i-1], s[i], 0)] = true
		}
	}
	return &pairs
})

// hasStem reports whether word contains a stem.
func hasStem(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(stems, func(s string) bool { return strings.Contains(word, s) })
}

// rot13 returns s with ROT13 applied.
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

// splitters are signs that, between two letters, may split a word to hide it.
const splitters = "-*~^"

// splitsWord reports whether the sign at text[i] is between two letters and splits a stem, possibly
// together with other such signs.
func splitsWord(text string, i int) bool {
	if i == 0 || i+1 >= len(text) || !isLetter(text[i-1]) || !isLetter(text[i+1]) ||
		!insideStems()[three(text[i-1], text[i+1], 0)] {
		return false
	}
	const reach = 2 * maxStem // with signs between the letters
	var word [2 * reach]byte
	from := i
	for from > 0 && i-from < reach && (isLetter(text[from-1]) || isSplitter(text[from-1])) {
		from--
	}
	n, joint := 0, 0
	for ; from < len(text) && n < len(word) && from-i < reach; from++ {
		switch c := text[from]; {
		case from == i:
			joint = n
		case isLetter(c):
			word[n] = c | 0x20
			n++
		case !isSplitter(c):
			return stemAcross(string(word[:n]), joint)
		}
	}
	return stemAcross(string(word[:n]), joint)
}

func isSplitter(c byte) bool { return strings.IndexByte(splitters, c) >= 0 }

// stemAcross reports whether word contains a stem across position i.
func stemAcross(word string, i int) bool {
	for _, s := range stems {
		if strings.Contains(word[max(0, i-len(s)+1):min(len(word), i+len(s)-1)], s) {
			return true
		}
	}
	return false
}
