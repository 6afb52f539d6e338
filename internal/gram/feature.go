package gram

// Kinds of features; the first, a word by itself, has the word's ID for a key.
const (
	pair   = iota + 1 // a word and the one before
	triple            // a word and the two before
	after             // a word and the mark before it
	before            // a word and the mark after it
	shout             // a word in capitals
)

// PerToken is the maximum number of features that end with one token.
const PerToken = 6

// A Stream makes features of successive tokens. The zero value is at the start of a
// text.
type Stream struct {
	last, pair uint64 // the ID of the token before, the key of its pair
}

// Add returns the number of features that end with t and sets their keys.
func (s *Stream) Add(t *Token, keys *[PerToken]uint64) (n int) {
	keys[0] = t.ID
	keys[1] = join(pair, s.last, t.ID)
	keys[2] = join(triple, s.pair, t.ID)
	n = 3
	if t.Before != 0 {
		keys[n] = join(after, uint64(t.Before), t.ID)
		keys[n+1] = join(before, uint64(t.Before), s.last)
		n += 2
	}
	if t.Caps {
		keys[n] = join(shout, 0, t.ID)
		n++
	}
	s.last, s.pair = t.ID, keys[1]
	return n
}

func join(kind, a, b uint64) uint64 {
	return mix((a+kind)*0xD6E8FEB86659FD93 ^ b)
}
