package summarize

import (
	"math"
	"math/bits"
	"strings"
	"sync"
)

// A kind is the form of a unit.
type kind uint8

const (
	prose  kind = iota
	keyed       // a line "key: value"
	data        // members of a JSON object
	row         // of a table
	logged      // a line of a log
	code
)

// A unit is chosen or left out as a whole: a sentence, a line, an object.
type unit struct {
	text    string
	shape   uint64 // the hash of its words, with all figures and identifiers equal
	form    uint64 // the hash of its layout, see form; 0 for prose
	worth   int
	sum     int32 // its maximum worth by itself, see judge.weigh
	speaker int32
	order   int32
	kind    kind
	warns   bool // it has a warning
	asked   bool // a user said it
}

// A fact is a figure, an identifier or a name in a unit.
type fact struct {
	sum    uint64
	weight int
}

// A piece is a clause of a unit, or a member of an object.
type piece struct {
	start, end int
	classes    class
	words      int
	worth      int
	facts      [2]int // their place among the facts
	terms      [2]int // the place of its content words among the terms
	kept       bool   // when the unit is shortened
}

// A judge weighs units. It can be reused, by one goroutine.
type judge struct {
	table  *lexicon
	often  *frequencies
	pieces []piece
	facts  []fact
	terms  []uint64
	shape  uint64 // see unit
	exact  uint64 // the hash of all letters and digits
}

// judges are the judges not in use: making one takes longer than most texts.
var judges = sync.Pool{New: func() any { return &judge{table: cues(), often: new(frequencies)} }}

// release returns the judge to the pool.
func (j *judge) release() {
	j.often.reset()
	judges.Put(j)
}

// frequencies count words by the low bits of their hashes.
type frequencies struct {
	counts [1 << 17]uint16
	used   []uint32 // the places that are not zero
}

func (f *frequencies) add(words []uint64) {
	for _, w := range words {
		at := w >> 20 % uint64(len(f.counts))
		n := &f.counts[at]
		if *n == 0 {
			f.used = append(f.used, uint32(at))
		}
		if *n < 1<<15 {
			*n++
		}
	}
}

func (f *frequencies) reset() {
	for _, at := range f.used {
		f.counts[at] = 0
	}
	f.used = f.used[:0]
}

// rarity returns the worth of a word to a clause: the rarer, the more.
func (f *frequencies) rarity(word uint64) int {
	switch n := f.counts[word>>20%uint64(len(f.counts))]; {
	case n <= 1:
		return 14
	case n <= 2:
		return 11
	case n <= 4:
		return 7
	case n <= 8:
		return 3
	default:
		return 0
	}
}

// knowledge holds the hashes of the facts and content words in the summary so far.
type knowledge map[uint64]struct{}

func (k knowledge) has(sum uint64) bool {
	_, ok := k[sum]
	return ok
}

// learn adds those of the unit that j read last.
func (k knowledge) learn(j *judge) {
	k[j.exact] = struct{}{}
	for _, f := range j.facts {
		k[f.sum] = struct{}{}
	}
	for _, t := range j.terms {
		k[t] = struct{}{}
	}
}

// covers reports whether the unit that j read last says hardly anything new.
func (k knowledge) covers(j *judge) bool {
	for _, f := range j.facts {
		if !k.has(f.sum) {
			return false
		}
	}
	fresh := 0
	for _, t := range j.terms {
		if !k.has(t) {
			fresh++
		}
	}
	return fresh*3 <= len(j.terms)
}

// read takes a unit apart into pieces with their facts.
func (j *judge) read(text string, k kind) {
	j.pieces, j.facts, j.terms = j.pieces[:0], j.facts[:0], j.terms[:0]
	j.shape, j.exact = hashSeed, hashSeed
	r := reader{text: text, table: j.table}
	var t token
	var p piece
	first := true
	inKey := k == data || k == keyed
	for r.next(&t) {
		if p.words >= 4 && k == prose && (t.classes&(reason|condition) != 0 || text[t.start] == '(') {
			p.end = t.start
			p = j.cut(p)
		}
		j.exact = hashPair(j.exact, t.sum)
		p.words += t.words
		c := t.classes
		if !inKey {
			c &^= name
		}
		p.classes |= c
		w := 0
		if (!inKey || k == keyed) && c&chatter == 0 {
			w = weigh(text, &t, first)
		}
		switch {
		case w > 40 || w > 0 && t.classes&^endsPhrase == 0:
			j.facts = append(j.facts, fact{t.sum, w})
			j.shape = hashPair(j.shape, 1)
		case t.words > 0:
			if t.classes&stop == 0 {
				j.terms = append(j.terms, t.word)
			}
			j.shape = hashPair(j.shape, t.sum)
		}
		first = false
		if t.end == t.start {
			continue
		}
		switch last := text[t.end-1]; {
		case k == data:
			if last == ';' {
				p.end = t.end
				p = j.cut(p)
				inKey = true
			} else if last == ':' {
				inKey = false
			}
		case k == row:
			if last == '|' {
				p.end = t.end
				p = j.cut(p)
			}
		case last == ',' || last == ';' || last == ')' || t.words == 0 && t.digits == 0 && last >= 0x80:
			p.end = t.end
			p = j.cut(p)
		case last == ':':
			inKey = false
		}
	}
	if p.start < len(text) {
		p.end = len(text)
		j.cut(p)
	}
	if j.classes()&negation != 0 {
		for i := range j.terms {
			j.terms[i] ^= hashPrime // "do not use B" does not cover "use B"
		}
	}
}

