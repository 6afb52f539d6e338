package history

import (
	"crypto/sha256"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// chanceLength is how many bytes of text people and models may well say twice:
// "Yes, please go on." is no mistake.
const chanceLength = 64

// Distinctive reports whether another turn equal to this one cannot be chance.
func Distinctive(turn jsonstream.Value) bool {
	for _, name := range []string{"timestamp", "time", "createdAt", "created_at", "created"} {
		if k := turn.Get(name).Kind(); k == jsonstream.String || k == jsonstream.Number {
			return true
		}
	}
	size := 0
	for v := range turn.All() {
		if v.Kind() == jsonstream.String {
			size += len(v.Raw()) - len(`""`)
		}
		if size > chanceLength {
			return true
		}
	}
	return false
}

// Digest returns the SHA-256 of a turn's compact text, by which equal turns are
// known.
func Digest(turn jsonstream.Value) [sha256.Size]byte {
	return sha256.Sum256(jsonstream.AppendCompact(nil, turn.Raw()))
}

// Duplicates returns for every turn the index of the first turn equal to it, its
// own where there is none before it or where being equal may be chance.
func (h *History) Duplicates() []int {
	first := map[[sha256.Size]byte]int{}
	same := make([]int, len(h.Turns))
	for i, t := range h.Turns {
		same[i] = i
		if !Distinctive(t.Value) {
			continue
		}
		digest := Digest(t.Value)
		if j, ok := first[digest]; ok {
			same[i] = j
		} else {
			first[digest] = i
		}
	}
	return same
}
