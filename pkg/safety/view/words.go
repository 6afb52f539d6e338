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
	cipher cipher
	offset int // of the three letters it is found by
}

// A seeker finds needles. It looks at three letters at every stride-th place: of the
// first stemLen letters of a stem, wherever it is, three begin at such a place.
type seeker struct {
	buckets [1 << 15]uint8 // by three letters: which of needles to compare, 0 for none
	needles [][]needle
}

const stride = stemLen - 2

var disguisedStems = sync.OnceValue(func() *seeker {
	s := &seeker{needles: make([][]needle, 1)}
	for _, stem := range stems {
		for c, text := range [...]string{rotated: rot13(stem), reversed: reverse(stem)} {
			for offset := range stride {
				bucket := &s.buckets[three(text[offset], text[offset+1], text[offset+2])]
				if *bucket == 0 {
					*bucket = uint8(len(s.needles))
					s.needles = append(s.needles, nil)
				}
				s.needles[*bucket] = append(s.needles[*bucket], needle{text, cipher(c), offset})
			}
		}
	}
	return s
})

// three numbers three letters without regard to case. Other bytes fall on letters.
func three(a, b, c byte) uint16 {
	return uint16(a&31) | uint16(b&31)<<5 | uint16(c&31)<<10
}

// seek returns the ciphers that text has stems in.
func (s *seeker) seek(text string) (found [2]bool) {
	for i := 0; i+3 <= len(text); i += stride {
		bucket := s.buckets[three(text[i], text[i+1], text[i+2])]
		if bucket == 0 {
			continue
		}
		for _, n := range s.needles[bucket] {
			start := i - n.offset
			if start >= 0 && len(text)-start >= len(n.text) && strings.EqualFold(text[start:start+len(n.text)], n.text) {
				found[n.cipher] = true
			}
		}
	}
	return found
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
