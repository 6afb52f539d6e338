// Package textscan looks through texts fast: for many literals at once ([Index]), and at
// blocks of bytes as bit masks ([ReadBlock]). Beside each stands, in its test, the plain
// statement that it is compared with.
package textscan

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MinLiteral is how many bytes a literal of an [Index] has at least.
const MinLiteral = 4

// An Index finds literals in texts. It is safe for concurrent use.
type Index struct {
	classes *Classes
	gaps    uint64           // all bits, but none if no literal begins with a gap
	bits    [1 << 10]uint64  // hashes of the first four bytes of all literals
	buckets [1<<12 + 1]int32 // by the hash: where the entries with it begin
	entries []entry          // in each bucket the longest first
	ids     []int            // of all entries
}

// An entry has a spelling of a literal. The first eight bytes tell most others apart.
type entry struct {
	key, more, mask uint32 // the first four bytes, the next, folded, and which of these there are
	from, to        int32  // of ids: those of all literals that it begins with, the last one first
	id              int
	text            string
}

// NewIndex returns an index of literals, in small letters. Shorter ones than MinLiteral
// are never found.
func NewIndex(literals []string) *Index {
	x := &Index{}
	list := make([]entry, 0, len(literals)+len(literals)/32) // some have several spellings
	var first [256]bool                                      // bytes with which literals begin, as they fold
	enter := func(s string, id int) {
		if len(s) < MinLiteral {
			return
		}
		e := newEntry(s, id)
		list = append(list, e)
		h := hash(e.key)
		x.bits[h>>6] |= 1 << (h & 63)
		x.buckets[h>>4]++
		first[s[0]|0x20] = true
	}
	for id, s := range literals {
		enter(s, id)
		for _, other := range spellings(s) {
			enter(other, id)
		}
	}
	for i := range x.buckets[1:] {
		x.buckets[i+1] += x.buckets[i]
	}
	x.entries = make([]entry, len(list))
	for _, e := range list {
		bucket := &x.buckets[hash(e.key)>>4]
		*bucket-- // at last it is where the bucket begins
		x.entries[*bucket] = e
	}
	for i := range x.buckets[1:] {
		x.finish(x.entries[x.buckets[i]:x.buckets[i+1]])
	}
	marks := []byte{'\\'}
	for c := range 256 {
		if first[byte(c)|0x20] && !isAlnum(byte(c)) {
			marks = append(marks, byte(c))
		}
	}
	x.classes = NewClasses(string(marks), "")
	if first[' '] || first['"'] {
		x.gaps = ^uint64(0)
	}
	return x
}

// finish sorts the entries of a bucket and gives them their ids.
func (x *Index) finish(bucket []entry) {
	slices.SortFunc(bucket, func(a, b entry) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text), b.id-a.id)
	})
	for i := range bucket {
		e := &bucket[i]
		if i > 0 && bucket[i-1].text == e.text {
			continue // the one before is found for it
		}
		e.from = int32(len(x.ids))
		for _, other := range bucket[i:] {
			if hasPrefixFold(e.text, other.text) {
				x.ids = append(x.ids, other.id)
			}
		}
		e.to = int32(len(x.ids))
		slices.SortFunc(x.ids[e.from:], func(a, b int) int { return b - a })
	}
}

func newEntry(s string, id int) entry {
	e := entry{key: four(s) | fold, id: id, text: s}
	for i := range min(len(s)-MinLiteral, 4) {
		e.more |= uint32(s[MinLiteral+i]|0x20) << (8 * i)
		e.mask |= 0xFF << (8 * i)
	}
	return e
}

// spellings returns the spellings of a literal, besides as it is, that fold does not bring
// together with that: capitalised, and in capitals.
func spellings(s string) []string {
	first, size := utf8.DecodeRuneInString(s)
	if first < utf8.RuneSelf || !unicode.IsLower(first) {
		return nil
	}
	var list []string
	capitalised, capitals := string(unicode.ToUpper(first))+s[size:], strings.Map(unicode.ToUpper, s)
	if !sameFold(capitalised, s) {
		list = append(list, capitalised)
	}
	if !sameFold(capitals, s) && !sameFold(capitals, capitalised) {
		list = append(list, capitals)
	}
	return list
}

func sameFold(s, t string) bool { return len(s) == len(t) && hasPrefixFold(s, t) }

// Find calls found with each literal in text, by its place in the list that the index was
// made of, and the offset where it begins, in the order of the text; at one offset, later
// literals come first. Case does not count, nor does the same bit of other bytes: "[" is
// found in "{", too. A literal that begins with a letter or digit
// of ASCII begins a word there. None begins at a backslash that escapes a line break or a
// tab (\n, \r, \t), as in JSON inside a string, or at its letter; a word may begin after it.
func (x *Index) Find(text string, found func(id, at int)) {
	inWord, escaped := uint64(0), -1
	for at := 0; at+MinLiteral <= len(text); at += BlockLen {
		b := ReadBlock(text, at, x.classes)
		places := b.Starts(inWord) | b.Marks | b.Gaps&x.gaps
		inWord = b.Words() >> (BlockLen - 1)
		var hits uint64
		// Most places are ruled out, without a branch for each.
		for ; places != 0; places &= places - 1 {
			n := bits.TrailingZeros64(places)
			if at+n+MinLiteral > len(text) {
				break
			}
			h := hash(four(text[at+n:]) | fold)
			hits |= x.bits[h>>6&(1<<10-1)] >> (h & 63) & 1 << n
			if text[at+n] == '\\' {
				hits |= 1 << n
			}
		}
		for ; hits != 0; hits &= hits - 1 {
			i := at + bits.TrailingZeros64(hits)
			switch {
			case i == escaped:
			case text[i] == '\\' && isEscape(text[i+1]):
				escaped = i + 1
				if isAlnum(text[i+2]) {
					x.literals(text, i+2, found)
				}
			default:
				x.literals(text, i, found)
			}
		}
	}
}

// isEscape reports whether a backslash before c makes white space of it.
func isEscape(c byte) bool { return c == 'n' || c == 'r' || c == 't' }

// literals reports those at text[at].
func (x *Index) literals(text string, at int, found func(id, at int)) {
	if at+MinLiteral > len(text) {
		return
	}
	rest := text[at:]
	key := four(rest) | fold
	bucket := hash(key) >> 4
	for i := x.buckets[bucket]; i < x.buckets[bucket+1]; i++ {
		if e := &x.entries[i]; e.key == key && e.begins(rest) {
			for _, id := range x.ids[e.from:e.to] {
				found(id, at)
			}
			return // with the longest all others
		}
	}
}

// begins reports whether s, of which the first four bytes are those of the entry, begins
// with its text.
func (e *entry) begins(s string) bool {
	if len(s) < 2*MinLiteral {
		return hasPrefixFold(s, e.text)
	}
	return (four(s[MinLiteral:])|fold)&e.mask == e.more &&
		(len(e.text) <= 2*MinLiteral || hasPrefixFold(s[2*MinLiteral:], e.text[2*MinLiteral:]))
}

// fold maps ASCII letters to small ones, four at a time. It also brings some other bytes
// together.
const fold = 0x20202020

func hash(v uint32) uint32 { return v * 0x9E3779B1 >> 16 }

// four returns the first four bytes of s as a number.
func four(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// hasPrefixFold compares as fold does.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if s[i]|0x20 != prefix[i]|0x20 {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 26 }
