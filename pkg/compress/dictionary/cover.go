package dictionary

import (
	"encoding/binary"
	"slices"
)

// Selection works on grams, short strings that represent what a match needs,
// and on segments, the stretches of samples that the dictionary is made of. A
// gram is worth the number of samples that have it, once.
const (
	gramBytes    = 6
	segmentBytes = 512
	// maxGap is how many worthless bytes in a row are kept within a segment: one shared
	// part with a short gap is more useful than two.
	maxGap = 24
	// rounds is in how many passes over the samples a dictionary should be full.
	rounds = 4
	// tableBits is the size of the tables of grams; a gram is known by its hash.
	tableBits = 22
	// minSharing is the minimum number of samples with a gram.
	minSharing = 3
)

// cover returns the content of a dictionary of at most maxBytes, after the idea
// of the COVER algorithm: the samples are cut into as many parts as there are
// segments to take in a round, and each part gives the segment of most value, in
// which a gram counts the first time only. The first are at the end, which
// matches reach at the least cost. Time is linear in the samples: a round that
// gives little is the last.
func cover(samples [][]byte, maxBytes int) []byte {
	text := slices.Concat(samples...)
	c := coverer{worth: countGrams(samples), inside: make([]uint16, 1<<tableBits)}
	part := max(int(int64(len(text))*rounds*segmentBytes/int64(maxBytes)), segmentBytes)

	var chosen [][]byte
	total := 0
	for total < maxBytes {
		before := total
		for at := 0; at < len(text) && total < maxBytes; at += part {
			segment := c.take(c.best(text[at:min(at+part, len(text))]))
			chosen = append(chosen, segment)
			total += len(segment)
		}
		if total-before < maxBytes/16 {
			break
		}
	}
	slices.Reverse(chosen)
	content := slices.Concat(chosen...)
	return content[max(len(content)-maxBytes, 0):]
}

// countGrams returns, by the hash of a gram, how many samples have it; 0 for
// fewer than minSharing.
func countGrams(samples [][]byte) []uint32 {
	counts := make([]uint32, 1<<tableBits)
	last := make([]uint32, 1<<tableBits) // the sample that counted last, from 1
	for i, s := range samples {
		for at := range grams(s) {
			if h := hash(s[at:]); last[h] != uint32(i+1) {
				last[h] = uint32(i + 1)
				counts[h]++
			}
		}
	}
	for h, n := range counts {
		if n < minSharing {
			counts[h] = 0
		}
	}
	return counts
}

// A coverer values segments by the grams that are not in the dictionary yet.
type coverer struct {
	worth  []uint32 // of a gram, by its hash
	inside []uint16 // how often a gram is in the segment
}

// best returns the segment of a part whose grams are worth most, each counted once.
func (c *coverer) best(part []byte) []byte {
	const grammed = segmentBytes - gramBytes + 1
	value, most := uint64(0), uint64(0)
	start := 0
	leave := func(at int) {
		h := hash(part[at:])
		if c.inside[h]--; c.inside[h] == 0 {
			value -= uint64(c.worth[h])
		}
	}
	n := grams(part)
	for at := range n {
		h := hash(part[at:])
		if c.inside[h] == 0 {
			value += uint64(c.worth[h])
		}
		c.inside[h]++
		if at >= grammed {
			leave(at - grammed)
		}
		if value > most {
			most, start = value, max(at-grammed+1, 0)
		}
	}
	for at := max(n-grammed, 0); at < n; at++ {
		leave(at)
	}
	if most == 0 {
		return nil
	}
	return part[start:min(start+segmentBytes, len(part))]
}

// take returns a segment without its worthless stretches, and makes its grams
// worthless.
func (c *coverer) take(segment []byte) []byte {
	var kept []byte
	end := -1 // of what is kept
	for at := range grams(segment) {
		if c.worth[hash(segment[at:])] == 0 {
			continue
		}
		if end < 0 || at > end+maxGap {
			end = at
		}
		kept = append(kept, segment[end:at+gramBytes]...)
		end = at + gramBytes
	}
	for at := range grams(segment) {
		c.worth[hash(segment[at:])] = 0
	}
	return kept
}

// grams returns the number of grams that can be read at the beginnings of s.
func grams(s []byte) int { return max(len(s)-8+1, 0) }

// hash needs eight bytes, of which it takes a gram.
func hash(s []byte) uint32 {
	const shift = 64 - 8*gramBytes
	return uint32(binary.LittleEndian.Uint64(s) << shift * 0x9e3779b97f4a7c15 >> (64 - tableBits))
}
