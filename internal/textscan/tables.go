package textscan

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MinLiteral is the minimum length of a literal.
const MinLiteral = 4

// A Literal announces a rule.
type Literal struct {
	Text string // in lower case; ignored if shorter than MinLiteral
	Rule int    // index
	Role Role
}

// A Role is the function of a literal for its rule.
type Role uint8

// The roles of literals.
const (
	Announces Role = iota // announces the rule
	Waits                 // announces the rule together with a near literal
	Near                  // a near literal

	holds Role = 4 // flag of an Announcement: a waiting literal may begin inside it
)

// Tables are the data of an [Index]. They are constant data, so that they can be generated as
// source code: building them takes time.
type Tables struct {
	Marks  string          // bytes other than letters and digits at which literals may begin
	Leads  [1 << 6]uint64  // hashes of the first four bytes of literals that begin with a gap
	Start  Bitmap          // literals found everywhere
	Near   [1 << 12]uint64 // by hash of four bytes: the rules that must be waiting for a literal
	Waits  []uint64        // by rule: its bit for waiting; many rules share bits
	Shared uint64          // bits shared by several rules

	// Short and Long are the beginnings of all literals without a leading gap, whichever rules wait: hashes
	// of the first four bytes of short ones, and of the first eight bytes of long ones.
	Short [1 << 10]uint64
	Long  Bitmap

	// Texts are the distinct spellings of all literals, ordered by the hashes of their first four
	// bytes, which begin at Buckets; for equal hashes, longest first.
	Texts   []string
	Buckets [1<<12 + 1]int32
	// Announcements are the announcements of each text, which end at Ends: of all literals that are
	// its prefixes, last one first.
	Announcements []Announcement
	Ends          []int32
}

// An Announcement is a rule announced by a literal: the index of the rule, the length of the
// spelling, and the role. It is an array to keep the generated source short.
type Announcement [3]int32

func (a *Announcement) rule() int  { return int(a[0]) }
func (a *Announcement) len() int   { return int(a[1]) }
func (a *Announcement) role() Role { return Role(a[2]) }

// NewTables returns the tables of literals; rules is the number of rules.
func NewTables(literals []Literal, rules int) *Tables {
	t := &Tables{Waits: make([]uint64, rules)}
	t.assign(literals)
	firsts := firstsOfWaiting(literals, rules)
	list := make([]spelling, 0, len(literals)+len(literals)/32) // some have several spellings
	roles := make([]Role, len(literals))
	var first byteSet // folded first bytes of literals
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
				t.Start.add(s) // bytes that fold to the gap are not gaps themselves
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

// assign assigns bits to the rules that wait.
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

// list builds the tables from spellings and their announcements.
func (t *Tables) list(list []spelling, announcement func(spelling) Announcement) {
	slices.SortFunc(list, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(a.bucket(), b.bucket()), cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text), cmp.Compare(b.id, a.id))
	})
	for i, s := range list {
		if i > 0 && list[i-1].text == s.text {
			continue // a duplicate of the previous one
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
		t.begin(s.text)
		if isGap(s.text[0]) {
			t.begin(s.text[1:])
		}
		t.Ends = append(t.Ends, int32(len(t.Announcements)))
		t.Buckets[s.bucket()+1] = int32(len(t.Texts))
	}
	for i := range t.Buckets[1:] { // empty buckets
		t.Buckets[i+1] = max(t.Buckets[i], t.Buckets[i+1])
	}
}

// begin adds the beginning of a literal to Short or Long.
func (t *Tables) begin(s string) {
	switch {
	case len(s) < MinLiteral: // the text after a gap
		for c := range 256 {
			t.begin(s + string([]byte{byte(c)}))
		}
	case len(s) < 8:
		h := hash4(four(s) | fold)
		t.Short[h>>6] |= 1 << (h & 63)
	default:
		t.Long.add(s)
	}
}

// A spelling is a spelling of a literal.
type spelling struct {
	text string
	id   int // of the literal
}

func (s spelling) bucket() uint32 { return hash4(four(s.text)|fold) >> 4 }

// A byteSet is a set of folded bytes.
type byteSet [4]uint64

func (set *byteSet) add(c byte) { set[(c|0x20)>>6] |= 1 << ((c | 0x20) & 63) }

func (set *byteSet) has(c byte) bool { return set[(c|0x20)>>6]>>((c|0x20)&63)&1 != 0 }

// firstsOfWaiting returns, by rule, the folded first bytes of waiting literals.
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

// beginInside reports whether a literal that begins with one of the bytes may begin inside s.
func (set *byteSet) beginInside(s string) bool {
	for i := 1; i < len(s); i++ {
		inWord := isLetter(s[i]) && isLetter(s[i-1]) && (i == 1 || s[i-2]|0x20 != '\\'|0x20)
		if set.has(s[i]) && !inWord {
			return true
		}
	}
	return false
}

// spellings returns the spellings of a literal that fold does not make equal: unchanged,
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
