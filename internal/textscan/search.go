package textscan

import (
	"math/bits"
	"sync"
)

// Find calls found with each rule announced by its literals in a text, and the offset of the
// announcing literal, in the order of the text; at one offset, later literals come first. A waiting
// literal announces its rule when the first near literal of the rule follows it within reach,
// unless four waiting literals lie between the two. If the last near literal overlaps the waiting
// one, the rule is announced at once.
//
// Matching ignores case, and the same bit of other bytes: "[" matches "{", too. A literal that
// begins with an ASCII letter or digit matches only at the beginning of a word. No literal matches
// at a backslash that escapes a line break or a tab (\n, \r, \t), as in JSON inside a string, or at
// its letter; a word may begin after it.
func (x *Index) Find(text string, found func(rule, at int)) {
	s := searches.Get().(*Search)
	s.Begin(x, text)
	for at := 0; at < len(text); at += BlockLen {
		s.Block(at, ReadBlock(text, at, x.classes), found)
	}
	s.text = ""
	searches.Put(s)
}

var searches = sync.Pool{New: func() any { return new(Search) }}

// A Search scans a text block by block, as [Index.Find] does.
type Search struct {
	index   *Index
	text    string
	inWord  uint64 // 1 if the byte before the block is a letter or digit
	escaped int    // offset of the letter of the last escape
	waiting uint64 // bits of the rules that wait, or whose near literal may overlap a waiting one
	rules   []lookout
}

// A lookout is the state of one rule during a scan.
type lookout struct {
	near    int             // end of the latest near literal
	pending [maxPending]int // offsets of the latest waiting literals
	n       int             // number of pending offsets
}

const maxPending = 4

// Begin begins a search for the literals of an index in a text.
func (s *Search) Begin(x *Index, text string) {
	if cap(s.rules) < len(x.reaches) {
		s.rules = make([]lookout, len(x.reaches))
	}
	*s = Search{index: x, text: text, escaped: -1, rules: s.rules[:len(x.reaches)]}
	clear(s.rules)
}

// Block scans the block at an offset. Blocks must be scanned in sequence, from the first on.
func (s *Search) Block(at int, b Block, found func(rule, at int)) {
	x := s.index
	starts := b.Starts(s.inWord)
	s.inWord = b.Words() >> (BlockLen - 1)
	for hits := s.known(at, starts) | s.signs(at, b.Marks); hits != 0; hits &= hits - 1 {
		i := at + bits.TrailingZeros64(hits)
		switch {
		case i == s.escaped:
		case s.text[i] == '\\' && isEscape(s.text[i+1]):
			s.escaped = i + 1
			if isAlnum(s.text[i+2]) {
				s.place(i+2, found)
			}
		default:
			v := firstEight(s.text[i:])
			if x.Near[hash4(uint32(v))>>4]&s.waiting == 0 && !x.Start.may(v) {
				continue
			}
			if i > 0 && x.mayLead(s.text[i-1:]) {
				s.place(i-1, found)
			}
			s.place(i, found)
		}
	}
}

// known returns the places in the block at text[at] that begin like a literal. It excludes most
// places without a branch or a call for each.
func (s *Search) known(at int, places uint64) (hits uint64) {
	short, long := &s.index.Short, &s.index.Long
	const lastShort, lastLong = uint32(len(short) - 1), uint32(len(long) - 1)
	if len(s.text)-at < BlockLen+8 {
		for ; places != 0; places &= places - 1 {
			if i := at + bits.TrailingZeros64(places); i+MinLiteral-1 <= len(s.text) { // a gap may precede it
				v := firstEight(s.text[i:])
				h4, h8 := hash4(uint32(v)), hash8(v)
				hits |= ((short[h4>>6&lastShort]>>(h4&63) | long[h8>>6&lastLong]>>(h8&63)) & 1) << (i - at)
			}
		}
		return hits
	}
	window := s.text[at : at+BlockLen+8]
	for ; places != 0; places &= places - 1 {
		n := uint(bits.TrailingZeros64(places)) & 63
		v := eight(window[n:n+8]) | fold8
		h4, h8 := hash4(uint32(v)), hash8(v)
		hits |= ((short[h4>>6&lastShort]>>(h4&63) | long[h8>>6&lastLong]>>(h8&63)) & 1) << n
	}
	return hits
}

// signs returns the known places among marks, and backslashes.
func (s *Search) signs(at int, marks uint64) uint64 {
	hits := s.known(at, marks)
	for rest := marks &^ hits; rest != 0; rest &= rest - 1 {
		if i := at + bits.TrailingZeros64(rest); s.text[i] == '\\' && i+MinLiteral-1 <= len(s.text) {
			hits |= rest & -rest
		}
	}
	return hits
}

// mayLead reports whether s, of at least four bytes, may begin with a literal that is found by the
// word after its first byte.
func (x *Index) mayLead(s string) bool {
	h := hash4(four(s)|fold) >> 4
	return x.Leads[h>>6]>>(h&63)&1 != 0 && isGap(s[0]) && isAlnum(s[1])
}

// isEscape reports whether a backslash before c is an escape of white space.
func isEscape(c byte) bool { return c == 'n' || c == 'r' || c == 't' }

// place handles the literals at text[at].
func (s *Search) place(at int, found func(rule, at int)) {
	x := s.index
	text := x.find(s.text[at:])
	if text < 0 {
		return
	}
	for _, a := range x.of(text) {
		rule := &s.rules[a.rule()]
		switch {
		case a.role()&Near != 0:
			rule.near = at + a.len()
			for _, p := range rule.pending[:rule.n] {
				if p+x.reaches[a.rule()] >= rule.near {
					found(a.rule(), p)
				}
			}
			rule.n = 0
			s.waiting &^= x.Waits[a.rule()] &^ x.Shared
			if a.role()&holds != 0 {
				s.waiting |= x.Waits[a.rule()]
			}
		case a.role()&Waits == 0, rule.near > at: // the two overlap
			found(a.rule(), at)
		default:
			s.waiting |= x.Waits[a.rule()]
			if rule.n == maxPending {
				copy(rule.pending[:], rule.pending[1:])
				rule.n--
			}
			rule.pending[rule.n] = at
			rule.n++
		}
	}
}
