package safety

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// An index finds literals in a text in one pass: the filter before all expressions,
// which are slow beside it. It is safe for concurrent use.
type index struct {
	bits     [1 << 10]uint64 // hashes of the first four bytes of all literals
	heads    [1 << 12]int32  // by the hash: one more than the index of the last literal, 0 for none
	entries  []entry         // of the literals, in the same order
	literals []literal
	words    bool // a literal that begins with a letter or digit begins a word

	prefilter func() *prefilter // over the literals, of words
}

// A literal announces a probe.
type literal struct {
	text  string
	probe int32
	role  role
}

// An entry has the first four bytes of a literal, folded, and as many of the next four
// as there are: what shares a hash is told apart without a look at the literal.
type entry struct {
	key, more, mask uint32
	before          int32 // the head before it
}

// A role says what a literal does for its probe.
type role uint8

const (
	announces role = iota // is enough to try the probe
	waits                 // is not, without one of those that are near
	near                  // is one of those
)

// minLiteral is how many bytes a literal needs at least.
const minLiteral = 4

// fold4 maps ASCII letters to lower case, four at a time. It also merges some other
// bytes, which costs a few useless looks and never a match.
const fold4 = 0x20202020

func hash4(v uint32) uint32 { return v * 0x9E3779B1 >> 16 }

// newIndex returns an index with room for n literals.
func newIndex(n int, words bool) *index {
	x := &index{entries: make([]entry, 0, n), literals: make([]literal, 0, n), words: words}
	x.prefilter = sync.OnceValue(func() *prefilter { return newPrefilter(x) })
	return x
}

// add enters a literal of at least minLiteral bytes in the spellings that fold4 does not
// bring together: as it is, capitalised, and in capitals.
func (x *index) add(text string, probe int, role role) {
	x.enter(text, probe, role)
	first, size := utf8.DecodeRuneInString(text)
	if first < utf8.RuneSelf || !unicode.IsLower(first) {
		return
	}
	capitalised, capitals := string(unicode.ToUpper(first))+text[size:], upper(text)
	if !sameFold(capitalised, text) {
		x.enter(capitalised, probe, role)
	}
	if !sameFold(capitals, text) && !sameFold(capitals, capitalised) {
		x.enter(capitals, probe, role)
	}
}

func sameFold(s, t string) bool { return len(s) == len(t) && hasPrefixFold(s, t) }

func (x *index) enter(s string, probe int, role role) {
	if len(s) < minLiteral {
		return
	}
	e := entry{key: four(s) | fold4}
	for i := range min(len(s)-minLiteral, 4) {
		e.more |= uint32(s[minLiteral+i]|0x20) << (8 * i)
		e.mask |= 0xFF << (8 * i)
	}
	h := hash4(e.key)
	x.bits[h>>6] |= 1 << (h & 63)
	head := &x.heads[h>>4]
	e.before = *head
	x.entries = append(x.entries, e)
	x.literals = append(x.literals, literal{s, int32(probe), role})
	*head = int32(len(x.literals))
}

func upper(s string) string {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		out = append(out, unicode.ToUpper(r))
	}
	return string(out)
}

// find calls found with each literal in text and the offset it begins at, in the order
// of the text.
func (x *index) find(text string, found func(l *literal, at int)) {
	word := false // the byte before is part of a word
	for at := 0; at+minLiteral <= len(text); at++ {
		c := text[at]
		inside := word && x.words
		word = wordByte[c]
		if inside && word {
			continue
		}
		if c == '\\' && (text[at+1] == 'n' || text[at+1] == 'r' || text[at+1] == 't') {
			at++ // a line break or tab, as in JSON inside a string: a word may begin behind it
			continue
		}
		key := four(text[at:]) | fold4
		h := hash4(key)
		if x.bits[h>>6&(1<<10-1)]&(1<<(h&63)) == 0 {
			continue
		}
		k := x.heads[h>>4]
		if k == 0 {
			continue
		}
		more := second4(text[at:])
		for k > 0 {
			e, l := &x.entries[k-1], &x.literals[k-1]
			k = e.before
			if e.key == key && more&e.mask == e.more && hasPrefixFold(text[at:], l.text) {
				found(l, at)
			}
		}
	}
}

// second4 returns the second four bytes of s, folded, as far as there are any.
func second4(s string) uint32 {
	if len(s) >= 2*minLiteral {
		return four(s[minLiteral:]) | fold4
	}
	more := uint32(0)
	for i, c := range []byte(s[minLiteral:]) {
		more |= uint32(c|0x20) << (8 * i)
	}
	return more
}

// four returns the first four bytes of s as a number.
func four(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

var wordByte = func() (t [256]bool) {
	for c := range t {
		t[c] = alnum(byte(c))
	}
	return t
}()

// hasPrefixFold compares as fold4 does.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		if s[i]|0x20 != prefix[i]|0x20 {
			return false
		}
	}
	return true
}

func alnum(c byte) bool {
	return c-'0' < 10 || c|0x20-'a' < 26
}
