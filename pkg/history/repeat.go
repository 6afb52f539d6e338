package history

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"

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
			size += len(v.Text())
		}
		if size > chanceLength {
			return true
		}
	}
	return false
}

// Digest returns a SHA-256 by which equal turns are known, however they are written:
// it does not depend on the order of members, on escapes, or on how a number is
// spelled. Numbers of different decimal value are different, be they one double.
func Digest(turn jsonstream.Value) [sha256.Size]byte {
	return sha256.Sum256(appendNormal(nil, turn))
}

// appendNormal appends a text that two values share exactly if they are equal. It is
// no JSON: the canonical form has no numbers but doubles.
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
