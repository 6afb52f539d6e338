package schema

// maxBits is the maximum number of cells of a state, and of names whose presence matters.
const maxBits = 256

// A set is a set of small numbers: cells of a state, or member names.
type set [maxBits / 64]uint64

func (s *set) add(i int)           { s[i>>6&3] |= 1 << (i & 63) }
func (s *set) has(i int) bool      { return s[i>>6&3]>>(i&63)&1 != 0 }
func (s *set) isEmpty() bool       { return s[0]|s[1]|s[2]|s[3] == 0 }
func (s *set) contains(t set) bool { return t[0]&^s[0]|t[1]&^s[1]|t[2]&^s[2]|t[3]&^s[3] == 0 }

func (s *set) addAll(t set) {
	for i := range s {
		s[i] |= t[i]
	}
}
