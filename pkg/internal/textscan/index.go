// Package textscan looks through texts fast: for the literals of many rules at once
// ([Index]), and at blocks of bytes as bit masks ([ReadBlock]). Beside each stands, in its
// test, the plain statement that it is compared with.
package textscan

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MinLiteral is how many bytes a literal of an [Index] has at least.
const MinLiteral = 4

// A Literal announces a rule.
type Literal struct {
	Text string // in small letters; never found if it is shorter than MinLiteral
	Rule int    // by its index
	Role Role
}

// A Role says what a literal does for its rule.
type Role uint8

// The roles of literals.
const (
	Announces Role = iota // is enough
	Waits                 // is not, without one that is near
	Near                  // is one of those
)

// An Index finds the literals of rules in texts. It is safe for concurrent use.
type Index struct {
	literals []Literal
	holds    []bool // of each literal: one that waits for it may begin inside of it
	reaches  []int
	waits    []uint64 // by the rule: the bit that says that it waits, the same for some if they are many
	shared   uint64   // such bits of several rules

	classes *Classes
	marks   string           // bytes other than letters and digits where literals are looked for
	leads   [1 << 6]uint64   // hashes of the first four bytes of literals that begin with a gap, looked for at the word after it
	start   bitmap           // of what is looked for everywhere
	near    [1 << 12]uint64  // by the hash of four bytes: which rules have to wait for what is looked for only then
	buckets [1<<12 + 1]int32 // by the same hash: where the entries with it begin
	keys    []uint32         // of all entries, apart for the processor's cache
	entries []entry          // in each bucket the longest first
	ids     []int32          // of all entries
}

// An entry has a spelling of literals. The first eight bytes tell most others apart.
type entry struct {
	key, more, mask uint32 // the first four bytes, the next, folded, and which of these there are
	from, to        int32  // of ids: those of all literals that it begins with, the last one first
	id              int32
	text            string
}

// NewIndex returns an index of the literals of rules. What is near a literal that waits
// ends at most so many bytes after its beginning as reaches says for the rule.
func NewIndex(literals []Literal, reaches []int) *Index {
	x := &Index{literals: literals, holds: make([]bool, len(literals)), reaches: reaches}
	x.assign()
	firsts := x.firstsOfWaiting()
	list := make([]entry, 0, len(literals)+len(literals)/32) // some have several spellings
	var first byteSet                                        // bytes with which literals begin, as they fold
	led := !slices.ContainsFunc(literals, func(l Literal) bool { return len(l.Text) > 1 && isGap(l.Text[0]) && !isAlnum(l.Text[1]) })
	var spellings []string
	for id, l := range literals {
		spellings = appendSpellings(spellings[:0], l.Text)
		for _, s := range spellings {
			if len(s) < MinLiteral {
				continue
			}
			e := newEntry(s, id)
			list = append(list, e)
			x.buckets[hash4(e.key)>>4]++
			first.add(s[0])
			if isGap(s[0]) && led {
				x.start.add(s) // what folds to the gap is no gap itself
				x.start.add(s[1:])
				h := hash4(e.key) >> 4
				x.leads[h>>6] |= 1 << (h & 63)
			} else if l.Role == Near && !firsts[l.Rule].beginInside(s) {
				x.near[hash4(e.key)>>4] |= x.waits[l.Rule]
			} else {
				x.start.add(s)
				x.holds[id] = true
			}
		}
	}
	x.sort(list)
	marks := []byte{'\\'}
	for c := range 256 {
		if c := byte(c); first.has(c) && !isAlnum(c) && !(isGap(c) && led) {
			marks = append(marks, c)
		}
	}
	x.marks = string(marks)
	x.classes = NewClasses(x.marks, "")
	return x
}

// Marks returns what [NewClasses] has to know as marks for a [Search] in blocks that are
// read with them.
func (x *Index) Marks() string { return x.marks }

// assign gives each rule that waits a bit.
func (x *Index) assign() {
	x.waits = make([]uint64, len(x.reaches))
	bit := uint64(1)
	var used uint64
	for _, l := range x.literals {
		if l.Role == Announces || x.waits[l.Rule] != 0 {
			continue
		}
		x.waits[l.Rule] = bit
		x.shared |= used & bit
		used |= bit
		bit = max(bit<<1, bit&(1<<63))
	}
}

// A byteSet has a bit for each byte, as they fold.
type byteSet [4]uint64

func (set *byteSet) add(c byte) { set[(c|0x20)>>6] |= 1 << ((c | 0x20) & 63) }

func (set *byteSet) has(c byte) bool { return set[(c|0x20)>>6]>>((c|0x20)&63)&1 != 0 }

// firstsOfWaiting returns the bytes, folded, with which literals that wait begin, by the
// rule.
func (x *Index) firstsOfWaiting() []byteSet {
	firsts := make([]byteSet, len(x.reaches))
	var spellings []string
	for _, l := range x.literals {
		if l.Role == Waits {
			spellings = appendSpellings(spellings[:0], l.Text)
			for _, s := range spellings {
				firsts[l.Rule].add(s[0])
			}
		}
	}
	return firsts
}

// beginInside reports whether a literal that begins with one of the bytes may begin inside
// of s.
func (set *byteSet) beginInside(s string) bool {
	for i := 1; i < len(s); i++ {
		inWord := isLetter(s[i]) && isLetter(s[i-1]) && (i == 1 || s[i-2]|0x20 != '\\'|0x20)
		if set.has(s[i]) && !inWord {
			return true
		}
	}
	return false
}

