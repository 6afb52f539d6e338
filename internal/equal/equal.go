// Package equal compares JSON values for equality as defined by RFC 6902, section 4.6, or without some of
// their parts.
package equal

import (
	"bytes"
	"hash/maphash"
	"iter"
	"math/bits"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Values reports whether two values are equal: strings by their characters, numbers by their decimal
// value, objects without regard to the order of their members. Absent values are equal only to each other.
func Values(a, b jsonstream.Value) bool { return Relation{}.Equal(a, b) }

// A Relation is an equality of values. The zero Relation is the equality of [Values].
type Relation struct {
	Exact bool            // compare numbers by their texts
	Mask  jsonstream.Mask // the excluded parts, relative to the values

	// known caches the results for the ancestors of the places in a mask's only: without the cache, each
	// of their many descendants would check them again. It is nil at the root.
	known *knownCounts
}

// knownCounts caches whether anything below a value counts.
type knownCounts struct{ counts map[jsonstream.Value]bool }

// Below returns the relation for a member or element, and whether anything counts there.
func (r Relation) Below(token string) (Relation, bool) {
	mask, counts := r.Mask.Step(token)
	below := Relation{Exact: r.Exact, Mask: mask}
	if mask.Partly() {
		below.known = r.known
	}
	return below, counts
}

// Equal reports whether two values are equal under the relation.
func (r Relation) Equal(a, b jsonstream.Value) bool {
	if r.Mask.Partly() {
		// If nothing counts, the kinds do not count either.
		if x, y := len(r.Children(a)), len(r.Children(b)); x == 0 || y == 0 {
			return x == y
		}
	}
	return Same(Child{a, r}, Child{b, r})
}

// A Child is a member or element that counts, or has a descendant that counts, and the relation for it.
// Children of the same value must not be used concurrently.
type Child struct {
	Value    jsonstream.Value
	Relation Relation
}

// Children returns the members or elements of a value that count, or have a descendant that counts, in the
// order of the text.
func (r Relation) Children(v jsonstream.Value) []Child {
	return r.appendChildren(make([]Child, 0, v.Len()), v)
}

// few is the typical upper bound on the number of children.
const few = 8

func (r Relation) appendChildren(list []Child, v jsonstream.Value) []Child {
	for _, c := range r.children(v) {
		list = append(list, c)
	}
	return list
}

// children yields the members or elements of a value that count, or have a descendant that counts, with their
// names, in the order of the text.
func (r Relation) children(v jsonstream.Value) iter.Seq2[string, Child] {
	if r.Mask.Partly() && r.known == nil {
		r.known = &knownCounts{make(map[jsonstream.Value]bool)}
	}
	return func(yield func(string, Child) bool) {
		for name, c := range r.masked(v) {
			if c.counts() && !yield(name, c) {
				return
			}
		}
	}
}

// masked yields the members or elements that may have a descendant that counts, with their names.
func (r Relation) masked(v jsonstream.Value) iter.Seq2[string, Child] {
	return func(yield func(string, Child) bool) {
		for name, member := range v.Members() {
			if below, counts := r.Below(name); counts && !yield(name, Child{member, below}) {
				return
			}
		}
		for i, element := range v.Elements() {
			below, counts := r, true
			if !r.Mask.Open() {
				below, counts = r.Below(strconv.Itoa(i))
			}
			if counts && !yield("", Child{element, below}) {
				return
			}
		}
	}
}

// counts reports whether the value or one of its descendants counts.
func (c Child) counts() bool {
	if !c.Relation.Mask.Partly() {
		return true
	}
	if kind := c.Value.Kind(); kind != jsonstream.Object && kind != jsonstream.Array {
		return false
	}
	if counts, ok := c.Relation.known.counts[c.Value]; ok {
		return counts
	}
	counts := false
	for _, child := range c.Relation.masked(c.Value) {
		if counts = child.counts(); counts {
			break
		}
	}
	c.Relation.known.counts[c.Value] = counts
	return counts
}

// Same reports whether two values are equal, each under its own relation: elements of
// different arrays, or with different indices, can have different ones.
func Same(a, b Child) bool {
	if a.Relation == b.Relation && bytes.Equal(a.Value.Raw(), b.Value.Raw()) {
		return true
	}
	if a.Value.Kind() != b.Value.Kind() {
		return false
	}
	switch a.Value.Kind() {
	case jsonstream.String:
		return a.Value.Text() == b.Value.Text()
	case jsonstream.Number:
		if a.Relation.Exact {
			return bytes.Equal(a.Value.Raw(), b.Value.Raw())
		}
		return jsonstream.SameNumber(a.Value.Raw(), b.Value.Raw())
	case jsonstream.Array, jsonstream.Object:
		var roomA, roomB [few]Child
		listA, listB := a.Relation.appendChildren(roomA[:0], a.Value), b.Relation.appendChildren(roomB[:0], b.Value)
		if a.Value.Kind() == jsonstream.Array {
			return slices.EqualFunc(listA, listB, Same)
		}
		return sameMembers(listA, listB)
	default:
		return true // absent values, or literals of one kind
	}
}

// sameMembers compares members in the order of the text while both orders agree, and looks up the rest.
func sameMembers(a, b []Child) bool {
	if len(a) != len(b) {
		return false
	}
	for len(a) > 0 && a[0].Value.Name() == b[0].Value.Name() {
		if !Same(a[0], b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
	if len(a) == 0 {
		return true
	}
	others := make(map[string]Child, len(b))
	for _, member := range b {
		others[member.Value.Name()] = member
	}
	for _, member := range a {
		other, ok := others[member.Value.Name()]
		if !ok || !Same(member, other) {
			return false
		}
	}
	return true
}

// Hash returns the same number for values that are equal under the relation and, most likely, different
// numbers for others.
func (r Relation) Hash(seed maphash.Seed, v jsonstream.Value) uint64 {
	switch kind := v.Kind(); kind {
	case jsonstream.String:
		return maphash.String(seed, v.Text())
	case jsonstream.Number:
		if r.Exact {
			return pair(uint64(kind), maphash.Bytes(seed, v.Raw()))
		}
		var room [32]byte
		return pair(uint64(kind), maphash.Bytes(seed, jsonstream.AppendNormal(room[:0], v.Raw())))
	case jsonstream.Array:
		sum := own(seed, kind)
		if r.Mask.Open() {
			for _, element := range v.Elements() {
				sum = pair(sum, r.Hash(seed, element))
			}
			return sum
		}
		for _, child := range r.children(v) {
			sum = pair(sum, child.Relation.Hash(seed, child.Value))
		}
		return sum
	case jsonstream.Object:
		sum := own(seed, kind)
		if r.Mask.Open() {
			for name, member := range v.Members() {
				sum += pair(maphash.String(seed, name), r.Hash(seed, member))
			}
			return pair(uint64(kind), sum)
		}
		for name, child := range r.children(v) {
			sum += pair(maphash.String(seed, name), child.Relation.Hash(seed, child.Value))
		}
		return pair(uint64(kind), sum)
	default:
		return own(seed, kind)
	}
}

// own returns the common part of the hashes of all values of a kind.
func own(seed maphash.Seed, kind jsonstream.Kind) uint64 {
	return pair(uint64(kind), maphash.Bytes(seed, nil))
}

// pair combines two hashes. Their product depends on every bit of both, and without the seed, an attacker
// cannot choose factors that lose bits.
func pair(a, b uint64) uint64 {
	const k, l = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	high, low := bits.Mul64(a^k, b^l)
	return high ^ low
}
