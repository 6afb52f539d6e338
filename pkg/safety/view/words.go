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

// A cipher is a way to write letters that people use to hide words in the open.
type cipher uint8

const (
	rotated cipher = iota
	reversed
)

// A needle is a disguised stem.
type needle struct {
	text   string
	begin  uint64 // its first letters, folded, as far as eight go
	mask   uint64 // of their bytes
	cipher cipher
	offset int // of the three letters it is found by
}

// begins reports whether a text may begin with the needle whose first eight bytes are x.
func (n *needle) begins(x uint64) bool { return (x|0x20*each)&n.mask == n.begin }

// A seeker finds needles. It looks at three letters at every stride-th place: of the
// first stemLen letters of a stem, wherever it is, three begin at such a place.
type seeker struct {
	buckets [1 << 13]uint8 // by three letters: which of needles to compare, 0 for none
	needles [][]needle
}

const stride = stemLen - 2

var disguisedStems = sync.OnceValue(func() *seeker {
	s := &seeker{needles: make([][]needle, 1)}
	for _, stem := range stems {
		for c, text := range [...]string{rotated: rot13(stem), reversed: reverse(stem)} {
			for offset := range stride {
				bucket := &s.buckets[bucketOf(upToEight(text[offset:][:3]))]
				if *bucket == 0 {
					*bucket = uint8(len(s.needles))
					s.needles = append(s.needles, nil)
				}
				n := needle{text: text, mask: ^uint64(0), cipher: cipher(c), offset: offset}
				if len(text) < 8 {
					n.mask = 1<<(8*len(text)) - 1
				}
				n.begin = upToEight(text[:min(8, len(text))]) & n.mask
				s.needles[*bucket] = append(s.needles[*bucket], n)
			}
		}
	}
	return s
})

// bucketOf returns a number for the first three letters of x, without regard to case.
func bucketOf(x uint64) uint32 {
	const differ = 0x1F1F1F // bits of letters
	return uint32(x) & differ * 0x9E3779B1 >> (32 - 13)
}

// seek returns the ciphers that text has stems in of which letters stand in
// text[start:end].
func (s *seeker) seek(text string, start, end int) (found [2]bool) {
	for i := start; i < end; i += 2 * stride {
		var x uint64
		if i+8 <= len(text) {
			x = eight(text[i:])
		} else {
			x = upToEight(text[i:])
		}
		first, second := s.buckets[bucketOf(x)], s.buckets[bucketOf(x>>(8*stride))]
		if first|second != 0 {
			s.compare(text, i, first, &found)
			s.compare(text, i+stride, second, &found)
		}
	}
	return found
}

// compare notes the ciphers of those needles of a bucket that have the letters of it at
// text[i].
func (s *seeker) compare(text string, i int, bucket uint8, found *[2]bool) {
	for k := range s.needles[bucket] {
		n := &s.needles[bucket][k]
		start := i - n.offset
		if start >= 0 && start+8 <= len(text) && !n.begins(eight(text[start:])) {
			continue
		}
		if start >= 0 && len(text)-start >= len(n.text) && strings.EqualFold(text[start:start+len(n.text)], n.text) {
			found[n.cipher] = true
		}
	}
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
