package safety

import (
	"bytes"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/internal/view"
)

// A prefilter tells for most words of a text that no literal of an index begins there,
// nor right before. It is safe for concurrent use.
type prefilter struct {
	four, six   bitmap // hashes of the first four, six bytes of words of literals
	longestNear int
	starts      []start // the words of literals
	startHeads  [1 << 11]int32
	lead        int         // at most so many bytes of a literal come before its word
	marks       *view.Marks // bytes that begin the literals without such a word
	joints      uint64      // all bits, but none if such bytes are joints
	useless     bool        // such bytes are everywhere
	heads       [1 << 12]int32
	groups      []group
	tails       []tail      // of the literals of all groups
	candidates  []candidate // the rest of them
	single      ruleBits    // bits of one rule
	sieves      sync.Pool   // they remember what this filter says
}

// A group has the literals of an index that begin with the same four bytes, folded.
type group struct {
	key      uint32
	before   int32    // one more than the index of the group with the same head, 0 for none
	from, to int32    // of its candidates
	others   bool     // there are literals that announce or wait
	near     ruleBits // rules that have a near literal here
}

// A tail is what follows the first four bytes of a literal: see entry. They are kept apart
// for the processor's cache.
type tail struct{ more, mask uint32 }

// A candidate is a literal of whichever rules.
type candidate struct {
	text                   string
	announces, waits, near ruleBits
	// overlaps are those of waits that have a literal of near that may go on where this
	// one begins.
	overlaps ruleBits
}

// ruleBits has one bit for rules, by their index modulo 64.
type ruleBits uint64

func bitOf(rule int32) ruleBits { return 1 << (rule & 63) }

// A bitmap has a bit for each of 1<<16 hashes.
type bitmap [1 << 10]uint64

func (b *bitmap) set(h uint32) { b[h>>6&(1<<10-1)] |= 1 << (h & 63) }

// bit returns 1 or 0.
func (b *bitmap) bit(h uint32) uint64 { return b[h>>6&(1<<10-1)] >> (h & 63) & 1 }

const fold8 = fold4<<32 | fold4

// hash6 hashes the lower six bytes of v.
func hash6(v uint64) uint32 { return uint32(v << 16 * 0x9E3779B97F4A7C15 >> 48) }

func newPrefilter(x *index) *prefilter {
	n := len(x.literals)
	f := &prefilter{single: ^ruleBits(0), groups: make([]group, 0, n), tails: make([]tail, 0, n), candidates: make([]candidate, 0, n), starts: make([]start, 0, n)}
	var first [256]bool
	for n := range x.literals {
		l := &x.literals[n]
		// Control characters fold to digits and spaces.
		f.useless = f.useless || strings.ContainsFunc(l.text, func(r rune) bool { return r < ' ' })
		if l.role == near {
			f.longestNear = max(f.longestNear, len(l.text))
		}
		if l.probe >= 64 {
			f.single &^= bitOf(l.probe)
		}
	}
	for n := range x.literals {
		if f.find(x.entries[n].key) == nil {
			f.enter(x, n)
		}
	}
	f.findOverlaps(x)
	for i := range f.candidates {
		if c := f.candidates[i].text[0]; !f.begin(i) {
			first[c], first[c^0x20] = true, true // they fold to the same
		}
	}
	var others []byte
	for c, begins := range first {
		if begins {
			others = append(others, byte(c))
		}
	}
	f.marks = view.NewMarks(string(others) + `\`)
	f.useless = f.useless || first[' '] || first['"']
	if !bytes.ContainsAny(others, "+-/_") {
		f.joints = ^uint64(0)
	}
	return f
}

// enter makes the group of the n-th literal.
func (f *prefilter) enter(x *index, n int) {
	key := x.entries[n].key
	head := &f.heads[hash4(key)>>4&(1<<12-1)]
	g := group{key: key, before: *head, from: int32(len(f.candidates))}
	for k := x.heads[hash4(key)>>4&(1<<12-1)]; k > 0; k = x.entries[k-1].before {
		if e, l := &x.entries[k-1], &x.literals[k-1]; e.key == key {
			c := f.candidate(g.from, e, l.text)
			switch bit := bitOf(l.probe); l.role {
			case announces:
				c.announces |= bit
			case waits:
				c.waits |= bit
			default:
				c.near |= bit
				g.near |= bit
			}
			g.others = g.others || l.role != near
		}
	}
	g.to = int32(len(f.candidates))
	f.groups = append(f.groups, g)
	*head = int32(len(f.groups))
}

// candidate returns the candidate for a literal among those from the given one on.
func (f *prefilter) candidate(from int32, e *entry, text string) *candidate {
	for i := range f.candidates[from:] {
		if c := &f.candidates[int(from)+i]; sameFold(c.text, text) {
			return c
		}
	}
	f.tails = append(f.tails, tail{e.more, e.mask})
	f.candidates = append(f.candidates, candidate{text: text})
	return &f.candidates[len(f.candidates)-1]
}

// findOverlaps fills in what literals the literals of near may overlap, by where a literal
// may begin in them.
func (f *prefilter) findOverlaps(x *index) {
	var short [256]ruleBits // by the first byte of ends of fewer than minLiteral bytes
	for n := range x.literals {
		l := &x.literals[n]
		for at := range len(l.text) {
			if l.role != near || at > 0 && letter(l.text[at]) && letter(l.text[at-1]) {
				continue
			}
			rest := l.text[at:]
			if len(rest) < minLiteral {
				short[rest[0]|0x20] |= bitOf(l.probe)
				continue
			}
			g := f.find(four(rest) | fold4)
			if g == nil {
				continue
			}
			for i := g.from; i < g.to; i++ {
				c := &f.candidates[i]
				if hasPrefixFold(c.text, rest) || hasPrefixFold(rest, c.text) {
					c.overlaps |= bitOf(l.probe)
				}
			}
		}
	}
	for i := range f.candidates {
		c := &f.candidates[i]
		c.overlaps = c.waits & (c.overlaps | short[c.text[0]|0x20])
	}
}

// letter reports whether c is a letter of ASCII, with which nothing else folds.
func letter(c byte) bool { return c|0x20-'a' < 26 }

// find returns the group for a key, nil if there is none.
func (f *prefilter) find(key uint32) *group {
	for k := f.heads[hash4(key)>>4&(1<<12-1)]; k > 0; {
		g := &f.groups[k-1]
		if g.key == key {
			return g
		}
		k = g.before
	}
	return nil
}

// eight returns the first eight bytes of s as a number.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
