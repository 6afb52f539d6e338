package textscan

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MinLiteral is how many bytes a literal has at least.
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

	holds Role = 4 // of an Announcement, besides: one that waits for it may begin inside of it
)

// Tables are all that an [Index] knows of literals. They are data only, so that they can be
// written down: making them takes time.
type Tables struct {
	Marks  string          // bytes other than letters and digits where literals are looked for
	Leads  [1 << 6]uint64  // hashes of the first four bytes of literals that begin with a gap, looked for at the word after it
	Start  Bitmap          // of what is looked for everywhere
	Near   [1 << 12]uint64 // by the hash of four bytes: which rules have to wait for what is looked for only then
	Waits  []uint64        // by the rule: the bit that says that it waits, the same for some if they are many
	Shared uint64          // such bits of several rules

	// Texts are the spellings of all literals, each once, in the order of the hashes of
	// their first four bytes, which begin where Buckets says; of equal ones, the longest first.
	Texts   []string
	Buckets [1<<12 + 1]int32
	// Announcements are those of each text, which end where Ends says: of all literals that
	// it begins with, the last one first.
	Announcements []Announcement
	Ends          []int32
}

// An Announcement is what a literal says once it is found: the index of its rule, the length
// of the spelling, and its role. It is short where it is written down.
type Announcement [3]int32

func (a *Announcement) rule() int  { return int(a[0]) }
func (a *Announcement) len() int   { return int(a[1]) }
func (a *Announcement) role() Role { return Role(a[2]) }

// NewTables returns the tables of the literals of some number of rules.
func NewTables(literals []Literal, rules int) *Tables {
	t := &Tables{Waits: make([]uint64, rules)}
	t.assign(literals)
	firsts := firstsOfWaiting(literals, rules)
	list := make([]spelling, 0, len(literals)+len(literals)/32) // some have several
	roles := make([]Role, len(literals))
	var first byteSet // bytes with which literals begin, as they fold
	led := !slices.ContainsFunc(literals, func(l Literal) bool { return len(l.Text) > 1 && isGap(l.Text[0]) && !isAlnum(l.Text[1]) })
	for id, l := range literals {
		for _, s := range spellings(l.Text) {
			if len(s) < MinLiteral {
				continue
			}
			list = append(list, spelling{s, id})
			first.add(s[0])
			h := list[len(list)-1].bucket()
			switch {
			case isGap(s[0]) && led:
				t.Start.add(s) // what folds to the gap is no gap itself
				t.Start.add(s[1:])
				t.Leads[h>>6] |= 1 << (h & 63)
			case l.Role == Near && !firsts[l.Rule].beginInside(s):
				t.Near[h] |= t.Waits[l.Rule]
			default:
				t.Start.add(s)
				roles[id] = holds
			}
		}
	}
	marks := []byte{'\\'}
	for c := range 256 {
		if c := byte(c); first.has(c) && !isAlnum(c) && !(isGap(c) && led) {
			marks = append(marks, c)
		}
	}
	t.Marks = string(marks)
	t.list(list, func(s spelling) Announcement {
		l := literals[s.id]
		return Announcement{int32(l.Rule), int32(len(s.text)), int32(l.Role | roles[s.id])}
	})
	return t
}

// assign gives each rule that waits a bit.
func (t *Tables) assign(literals []Literal) {
	bit := uint64(1)
	var used uint64
	for _, l := range literals {
		if l.Role == Announces || t.Waits[l.Rule] != 0 {
			continue
		}
		t.Waits[l.Rule] = bit
		t.Shared |= used & bit
		used |= bit
		bit = max(bit<<1, bit&(1<<63))
	}
}

// list lists spellings and what they announce.
func (t *Tables) list(list []spelling, announcement func(spelling) Announcement) {
	slices.SortFunc(list, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(a.bucket(), b.bucket()), cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text), cmp.Compare(b.id, a.id))
	})
	for i, s := range list {
		if i > 0 && list[i-1].text == s.text {
			continue // the one before is found for it
		}
		var known []spelling
		for _, other := range list[i:] {
			if other.bucket() != s.bucket() {
				break
			}
			if hasPrefixFold(s.text, other.text) {
				known = append(known, other)
			}
		}
		slices.SortStableFunc(known, func(a, b spelling) int { return cmp.Compare(b.id, a.id) })
		for _, k := range known {
			t.Announcements = append(t.Announcements, announcement(k))
		}
		t.Texts = append(t.Texts, s.text)
		t.Ends = append(t.Ends, int32(len(t.Announcements)))
		t.Buckets[s.bucket()+1] = int32(len(t.Texts))
	}
	for i := range t.Buckets[1:] { // those that are empty
		t.Buckets[i+1] = max(t.Buckets[i], t.Buckets[i+1])
	}
}

// A spelling is one of a literal.
type spelling struct {
	text string
	id   int // of the literal
}

func (s spelling) bucket() uint32 { return hash4(four(s.text)|fold) >> 4 }

// A byteSet has a bit for each byte, as they fold.
type byteSet [4]uint64

func (set *byteSet) add(c byte) { set[(c|0x20)>>6] |= 1 << ((c | 0x20) & 63) }

func (set *byteSet) has(c byte) bool { return set[(c|0x20)>>6]>>((c|0x20)&63)&1 != 0 }

// firstsOfWaiting returns the bytes, folded, with which literals that wait begin, by the
// rule.
func firstsOfWaiting(literals []Literal, rules int) []byteSet {
	firsts := make([]byteSet, rules)
	for _, l := range literals {
		if l.Role == Waits {
			for _, s := range spellings(l.Text) {
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

// spellings returns the spellings of a literal that fold does not bring together: as it is,
// capitalised, and in capitals.
func spellings(s string) []string {
	first, size := utf8.DecodeRuneInString(s)
	list := []string{s}
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
