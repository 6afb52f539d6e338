package conversation

import (
	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// chanceLength is the maximum length, in bytes, of texts that may be repeated by chance, such as "Yes,
// please go on."
const chanceLength = 64

// Distinctive reports whether a turn is unlikely to equal another one by chance.
func Distinctive(turn jsonstream.Value) bool {
	for _, name := range []string{"timestamp", "time", "createdAt", "created_at", "created"} {
		if k := turn.Get(name).Kind(); k == jsonstream.String || k == jsonstream.Number {
			return true
		}
	}
	const maxQuoted = len(`""`) + len(`\u0041`)*chanceLength // an escape has at most six times the length of its text
	var room [maxQuoted]byte
	size := 0
	for v := range turn.All() {
		if v.Kind() == jsonstream.String {
			if len(v.Raw()) > maxQuoted {
				return true
			}
			text, _ := jsonstream.Unquote(v.Raw(), room[:0])
			size += len(text)
		}
		if size > chanceLength {
			return true
		}
	}
	return false
}

// Duplicates returns for every turn the index of the first turn equal to it. It returns the turn's own
// index if there is no earlier one, or if they may be equal by chance.
func Duplicates(turns []Turn) []int {
	var seen Repeats
	same := make([]int, len(turns))
	for i, t := range turns {
		same[i], _ = seen.Add(i, t.Item())
	}
	return same
}

// Repeats finds turns equal to an earlier one, except turns that may be equal by chance: see [Distinctive].
// The zero value has no turns. It is not safe for concurrent use.
type Repeats struct{ seen equal.Seen }

// Add records a turn under an index of the caller. It returns the index of the first equal turn, or else
// index.
func (r *Repeats) Add(index int, turn jsonstream.Value) (first int, repeats bool) {
	if !Distinctive(turn) {
		return index, false
	}
	return r.seen.Add(index, turn)
}

// Reset forgets all turns, but keeps their memory.
func (r *Repeats) Reset() { r.seen.Reset() }
