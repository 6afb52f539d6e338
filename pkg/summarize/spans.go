package summarize

import "strings"

// A span is a part of a unit that may stand alone as a value: a figure, an identifier, a name, or
// the words between two function words.
type span struct {
	from, to mark
	weight   int // of its figures, identifiers and names
	words    int // other content words
	piece    int
	named    bool // it begins with a capital letter
}

// A spanner collects the current span.
type spanner struct {
	span
	open   bool
	end    mark // of the last token
	name   bool // the last token of the span is capitalised
	bridge bool // a function word followed, which may be part of a name
}

// maxWords and maxSpan bound a value in tokens and bytes: anything longer is a sentence.
const maxWords, maxSpan = 8, 64

// capitalised is the weight of a one-word name as a fact.
const capitalised = 40

// breaks are the classes of words that cannot be part of a value.
const breaks = stop | vague | chatter | wish | reason | condition | correction | negation | ban | open | question

// meet adds a token to the open span, begins a span, or ends it. w is the weight of the token as a
// fact.
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
	named := w == capitalised && t.classes&breaks == vague && s.open && s.name && !s.bridge // "Town" in "Old Town Inn"
	if t.digits == 0 && (t.words == 0 || t.classes&breaks != 0 && w <= 60 && !named) {
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
	s.named = s.named || s.weight+s.words == 0 && t.first == upper
	switch {
	case w > 0 && !named:
		s.weight += w
	case t.classes&figure != 0:
		s.weight += capitalised // a day, a number in words
		s.words++
	default:
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
