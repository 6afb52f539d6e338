package summarize

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// An entry is a value on the fact sheet.
type entry struct {
	name, value string
	sums        []uint64 // of its words
	key         uint64   // of the value, and of the name if the value is short
	worth       int
	on, named   bool  // on the sheet; with its name
	said        int32 // the last round in which a chosen sentence has it
}

// size returns the bytes that the entry takes, without its name.
func (e *entry) size() int { return len(e.value) + len(apart) + 1 }

// The weights of values. A value from a tool counts if it is used later; the arguments of calls
// always do.
const (
	argument     = 380
	usedValue    = 260
	toolName     = 30
	fresh        = 70 // of a small result, not repeated by a later turn
	plain        = 16 // the minimum; below it, a value is a word like others
	bulky        = 20 // of a large result
	capitalWorth = 170
	maxTerms     = 150
	replies      = 40 // hundredths that a value gains in an answer
)

// isUsed reports whether a later turn uses a value of the unit last read.
func (j *judge) isUsed(k kind, turn int32) bool {
	if k == data {
		for i := range j.pieces {
			p := &j.pieces[i]
			if j.uses(turn, j.facts[p.value.fact:p.facts[1]], j.terms[p.value.term:p.terms[1]]) {
				return true
			}
		}
		return false
	}
	for _, s := range j.spans {
		if s.weight > 0 && j.uses(turn, j.facts[s.from.fact:s.to.fact], j.terms[s.from.term:s.to.term]) {
			return true
		}
	}
	return false
}

// uses reports whether a later turn contains all of a value, and hardly by chance: small numbers,
// and very frequent words, do not count.
func (j *judge) uses(turn int32, facts []fact, terms []uint64) bool {
	if !j.often.saysAfter(turn, facts, terms) {
		return false
	}
	for _, f := range facts {
		if f.weight > 140 || f.weight < 80 {
			return true
		}
	}
	for _, t := range terms {
		if j.often.rarity(t) > 0 {
			return true
		}
	}
	return false
}

// entries appends the values of the unit last read.
func (j *judge) entries(dst []entry, u *unit, said *speaker) []entry {
	switch {
	case u.noted:
		name, value, ok := strings.Cut(u.text, ": ")
		if !ok {
			name, value = "", u.text
		}
		return append(dst, entry{name: name, value: value, key: j.exact, worth: argument * carried / 100})
	case u.kind == data:
		return j.members(dst, u, said)
	}
	farewell := !said.asked && j.classes()&chatter != 0 && len(j.facts) == 0
	for i := range j.spans {
		s := &j.spans[i]
		facts, terms := j.facts[s.from.fact:s.to.fact], j.terms[s.from.term:s.to.term]
		if _, size := utf8.DecodeRuneInString(u.text[s.from.at:s.to.at]); j.binds(s.piece) || s.weight == 0 && size == s.to.at-s.from.at && size > 1 {
			continue // the single letter may be part of a word
		}
		w := worthOf(facts)
		if isQuoted(u.text[:s.from.at]) || said.reply && said.asked && s.from.at == 0 && s.named {
			w = max(w, capitalWorth)
		}
		news := 0
		for _, t := range terms {
			news += j.often.salience(t)
		}
		switch {
		case u.wants && !said.asked:
		case u.wants && isGlyphs(u.text[s.from.at:s.to.at]):
			news *= 2 // a question; the value is in the answer
		case said.asked || said.reply && !said.tool:
			news *= j.askedTerm()
		}
		w += min(news/2, maxTerms)
		if said.reply && !u.wants && !j.tools && (said.asked || isGlyphs(u.text)) {
			w += w * replies / 100
		}
		later := j.often.saysAfter(said.turn, facts, terms)
		if later {
			w += w / 2
		}
		if u.kind == code && said.calls && strings.IndexByte(u.text, ' ') < 0 {
			w = toolName
		}
		if !said.asked && (u.wants || strings.HasSuffix(u.text, "?")) {
			w /= 2
		}
		if j.isDenied(said.turn, facts, terms) {
			continue
		}
		if farewell {
			w /= 4
		}
		if w < plain {
			continue
		}
		switch w = w * said.share / 1000; {
		case said.tool && later && s.weight > 0 && j.uses(said.turn, facts, terms):
			w = max(w, usedValue)
		case said.tool:
			w /= 4
		}
		dst = append(dst, j.entry("", u.text[s.from.at:s.to.at], w, facts, terms))
	}
	return dst
}

