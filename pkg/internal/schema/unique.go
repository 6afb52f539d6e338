package schema

import (
	"hash/maphash"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// few is the maximum number of elements that are compared pairwise.
const few = 8

// firstRepeated returns the first element that equals an earlier one, and the earlier one.
func firstRepeated(array jsonstream.Value) (earlier, again jsonstream.Value) {
	if array.Len() <= few {
		for i, element := range array.Elements() {
			for j, earlier := range array.Elements() {
				if j == i {
					break
				}
				if equal.Values(earlier, element) {
					return earlier, element
				}
			}
		}
		return jsonstream.Value{}, jsonstream.Value{}
	}
	seed := maphash.MakeSeed()
	seen := map[uint64][]jsonstream.Value{}
	for _, element := range array.Elements() {
		hash := equal.Relation{}.Hash(seed, element)
		for _, earlier := range seen[hash] {
			if equal.Values(earlier, element) {
				return earlier, element
			}
		}
		seen[hash] = append(seen[hash], element)
	}
	return jsonstream.Value{}, jsonstream.Value{}
}

// repeatedKeys calls report for every element whose member name has the same text as that of an
// earlier element, until report returns false. first must be empty; it receives the first element
// with each text.
func repeatedKeys(first map[string]jsonstream.Value, array jsonstream.Value, name string, report func(earlier, key jsonstream.Value) bool) {
	for _, element := range array.Elements() {
		key := element.Get(name)
		if key.Kind() != jsonstream.String {
			continue
		}
		earlier, again := first[key.Text()]
		if !again {
			first[key.Text()] = element
		} else if !report(earlier, key) {
			return
		}
	}
}
