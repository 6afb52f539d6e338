package tokens

import "sync"

// Up to scanLimit bytes, scanning all pairs for the next merge is faster than a heap. A piece longer
// than window is split, so that the heap stays small.
const (
	scanLimit = 96
	window    = 1 << 10
)

// countPiece returns the number of tokens of one piece: 1 for a token, else the number of parts
// after merging the leftmost pair of the lowest rank until no pair can be merged.
func countPiece(v *vocabulary, s string) int {
	switch {
	case len(s) == 1 || rankOf(v, s) != none:
		return 1
	case len(s) <= scanLimit:
		return countShort(v, s)
	}
	m := mergers.Get().(*merger)
	defer mergers.Put(m)
	return countLong(m, v, s, window)
}

var mergers = sync.Pool{New: func() any { return new(merger) }}

func countShort(v *vocabulary, s string) int {
	var starts [scanLimit + 1]uint8
	var ranks [scanLimit]uint32 // of part i merged with part i+1
	n := len(s)
	for i := range n {
		starts[i] = uint8(i)
		ranks[i] = none
		if i+1 < n {
			ranks[i] = v.pairs[int(s[i])<<8|int(s[i+1])]
		}
	}
	starts[n] = uint8(n)
	for {
		least, at := uint32(none), 0
		for i, r := range ranks[:n] {
			if r < least {
				least, at = r, i
			}
		}
		if least == none {
			return n
		}
		copy(starts[at+1:n], starts[at+2:n+1])
		copy(ranks[at+1:n-1], ranks[at+2:n])
		n--
		ranks[at] = none
		if at+1 < n {
			ranks[at] = rankOf(v, s[starts[at]:starts[at+2]])
		}
		if at > 0 {
			ranks[at-1] = rankOf(v, s[starts[at-1]:starts[at+1]])
		}
	}
}

// countLong merges a stretch of at most size bytes at a time, and keeps the tokens that end well
// before its end. The next stretch starts there.
//
// Merging everything at once gives the same tokens if the two at every joint stay two when they are
// merged alone. The first merge across a joint would join the end of one token with the start of the
// other, and its choice depends only on the earlier merges within these two tokens, in the same
// order. If they do not stay two, the whole piece is merged again in stretches twice as long.
func countLong(m *merger, v *vocabulary, s string, size int) int {
	tokens, last, at := 0, 0, 0 // tokens before the joint, the start of the last of them, its offset
	for {
		end := min(at+size, len(s))
		starts := merge(m, v, s[at:end])
		k := len(starts) - 1
		if end < len(s) {
			for starts[k] > size-size/8 {
				k--
			}
		}
		nextTokens, nextLast, next := tokens+k, at+starts[k-1], at+starts[k]
		switch {
		case at > 0 && !staysTwo(m, v, s[last:at+starts[1]], at-last):
			nextTokens, nextLast, next = 0, 0, 0
			size *= 2
		case end == len(s):
			return nextTokens
		}
		tokens, last, at = nextTokens, nextLast, next
	}
}
