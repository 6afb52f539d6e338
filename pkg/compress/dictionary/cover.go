package dictionary

import (
	"encoding/binary"
	"slices"
)

// Selection works on grams, short strings that stand for possible matches, and on segments, the
// parts of samples that form the dictionary. The value of a gram is the number of samples that
// contain it; it counts only once.
const (
	gramBytes    = 6
	segmentBytes = 512
	// maxGap is the maximum number of consecutive worthless bytes within a segment: one shared part
	// with a short gap is more useful than two.
	maxGap = 24
	// rounds is the number of passes over the samples in which a dictionary should fill up.
	rounds = 4
	// tableBits is the size of the tables of grams, which are identified by their hashes.
	tableBits = 22
	// minSharing is the minimum number of samples with a gram.
	minSharing = 3
)

// cover returns the content of a dictionary of at most maxBytes, following the COVER algorithm. It
// divides the samples into as many parts as segments are taken in a round, and takes the most
// valuable segment of each part; a gram counts only once. The first segments go to the end, where
// matches cost the least. The time is linear in the samples: a round with little gain is the last.
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

// countGrams returns the number of samples with each gram, by its hash; 0 if fewer than minSharing.
func countGrams(samples [][]byte) []uint32 {
	counts := make([]uint32, 1<<tableBits)
	last := make([]uint32, 1<<tableBits) // the last sample counted, from 1
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

// A coverer values segments by the grams that the dictionary lacks.
type coverer struct {
	worth  []uint32 // of each gram, by its hash
	inside []uint16 // occurrences of each gram in the segment
}

// best returns the most valuable segment of a part, counting each gram once.
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

// take returns a segment without its worthless stretches and makes its grams worthless.
func (c *coverer) take(segment []byte) []byte {
	var kept []byte
	end := -1 // end of the bytes kept
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

// grams returns the number of grams in s.
func grams(s []byte) int { return max(len(s)-8+1, 0) }

// hash returns the hash of the gram at the start of s, which must have at least eight bytes.
func hash(s []byte) uint32 {
	const shift = 64 - 8*gramBytes
	return uint32(binary.LittleEndian.Uint64(s) << shift * 0x9e3779b97f4a7c15 >> (64 - tableBits))
}
