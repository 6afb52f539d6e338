package schema

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// holdsTogether decides about the ops that go by other cells.
func (o *op) holdsTogether(failed *set) bool {
	switch o.code {
	case opAny:
		return !failed.contains(o.set)
	case opOne:
		held := 0
		for i := range o.set {
			held += bits.OnesCount64(o.set[i] &^ failed[i])
		}
		return held == 1
	case opNot:
		return failed.has(int(o.a))
	default: // opIf
		branch := o.b
		if failed.has(int(o.a)) {
			branch = o.c
		}
		return branch == none || !failed.has(int(branch))
	}
}

// holdsForText decides about the ops on strings. raw is quoted.
func (r *Run) holdsForText(o *op, raw []byte) bool {
	switch o.code {
	case opCharacters:
		return r.hasLength(o.limits, raw)
	case opPattern:
		matched, ok := o.pattern.match(r.text(raw))
		r.undecided = r.undecided || !ok
		return matched
	case opFormat:
		return o.format.holds(r, r.text(raw))
	case opValues:
		return o.values.hasText(r.text(raw))
	default:
		return o.holdsTogether(&r.failed)
	}
}

// hasLength counts the characters only if the bytes leave it open: a character is
// written with at most the twelve bytes of two escapes.
func (r *Run) hasLength(l limits, raw []byte) bool {
	size := len(raw) - len(`""`)
	if size <= l.max && (size+11)/12 >= l.min {
		return true
	}
	n := utf8.RuneCount(r.text(raw))
	return n >= l.min && n <= l.max
}

func (v *values) hasText(text []byte) bool {
	if v.lookup != nil {
		return v.lookup[string(text)]
	}
	for _, allowed := range v.texts {
		if allowed == string(text) {
			return true
		}
	}
	return false
}

// holdsForNumber decides about the ops on numbers.
func (r *Run) holdsForNumber(o *op, raw []byte) bool {
	switch o.code {
	case opInteger:
		return isInteger(raw)
	case opBound:
		return o.bound.holds(raw)
	case opMultiple:
		d := parseDecimal(raw)
		return r.undecided || d.isMultipleOf(o.decimal)
	case opValues:
		_, found := slices.BinarySearchFunc(o.values.numbers, parseDecimal(raw), func(a, b decimal) int { return a.compare(&b) })
		return found
	default:
		return o.holdsTogether(&r.failed)
	}
}

// holdsForHolder decides about the ops on objects and arrays, at their end.
func (r *Run) holdsForHolder(o *op, f *frame) bool {
	switch o.code {
	case opCount:
		return f.n >= o.limits.min && f.n <= o.limits.max
	case opRequired:
		return f.seen.contains(o.set)
	case opDependent:
		return !f.seen.has(int(o.n)) || f.seen.contains(o.set)
	case opWith:
		return !f.seen.has(int(o.n)) || !f.failed.has(int(o.a))
	case opContains:
		n := r.counts[f.counts+int(o.n)]
		return n >= o.limits.min && n <= o.limits.max
	case opUnique:
		return f.repeated>>o.n&1 == 0
	default:
		return o.holdsTogether(&f.failed)
	}
}
