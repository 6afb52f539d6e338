package gram

import (
	"math"
	"math/bits"
)

// A Gate is a prefilter, several times as fast as the model. It adds up the evidence of
// each word and each pair of words for or against an injection, never below zero, so that
// only a run of suspicious words reaches Limit.
type Gate struct {
	// Words has an entry for each word and pair, see GateStream.
	Words *Entries
	// Limit is the sum at which a text passes.
	Limit int
}

const (
	gateBits = 16
	gateLen  = 1 << gateBits

	// wideLetters is added for bytes outside ASCII: the gate has no entries for such
	// words.
	wideLetters = 4
)

// Entries are int8 numbers as bytes. The entries of a decoded gate are part of its encoding.
type Entries [gateLen]byte

// A GateStream finds the entries of a gate for successive words. The zero value is at the
// start of a text.
type GateStream struct{ last uint64 }

// Add returns the indexes of the entries for word and for its pair with the word before. Words with the same
// first eight letters, in any case, are equal here. ok is false if word does not begin with an ASCII letter.
func (s *GateStream) Add(word string) (single, pair int, ok bool) {
	if word == "" || classes[word[0]] > upper {
		return 0, 0, false
	}
	start, _, _ := letters(word, 0)
	single, pair = s.slots(start)
	return single, pair, true
}

func (s *GateStream) slots(word uint64) (single, pair int) {
	h := word * 0x9E3779B97F4A7C15
	single = int(h >> (64 - gateBits))
	pair = int((h ^ s.last) * 0xD6E8FEB86659FD93 >> (64 - gateBits))
	s.last = bits.RotateLeft64(h, 23)
	return single, pair
}

// Peak returns the highest sum that text reaches.
func (g *Gate) Peak(text string) int { return g.run(text, math.MaxInt) }

// Opens reports whether the gate lets text pass.
func (g *Gate) Opens(text string) bool { return g.run(text, g.Limit) >= g.Limit }

// run returns the highest sum of text, or the first that reaches limit.
func (g *Gate) run(text string, limit int) int {
	sum, peak := 0, 0
	var stream GateStream
	for i := 0; i < len(text); {
		c := classes[text[i]]
		if c > upper {
			if c == wide && text[i] != 0xE2 && text[i] < 0xF0 { // dashes, quotes, emoji
				sum += wideLetters
				peak = max(peak, sum)
			}
			i++
			continue
		}
		var word uint64
		n := 0
		if i+8 <= len(text) {
			word, n = fold(load(text[i:]))
		} else {
			word, n, _ = letters(text, i)
		}
		i += n
		for n == 8 && i < len(text) && classes[text[i]] <= upper {
			i++
		}
		single, pair := stream.slots(word)
		sum = max(0, sum+int(int8(g.Words[single]))+int(int8(g.Words[pair])))
		if sum > peak {
			if peak = sum; peak >= limit {
				return peak
			}
		}
	}
	return peak
}
