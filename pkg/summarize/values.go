package summarize

import (
	"cmp"
	"slices"
	"strings"
)

// A span is a part of a unit that may be alone as a value: a figure, an identifier, a
// name, the words between two function words.
type span struct {
	from, to mark
	weight   int // of its figures, identifiers and names
	words    int // content words beside them
	piece    int
}

// A spanner collects the span that is being read.
type spanner struct {
	span
	open   bool
	end    mark // of the last token
	name   bool // the last token of the span is capitalised
	bridge bool // after that came a function word, which may be a part of a name
}

// maxWords and maxSpan limit a value in tokens and bytes: what is longer is a sentence.
const maxWords, maxSpan = 8, 64

// breaks are the classes of words that are no part of a value.
const breaks = stop | vague | chatter | wish | reason | condition | correction | negation | ban | open

// meet adds a token to the span that is open, begins one, or ends it. w is what the token
// weighs as a fact.
func (j *judge) meet(s *spanner, text string, t *token, k kind, w int) {
	if k == code || k == logged {
		if w >= 140 && t.traits&letters != 0 {
			s.begin(j, t)
			s.weight = 40
			s.end = mark{t.to, len(j.facts) + 1, len(j.terms)}
			j.endSpan(s)
		}
		return
	}
	if t.digits == 0 && (t.words == 0 || t.classes&breaks != 0 && w <= 60) {
		if s.open && s.name && !s.bridge && t.classes&stop != 0 && t.end == t.to && t.to-t.from <= 3 {
			s.bridge, s.to = true, s.end
		} else {
			j.endSpan(s)
		}
		return
	}
	capital := t.first == upper || t.digits > 0
	if s.bridge && !capital || s.open && t.start < t.from && strings.IndexByte("([\"'", text[t.start]) >= 0 {
		j.endSpan(s)
	}
	if !s.open {
		s.begin(j, t)
	}
	s.name, s.bridge = capital, false
	if w > 0 {
		s.weight += w
	} else {
		s.words++
	}
}

func (s *spanner) begin(j *judge, t *token) {
	s.span = span{from: mark{t.from, len(j.facts), len(j.terms)}, piece: len(j.pieces)}
	s.open, s.bridge = true, false
}

// endSpan ends the open span.
func (j *judge) endSpan(s *spanner) {
	if !s.open {
		return
	}
	if !s.bridge {
		s.to = s.end
	}
	s.open, s.bridge = false, false
	if size := s.to.at - s.from.at; size > 0 && size <= maxSpan && (s.words <= maxWords || s.weight > 0) {
		j.spans = append(j.spans, s.span)
	}
}

// An entry is a value on the fact sheet.
type entry struct {
	name, value string
	sums        []uint64 // of its words
	key         uint64   // of the value, with the name if it is short
	worth       int
	on, named   bool  // it is on the sheet; with its name
	said        int32 // the last round in which a chosen sentence has it
}

// size returns the bytes that the entry takes, without its name.
func (e *entry) size() int { return len(e.value) + len(apart) + 1 }

// The weights of values. What a tool found counts if it is used later; the arguments of
// calls always do.
const (
	argument     = 380
	usedValue    = 260
	toolName     = 30
	fresh        = 70 // of a small result that no later turn repeats
	plain        = 16 // what is not worth that much is a word like others
	bulky        = 20 // of a large one
	capitalWorth = 170
	askedTerm    = 11 // how many times its rarity a word of a user counts
	maxTerms     = 150
)

// isUsed reports whether a later turn uses a value of the unit that j read last.
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

// uses reports whether a later turn says all of a value, and hardly by chance: small
// numbers, and words that occur all the time, do not count.
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

// entries appends the values of the unit that j read last.
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
	for i := range j.spans {
		s := &j.spans[i]
		facts, terms := j.facts[s.from.fact:s.to.fact], j.terms[s.from.term:s.to.term]
		if j.binds(s.piece) {
			continue
		}
		w := 0
		for _, f := range facts {
			x := f.weight
			switch x {
			case 40:
				x = capitalWorth
			case 80:
				x = 60
			case 140:
				x = 100
			}
			w = max(w, x) + min(w, x)/4
		}
		news := 0
		for _, t := range terms {
			news += j.often.salience(t)
		}
		if said.asked {
			news *= askedTerm
		}
		w += min(news/2, maxTerms)
		later := j.often.saysAfter(said.turn, facts, terms)
		if later {
			w += w / 2
		}
		if u.kind == code && said.calls && strings.IndexByte(u.text, ' ') < 0 {
			w = toolName
		}
		if !said.asked && strings.HasSuffix(u.text, "?") {
			w /= 2
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

// members appends the members of the object that j read last.
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

// entry returns a value of these words.
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

// discount takes worth from the entries whose words are in worthier ones, or in the turns
// that stay.
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
