package conversation

import (
	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// chanceLength is the number of bytes up to which a text may be repeated by chance, such as
// "Yes, please go on."
const chanceLength = 64

// Distinctive reports whether another turn equal to this one cannot be chance.
func Distinctive(turn jsonstream.Value) bool {
	for _, name := range []string{"timestamp", "time", "createdAt", "created_at", "created"} {
		if k := turn.Get(name).Kind(); k == jsonstream.String || k == jsonstream.Number {
			return true
		}
	}
	const maxQuoted = len(`""`) + len(`\u0041`)*chanceLength // an escape is at most six times as long as its text
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

// Duplicates returns for every turn the index of the first turn equal to it, its
// own where there is none before it or where being equal may be chance.
func Duplicates(turns []Turn) []int {
	var seen Repeats
	same := make([]int, len(turns))
	for i, t := range turns {
		same[i], _ = seen.Add(i, t.Item())
	}
	return same
}

// Repeats finds the turns that are equal to one before, unless that may be chance: see
// [Distinctive]. The zero value has seen none. It is not safe for concurrent use.
type Repeats struct{ seen equal.Seen }

// Add records a turn under the index that the caller knows it by. If a turn equal to it
// has been added, it returns the index of the first such, and otherwise its own.
func (r *Repeats) Add(index int, turn jsonstream.Value) (first int, repeats bool) {
	if !Distinctive(turn) {
		return index, false
	}
	return r.seen.Add(index, turn)
}

// Reset forgets all turns, but keeps the memory that they took.
func (r *Repeats) Reset() { r.seen.Reset() }
