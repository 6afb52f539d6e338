package conversation

import (
	"cmp"
	"crypto/sha256"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// chanceLength is the number of bytes up to which a text may be repeated by chance, such as
// "Yes, please go on."
const chanceLength = 64

// Distinctive reports whether another turn equal to this one cannot be chance.
func Distinctive(turn jsonstream.Value) bool { return distinctive(turn, new(textReader)) }

func distinctive(turn jsonstream.Value, texts *textReader) bool {
	for _, name := range []string{"timestamp", "time", "createdAt", "created_at", "created"} {
		if k := turn.Get(name).Kind(); k == jsonstream.String || k == jsonstream.Number {
			return true
		}
	}
	size := 0
	for v := range turn.All() {
		if v.Kind() == jsonstream.String {
			if len(v.Raw()) > len(`""`)+len(`\u0041`)*chanceLength { // an escape is at most six times as long as its text
				return true
			}
			size += len(texts.read(v))
		}
		if size > chanceLength {
			return true
		}
	}
	return false
}

// A textReader reads the texts of strings without allocating for each.
type textReader struct{ buffer []byte }

// read returns the characters of a string, until the next call.
func (r *textReader) read(v jsonstream.Value) []byte {
	text, buffer := jsonstream.Unquote(v.Raw(), r.buffer[:0])
	r.buffer = buffer
	return text
}

// Digest returns a SHA-256 by which equal turns are known, however they are written: it
// does not depend on the order of members, on escapes, or on how a number is spelled.
// Numbers of different decimal value are different, even if they are the same double.
func Digest(turn jsonstream.Value) [sha256.Size]byte {
	return sha256.Sum256(appendNormal(nil, turn))
}

// appendNormal appends a text that two values share exactly if they are equal. It is not
// JSON, since the canonical form of JSON only has doubles.
func appendNormal(dst []byte, v jsonstream.Value) []byte {
	switch v.Kind() {
	case jsonstream.Object:
		type member struct {
			name  string
			value jsonstream.Value
		}
		members := make([]member, 0, v.Len())
		for name, value := range v.Members() {
			members = append(members, member{name, value})
		}
		slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = appendNormal(appendCounted(dst, m.name), m.value)
		}
		return append(dst, '}')
	case jsonstream.Array:
		dst = append(dst, '[')
		for _, element := range v.Elements() {
			dst = appendNormal(dst, element)
		}
		return append(dst, ']')
	case jsonstream.String:
		return appendCounted(dst, v.Text())
	case jsonstream.Number:
		return append(jsonstream.AppendNormal(append(dst, '#'), v.Raw()), ';')
	default:
		return append(append(dst, v.Raw()...), ';')
	}
}

// appendCounted appends a text with its length before it, so that no other begins
// with it.
func appendCounted(dst []byte, text string) []byte {
	dst = append(strconv.AppendInt(append(dst, '"'), int64(len(text)), 10), ':')
	return append(dst, text...)
}

// Duplicates returns for every turn the index of the first turn equal to it, its
// own where there is none before it or where being equal may be chance.
func Duplicates(turns []Turn) []int {
	var seen Repeats
	same := make([]int, len(turns))
	for i, t := range turns {
		same[i] = i
		if j, ok := seen.Add(i, t.Item()); ok {
			same[i] = j
		}
	}
	return same
}

// Repeats finds the turns that are equal to one before, unless that may be chance: see
// [Distinctive]. The zero value has seen none. It is not safe for concurrent use.
type Repeats struct {
	seed    maphash.Seed
	keys    map[uint64]keyed
	digests map[[sha256.Size]byte]int
	texts   textReader
}

// A keyed turn is the first of those with its key. Once there is another, the digests
// of all of them are known.
type keyed struct {
	index    int
	turn     jsonstream.Value
	digested bool
}

// Add records a turn under the index that the caller knows it by. If a turn equal to it
// has been added, it returns the index of the first such.
func (r *Repeats) Add(index int, turn jsonstream.Value) (first int, repeats bool) {
	if !distinctive(turn, &r.texts) {
		return 0, false
	}
	if r.keys == nil {
		r.seed, r.keys = maphash.MakeSeed(), map[uint64]keyed{}
	}
	key := r.key(turn)
	same, ok := r.keys[key]
	if !ok {
		r.keys[key] = keyed{index: index, turn: turn}
		return 0, false
	}
	if !same.digested {
		if r.digests == nil {
			r.digests = map[[sha256.Size]byte]int{}
		}
		r.digests[Digest(same.turn)] = same.index
		same.digested = true
		r.keys[key] = same
	}
	digest := Digest(turn)
	if first, ok = r.digests[digest]; !ok {
		r.digests[digest] = index
	}
	return first, ok
}

// key returns what equal turns share, and others but by chance: the hash of their texts,
// in whatever order their members are. A digest costs some ten times as much.
func (r *Repeats) key(turn jsonstream.Value) (sum uint64) {
	for v := range turn.All() {
		if v.Kind() == jsonstream.String {
			sum += maphash.Bytes(r.seed, r.texts.read(v))
		}
	}
	return sum
}

// Reset forgets all turns, but keeps the memory that they took.
func (r *Repeats) Reset() {
	clear(r.keys)
	clear(r.digests)
}
