package ecmascript

import (
	"slices"
	"sort"
	"sync"
	"unicode"
)

// A set is a set of characters: pairs of first and last characters, ascending, with a gap between
// pairs. It is immutable.
type set []rune

// union returns the union of ranges, which may overlap.
func union(ranges ...set) set {
	pairs := slices.Concat(ranges...)
	sort.Sort(byFirst(pairs))
	merged := pairs[:0]
	for i := 0; i < len(pairs); i += 2 {
		first, last := pairs[i], pairs[i+1]
		if end := len(merged) - 1; end > 0 && first <= merged[end]+1 {
			merged[end] = max(merged[end], last)
		} else {
			merged = append(merged, first, last)
		}
	}
	return merged
}

type byFirst set

func (s byFirst) Len() int           { return len(s) / 2 }
func (s byFirst) Less(i, j int) bool { return s[2*i] < s[2*j] }
func (s byFirst) Swap(i, j int) {
	s[2*i], s[2*j] = s[2*j], s[2*i]
	s[2*i+1], s[2*j+1] = s[2*j+1], s[2*i+1]
}

// complement returns the set of all other characters.
func (s set) complement() set {
	others := make(set, 0, len(s)+2)
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if next < s[i] {
			others = append(others, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		others = append(others, next, unicode.MaxRune)
	}
	return others
}

func (s set) contains(r rune) bool {
	i, found := slices.BinarySearch(s, r)
	return found || i%2 != 0
}

// isSingle reports whether the set has exactly one character.
func (s set) isSingle() bool { return len(s) == 2 && s[0] == s[1] }

// withoutCase returns the set extended by all characters that differ from one of it only in case.
func (s set) withoutCase() set {
	members := cased()
	if s.isSingle() {
		members = []rune(s[:1])
	}
	var folds set
	for _, r := range members {
		if s.contains(r) {
			for fold := unicode.SimpleFold(r); fold != r; fold = unicode.SimpleFold(fold) {
				folds = append(folds, fold, fold)
			}
		}
	}
	return union(s, folds)
}

// cased returns the characters that have other cases.
var cased = sync.OnceValue(func() (cased []rune) {
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			if unicode.SimpleFold(r) != r {
				cased = append(cased, r)
			}
		}
	}
	return cased
})

// tableSet returns the union of the tables.
func tableSet(tables ...*unicode.RangeTable) set {
	var pairs set
	add := func(first, last, stride rune) {
		if stride == 1 {
			pairs = append(pairs, first, last)
			return
		}
		for r := first; r <= last; r += stride {
			pairs = append(pairs, r, r)
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return union(pairs)
}

// The classes with escapes or syntax of their own. They must not be modified.
var (
	all            = set{0, unicode.MaxRune}
	digits         = set{'0', '9'}
	words          = set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	wordsAnyCase   = set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z', 'ſ', 'ſ', '\u212a', '\u212a'} // long s and the kelvin sign
	lineTerminator = set{'\n', '\n', '\r', '\r', '\u2028', '\u2029'}
	whiteSpace     = set{
		'\t', '\r', ' ', ' ', '\u00a0', '\u00a0', '\u1680', '\u1680', '\u2000', '\u200a', '\u2028', '\u2029', '\u202f', '\u202f', '\u205f', '\u205f', '\u3000', '\u3000', '\ufeff', '\ufeff',
	}
)
