package summarize

import (
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"
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
	sum     int32 // its maximum worth on its own, see judge.weigh
	speaker int32
	order   int32 // position among the units of its speaker
	kind    kind
	warns   bool // it has a warning
	asked   bool // said by a user
	wants   bool // it asks for a value
	used    bool // a tool's, with a value that a later turn uses
	bulk    bool // one of many similar units
	noted   bool // an entry of the previous summary's fact sheet
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
	facts      [2]int // its range of facts
	terms      [2]int // the range of its content words in terms
	value      mark   // the start of a member's value
	joined     bool   // not separated from the previous one by punctuation
}

// A mark is a position in a unit, with the indices of its facts and terms.
type mark struct{ at, fact, term int }

// A judge weighs units. It can be reused, but not concurrently.
type judge struct {
	table   *lexicon
	often   *frequencies
	pieces  []piece
	facts   []fact
	terms   []uint64
	spans   []span
	sums    []uint64         // of entries
	kept    knowledge        // of the turns that stay
	denied  map[uint64]int32 // values that a turn retracts
	tools   bool             // the conversation has calls: the substance of replies is in their arguments
	onSheet int              // see onSheet
	shape   uint64           // see unit
	exact   uint64           // the hash of all letters and digits
}

// judges are unused judges: making one takes longer than most texts.
var judges = sync.Pool{New: func() any { return &judge{table: cues(), often: new(frequencies), denied: map[uint64]int32{}} }}

// release returns the judge to the pool.
func (j *judge) release() {
	j.often.reset()
	j.sums, j.kept, j.tools = nil, nil, false
	clear(j.denied)
	judges.Put(j)
}

// read splits a unit into pieces with their facts, and finds the spans that may stand alone as
// values.
func (j *judge) read(text string, k kind) {
	j.pieces, j.facts, j.terms, j.spans = j.pieces[:0], j.facts[:0], j.terms[:0], j.spans[:0]
	j.shape, j.exact = hashSeed, hashSeed
	r := reader{text: text, table: j.table, joined: -1}
	var t token
	var p piece
	var s spanner
	first := true
	inKey := k == data || k == keyed
	for r.next(&t) {
		if p.words >= 4 && k == prose && (t.classes&(reason|condition) != 0 || text[t.start] == '(') {
			p.end = t.start
			j.endSpan(&s)
			p = j.cut(p)
			p.joined = true
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
		if k != data && !inKey {
			j.meet(&s, text, &t, k, w)
		}
		switch {
		case w > 40 || w > 0 && t.classes&^endsPhrase == 0:
			j.facts = append(j.facts, fact{t.sum, w})
			j.shape = hashPair(j.shape, 1)
		case t.words > 0:
			if t.classes&(stop|vague) == 0 {
				j.terms = append(j.terms, t.word)
			}
			j.shape = hashPair(j.shape, t.sum)
		}
		first = false
		if t.end == t.start {
			continue
		}
		s.end = mark{t.to, len(j.facts), len(j.terms)}
		switch last := text[t.end-1]; {
		case k == data:
			if last == ';' {
				p.end = t.end
				p = j.cut(p)
				inKey = true
			} else if last == ':' && inKey {
				inKey = false
				p.value = mark{t.end, len(j.facts), len(j.terms)}
			}
		case k == row:
			if last == '|' {
				p.end = t.end
				j.endSpan(&s)
				p = j.cut(p)
			}
		case last == ',' || last == ';' || last == ')' || t.words == 0 && t.digits == 0 && last >= 0x80:
			p.end = t.end
			j.endSpan(&s)
			p = j.cut(p)
		case last == ':':
			inKey = false
			j.endSpan(&s)
		case strings.IndexByte("!?\"", last) >= 0:
			j.endSpan(&s)
		}
	}
	j.endSpan(&s)
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

// binds reports whether a clause, up to the surrounding punctuation, has a negation, a ban or a
// condition: its content only has its meaning together with these words.
func (j *judge) binds(piece int) bool {
	first, last := piece, piece
	for j.pieces[first].joined {
		first--
	}
	for last+1 < len(j.pieces) && j.pieces[last+1].joined {
		last++
	}
	for _, p := range j.pieces[first : last+1] {
		if p.classes&(negation|ban|condition) != 0 {
			return true
		}
	}
	return false
}

// wants reports whether the unit last read asks for a value: "what is its address?".
func (j *judge) wants(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return (endsInQuestionMark(text) || isGlyph(last)) && j.classes()&question != 0 // a glyph needs no mark
}

// endsInQuestionMark reports whether a text ends in a question mark, including Chinese and Arabic
// ones.
func endsInQuestionMark(text string) bool {
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, "؟")
}

// fails reports whether the object last read, a tool's result, reports a failure.
func (j *judge) fails(text string) bool {
	for i := range j.pieces {
		p := &j.pieces[i]
		if p.classes&warning == 0 || p.value.at == 0 {
			continue
		}
		switch strings.TrimRight(strings.TrimSpace(text[p.value.at:p.end]), "; ") {
		case "", "null", "None", "false", "0", "[]", "{}":
		default:
			return true
		}
	}
	return false
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

// classWorth is the worth that each class of words adds to a piece, in the order of the bits.
var classWorth = [...]int{160, 120, 150, 160, 100, 140, 90, 30, 60, 60}

// outcome is the extra worth of a decision or failure without figures.
const outcome = 60

// failed is the extra worth of a failure; a user's correction gets half of it. Both matter more to
// the next agent than any value.
const failed = 160

// weigh sets the worth of every piece and returns the sum. Known facts and words count little.
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
		if asked && p.classes&chatter == 0 && (n > 0 || p.terms[1] > p.terms[0]) {
			p.worth += 40
			asked = false
		}
		sum += p.worth
	}
	if seen&chatter != 0 && facts == 0 {
		sum /= 3
	}
	if facts == 0 && seen&(decision|warning) != 0 && seen&chatter == 0 {
		sum += outcome // it is in words only
	}
	switch {
	case seen&failure != 0:
		sum += failed
	case asked && seen&correction != 0 && facts+len(j.terms) > 0:
		sum += failed / 2
	}
	if facts == 0 && len(j.terms) == 0 {
		sum /= 4 // "That is all I need."
	}
	return sum
}

// kindShare is the share of its worth, in hundredths, that a unit of a kind keeps.
var kindShare = [...]int{prose: 100, keyed: 95, data: 80, row: 70, logged: 60, code: 40}

// share returns worth*part/all.
func share(worth, part, all int) int {
	return int(int64(worth) * int64(part) / int64(max(all, 1)))
}

// form returns the hash of a line's layout: all words are equal, all numbers are equal, and for an
// object the names of its members count.
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