// sort fills the buckets with entries and gives these their ids. It sorts their numbers:
// entries are large.
func (x *Index) sort(list []entry) {
	for i := range x.buckets[1:] {
		x.buckets[i+1] += x.buckets[i]
	}
	order := make([]int32, len(list))
	for i := range list {
		bucket := &x.buckets[hash4(list[i].key)>>4]
		*bucket-- // at last it is where the bucket begins
		order[*bucket] = int32(i)
	}
	x.entries = make([]entry, 0, len(list))
	x.keys = make([]uint32, 0, len(list))
	x.ids = make([]int32, 0, len(list)+len(list)/4)
	for i := range x.buckets[1:] {
		bucket := order[x.buckets[i]:x.buckets[i+1]]
		x.buckets[i] = int32(len(x.entries))
		slices.SortFunc(bucket, func(i, j int32) int {
			a, b := &list[i], &list[j]
			if d := len(b.text) - len(a.text); d != 0 {
				return d
			}
			return cmp.Or(strings.Compare(a.text, b.text), int(b.id-a.id))
		})
		for n, i := range bucket {
			e := &list[i]
			if n > 0 && list[bucket[n-1]].text == e.text {
				continue // the one before is found for it
			}
			e.from = int32(len(x.ids))
			for _, j := range bucket[n:] {
				if other := &list[j]; hasPrefixFold(e.text, other.text) {
					x.ids = append(x.ids, other.id)
				}
			}
			e.to = int32(len(x.ids))
			slices.SortFunc(x.ids[e.from:], func(a, b int32) int { return int(b - a) })
			x.entries = append(x.entries, *e)
			x.keys = append(x.keys, e.key)
		}
	}
	x.buckets[len(x.buckets)-1] = int32(len(x.entries))
}

func newEntry(s string, id int) entry {
	e := entry{key: four(s) | fold, id: int32(id), text: s}
	for i := range min(len(s)-MinLiteral, 4) {
		e.more |= uint32(s[MinLiteral+i]|0x20) << (8 * i)
		e.mask |= 0xFF << (8 * i)
	}
	return e
}

// appendSpellings appends the spellings of a literal that fold does not bring together: as
// it is, capitalised, and in capitals.
func appendSpellings(list []string, s string) []string {
	first, size := utf8.DecodeRuneInString(s)
	list = append(list, s)
	if first < utf8.RuneSelf || !unicode.IsLower(first) {
		return list
	}
	for _, other := range []string{string(unicode.ToUpper(first)) + s[size:], strings.Map(unicode.ToUpper, s)} {
		if !slices.ContainsFunc(list, func(s string) bool { return len(s) == len(other) && hasPrefixFold(s, other) }) {
			list = append(list, other)
		}
	}
	return list
}

// find returns the entry of the longest literal that s begins with, nil if there is none.
func (x *Index) find(s string) *entry {
	if len(s) < MinLiteral {
		return nil
	}
	key := four(s) | fold
	bucket := hash4(key) >> 4
	from := x.buckets[bucket]
	for i, k := range x.keys[from:x.buckets[bucket+1]] {
		if k == key && x.entries[int(from)+i].begins(s) {
			return &x.entries[int(from)+i]
		}
	}
	return nil
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

// A bitmap has the beginnings of literals: by hashes of their first four bytes or, if they
// have as many, six or eight.
type bitmap [1 << 11]uint64

func (b *bitmap) add(s string) {
	if len(s) < MinLiteral { // as what follows a gap may be
		for c := range 256 {
			b.add(s + string([]byte{byte(c)}))
		}
		return
	}
	v := UpToEight(s) | fold8
	h := hash4(uint32(v))
	switch {
	case len(s) >= 8:
		h = hash8(v)
	case len(s) >= 6:
		h = hash6(v)
	}
	b[h>>6] |= 1 << (h & 63)
}

// may returns 1 if a literal may begin with the first bytes of v, and 0 otherwise.
func (b *bitmap) may(v uint64) uint64 {
	h4, h6, h8 := hash4(uint32(v)), hash6(v), hash8(v)
	return (b[h4>>6]>>(h4&63) | b[h6>>6]>>(h6&63) | b[h8>>6]>>(h8&63)) & 1
}

// fold maps ASCII letters to small ones, four at a time. It also brings some other bytes
// together.
const (
	fold  = 0x20202020
	fold8 = fold<<32 | fold
)

// Hashes of four, six and eight bytes are as many numbers as a bitmap has bits, half of
// these for four bytes.
func hash4(v uint32) uint32 { return v * 0x9E3779B1 >> 16 }
func hash6(v uint64) uint32 { return uint32(v << 16 * 0x9E3779B97F4A7C15 >> (64 - 17)) }
func hash8(v uint64) uint32 { return uint32(v * 0x9E3779B97F4A7C15 >> (64 - 17)) }

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

// isGap reports whether c is one of what [NewClasses] had better not be asked for.
func isGap(c byte) bool { return c == ' ' || c == '"' || c == ',' || c == '.' || c == ':' }

func isAlnum(c byte) bool { return c-'0' < 10 || isLetter(c) }

func isLetter(c byte) bool { return c|0x20-'a' < 26 }