// deny notes the values of the unit last read that a short phrase retracts: "not six".
func (j *judge) deny(turn int32) {
	for i := range j.pieces {
		p := &j.pieces[i]
		facts, terms := j.facts[p.facts[0]:p.facts[1]], j.terms[p.terms[0]:p.terms[1]]
		if p.classes&negation == 0 || p.words > 4 || len(facts)+len(terms) > 2 {
			continue
		}
		for _, f := range facts {
			j.denied[f.sum] = max(j.denied[f.sum], turn)
		}
		for _, t := range terms {
			j.denied[t^hashPrime] = max(j.denied[t^hashPrime], turn)
		}
	}
}

// isDenied reports whether a later turn retracts all of a value.
func (j *judge) isDenied(turn int32, facts []fact, terms []uint64) bool {
	for _, f := range facts {
		if j.denied[f.sum] <= turn {
			return false
		}
	}
	for _, t := range terms {
		if j.denied[t] <= turn {
			return false
		}
	}
	return len(j.denied) > 0
}

// askedTerm returns the factor for the rarity of a user's word: in a conversation with calls, their
// arguments already hold most of the content.
func (j *judge) askedTerm() int {
	if j.tools {
		return 4
	}
	return 11
}

// worthOf returns the worth of figures, identifiers and names as a value.
func worthOf(facts []fact) (w int) {
	for _, f := range facts {
		x := f.weight
		switch x {
		case capitalised:
			x = capitalWorth
		case 80:
			x = 60
		case 140:
			x = 100
		}
		w = max(w, x) + min(w, x)/4
	}
	return w
}

// isGlyphs reports whether a text begins with a letter of a script without spaces.
func isGlyphs(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isGlyph(r)
}

// isQuoted reports whether a quotation or a title begins where a text ends.
func isQuoted(before string) bool {
	for _, mark := range [...]string{"《", "「", "『", "“", "„", "«", "〈", "【"} {
		if strings.HasSuffix(before, mark) {
			return true
		}
	}
	return false
}

// members appends the members of the object last read.
func (j *judge) members(dst []entry, u *unit, said *speaker) []entry {
	for i := range j.pieces {
		p := &j.pieces[i]
		if p.value.at == 0 {
			continue
		}
		facts, terms := j.facts[p.value.fact:p.facts[1]], j.terms[p.value.term:p.terms[1]]
		value := strings.TrimSpace(strings.TrimSuffix(u.text[p.value.at:p.end], ";"))
		if value == "" || len(value) > 2*maxSpan {
			continue
		}
		w := bulky
		switch {
		case said.calls && said.failed:
			w = argument * 3 / 4
		case said.calls:
			w = argument
		case j.uses(said.turn, facts, terms) && !(u.bulk && len(value) <= 4):
			w = usedValue
		case !u.bulk && j.often.saysAfter(said.turn, facts, terms):
			w = usedValue / 2
		case !u.bulk:
			w = max(w, fresh*min(said.share, 360)/360)
		}
		switch value {
		case "true", "false", "null", "None":
			w /= 4
		}
		dst = append(dst, j.entry(strings.TrimSuffix(strings.TrimSpace(u.text[p.start:p.value.at]), ":"), value, w, facts, terms))
	}
	return dst
}

// entry returns a value of the given words.
func (j *judge) entry(name, value string, worth int, facts []fact, terms []uint64) entry {
	e := entry{name: name, value: value, worth: worth, key: hashSeed}
	begin := len(j.sums)
	if len(value) <= 2 || len(facts)+len(terms) == 0 {
		e.key = hashWord(name + value)
	} else {
		for _, f := range facts {
			j.sums = append(j.sums, f.sum)
		}
		j.sums = append(j.sums, terms...)
	}
	e.sums = j.sums[begin:len(j.sums):len(j.sums)]
	for _, sum := range e.sums {
		e.key += sum * hashPrime
	}
	return e
}

// discount reduces the worth of entries whose words are in worthier entries or in the kept turns.
func discount(entries []entry, known knowledge) {
	order := make([]int32, len(entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(entries[b].worth*entries[a].size()-entries[a].worth*entries[b].size(), int(a-b))
	})
	for _, i := range order {
		e := &entries[i]
		if len(e.sums) == 0 {
			continue
		}
		news := 0
		for _, sum := range e.sums {
			if !known.has(sum) {
				news++
			}
			known[sum] = struct{}{}
		}
		if news > 0 {
			news++
		}
		e.worth = e.worth * news / (len(e.sums) + 1)
	}
}