// classes returns the classes of all words of the unit.
func (j *judge) classes() class {
	var all class
	for i := range j.pieces {
		all |= j.pieces[i].classes
	}
	return all
}

// cut ends a piece and returns the next.
func (j *judge) cut(p piece) piece {
	p.facts[1], p.terms[1] = len(j.facts), len(j.terms)
	j.pieces = append(j.pieces, p)
	return piece{start: p.end, facts: [2]int{len(j.facts)}, terms: [2]int{len(j.terms)}}
}

// classWorth is what a class of words adds to a piece, in the order of the bits.
var classWorth = [...]int{160, 120, 150, 160, 100, 140, 90, 30, 60, 60}

// weigh gives every piece its worth and returns the sum. Known facts and words count
// little.
func (j *judge) weigh(asked bool, known knowledge) int {
	var seen class
	sum, facts := 0, 0
	for i := range j.pieces {
		p := &j.pieces[i]
		old := 0
		worth := 0
		n := 0
		for _, f := range j.facts[p.facts[0]:p.facts[1]] {
			w := f.weight
			if known.has(f.sum) {
				w /= 8
				old++
			}
			if n++; n > 3 {
				w /= 2
			}
			worth += w
		}
		facts += n
		news := 0
		for _, t := range j.terms[p.terms[0]:p.terms[1]] {
			if !known.has(t) {
				news += j.often.rarity(t)
			}
		}
		worth += min(news, 60)
		said := 0
		for rest := p.classes & (1<<len(classWorth) - 1); rest != 0; rest &= rest - 1 {
			w := classWorth[bits.TrailingZeros32(uint32(rest))]
			if seen&(rest&-rest) != 0 {
				w /= 3
			}
			said += w
		}
		seen |= p.classes
		switch {
		case n > 0 && old == n:
			said /= 3
		case n > old:
			said += said / 4
		}
		p.worth = worth + said
		if asked && p.classes&chatter == 0 && p.words > 1 {
			p.worth += 40
			asked = false
		}
		sum += p.worth
	}
	if seen&chatter != 0 && facts == 0 {
		sum /= 3
	}
	return sum
}

// kindShare is how many hundredths of its worth a unit of a kind keeps.
var kindShare = [...]int{prose: 100, keyed: 95, data: 80, row: 70, logged: 60, code: 40}

// A speaker is who said a line of a summary, or a turn.
type speaker struct {
	label string
	share int  // how many thousandths of its worth a unit of the speaker keeps
	asked bool // its units are wishes
	calls bool // JSON is the arguments of a call
}

// speakerOf returns the speaker of a role without the label. The user counts most.
func speakerOf(role string, size int) speaker {
	said := speaker{share: dilute(size)}
	switch strings.ToLower(role) {
	case "user", "human", "system", "developer":
		said.share = said.share * 160 / 100
		said.asked = size < pasted
	case "tool", "function":
		said.share = said.share * 90 / 100
	default:
		said.share = said.share * 120 / 100
		said.calls = true
	}
	return said
}

// pasted is the size in bytes from which a turn of a user is taken for pasted text, not
// for a wish.
const pasted = 600

// dilute returns a thousand for a short turn, and for a longer one less, nearly in
// proportion to its length, down to a limit: most of a file that was read or pasted, or
// of an essay, is not about the task, however many figures it has, unlike the short lines
// of people and agents.
func dilute(size int) int {
	const short = 120
	return max(80, int(1000*math.Pow(short/float64(max(size, short)), 0.9)))
}

// share returns part/all of a worth.
func share(worth, part, all int) int {
	return int(int64(worth) * int64(part) / int64(max(all, 1)))
}

// form returns the hash of a line's layout: all words are the same, all numbers are the
// same, and of an object the names of its members count.
func form(text string, k kind) uint64 {
	h := uint64(hashSeed) + uint64(k)
	last := byte(0)
	inKey := true
	for i := range len(text) {
		c := text[i]
		if k == data {
			if inKey {
				h = (h ^ uint64(c)) * hashPrime
			}
			inKey = c == ';' || inKey && c != ':'
			continue
		}
		switch {
		case c|0x20-'a' < 26 || c >= 0x80:
			c = 'a'
		case c-'0' < 10:
			c = '0'
		case c <= ' ' && last == 'a':
			continue
		}
		if c != last {
			h = (h ^ uint64(c)) * hashPrime
		}
		last = c
	}
	return h
}
