package schema

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Run validates documents, one after another. It is not safe for concurrent use.
type Run struct {
	program   *Program
	unnamed   bool
	undecided bool // matching a name with a pattern did not finish

	counts []int                       // of open arrays: number of elements that match contains
	known  []map[string]bool           // of each format: texts known to be valid
	first  map[string]jsonstream.Value // see repeatedKeys
	buffer []byte                      // the unescaped text of a string
}

// NewRun returns a new run.
func (p *Program) NewRun() *Run {
	return &Run{program: p, known: make([]map[string]bool, p.formats), first: map[string]jsonstream.Value{}}
}

// maxKeptRoom is the maximum size of buffers kept for the next document.
const maxKeptRoom = 1 << 16

// Valid reports whether v is valid. The result is undefined for a document with a number that
// [jsonstream.SafeNumber] rejects.
func (r *Run) Valid(v jsonstream.Value) bool {
	if r.program.slow != nil {
		r.unnamed = true
		return jsonstream.CheckNumbers(v) == nil && len(r.program.Explain(v, 1)) == 0
	}
	r.unnamed, r.undecided = false, false
	if cap(r.buffer) > maxKeptRoom {
		r.buffer = nil
	}
	var base frame
	r.check(&base, r.program.root, 0, target{value: v})
	return base.failed.isEmpty() && !r.undecided
}

// Unnamed reports whether the last document, if valid, has an object with a member that its schema
// does not list, although the schema has properties and no additionalProperties. Only the
// document's schema and those reached from it by $ref, properties and items are considered. For a
// program that does not stream, Unnamed always returns true.
func (r *Run) Unnamed() bool { return r.unnamed }

// A frame is a value in validation.
type frame struct {
	failed set   // failed cells
	seen   set   // members present
	counts []int // the run's counts of this array
}

// check validates the value of a link; l is nil if there are no rules. met are the conditions that
// its name meets. Its failed cells are passed to the object or array that holds it.
func (r *Run) check(holder *frame, l *link, met uint64, s target) {
	if l == nil {
		return
	}
	p := &l.state.programs[kindIndex(s.kind())]
	if p.isLeaf {
		if l.counts || !p.failed.isEmpty() {
			l.settle(holder, met, &p.failed)
		}
		return
	}
	f := frame{failed: p.failed}
	switch s.kind() {
	case jsonstream.Object:
		r.members(&f, l.state, s.value)
	case jsonstream.Array:
		begin := len(r.counts)
		for range l.state.counters {
			r.counts = append(r.counts, 0)
		}
		f.counts = r.counts[begin:]
		last := len(l.state.elements) - 1
		for i, element := range s.value.Elements() {
			r.check(&f, l.state.elements[min(i, last)], 0, target{value: element})
		}
		r.counts = r.counts[:begin]
	}
	for i := range p.ops {
		if o := &p.ops[i]; !r.holds(o, &f, s) {
			f.failed.add(int(o.cell))
		}
	}
	l.settle(holder, met, &f.failed)
}

// settle passes the failed cells of a value to its holder.
func (l *link) settle(holder *frame, met uint64, failed *set) {
	for i := range l.roots {
		root := &l.roots[i]
		if root.when >= 0 && met>>root.when&1 == 0 {
			continue
		}
		switch hasFailed := failed.has(int(root.cell)); {
		case hasFailed:
			holder.failed.addAll(root.parents)
		case root.counter >= 0:
			holder.counts[root.counter]++
		}
	}
}

func (r *Run) members(f *frame, s *state, object jsonstream.Value) {
	next := 0 // the expected next entry
	for name, member := range object.Members() {
		if s.nameLink != nil {
			r.check(f, s.nameLink, 0, target{value: member, isName: true})
		}
		if next == len(s.entries) || s.entries[next].name != name { // members are mostly in order
			var known bool
			if next, known = s.names[name]; !known {
				next = 0
				r.unnamed = r.unnamed || s.isClosed
				r.check(f, s.rest, r.conditions(s, member), target{value: member})
				continue
			}
		}
		e := &s.entries[next]
		next++
		if e.bit >= 0 {
			f.seen.add(int(e.bit))
		}
		r.unnamed = r.unnamed || e.unnamed
		r.check(f, e.link, 0, target{value: member})
	}
}

// matches reports whether a quoted string has a match. If matching did not finish, the document is undecided.
func (r *Run) matches(p *pattern, raw []byte) bool {
	matched, ok := p.match(r.text(raw))
	r.undecided = r.undecided || !ok
	return matched
}

// conditions returns the conditions that the name of a member without an entry meets.
func (r *Run) conditions(s *state, member jsonstream.Value) (met uint64) {
	for _, t := range s.patterns {
		if r.matches(t.pattern, member.RawName()) {
			met |= 1 << t.bit
		}
	}
	for _, t := range s.noMatch {
		if met&t.bits == 0 {
			met |= 1 << t.bit
		}
	}
	return met
}

// text returns the characters of a quoted string. The result is valid until the next call.
func (r *Run) text(raw []byte) []byte {
	text, buffer := jsonstream.Unquote(raw, r.buffer[:0])
	r.buffer = buffer
	return text
}

// holds evaluates an op after all parts of the value have been checked.
func (r *Run) holds(o *op, f *frame, s target) bool {
	switch o.code {
	case opCharacters:
		return r.hasLength(o.limits, s.raw())
	case opPattern:
		return r.matches(o.pattern, s.raw())
	case opFormat:
		return o.format.holds(r, r.text(s.raw()))
	case opTexts:
		return o.values.texts[string(r.text(s.raw()))]
	case opInteger:
		return jsonstream.IsInteger(s.value.Raw())
	case opBound:
		return o.bound.holds(s.value.Raw())
	case opMultiple:
		d := jsonstream.ParseDecimal(s.value.Raw())
		return !jsonstream.SafeNumber(s.value.Raw()) || d.IsMultipleOf(o.decimal)
	case opNumbers:
		_, found := slices.BinarySearchFunc(o.values.numbers, jsonstream.ParseDecimal(s.value.Raw()), func(a, b jsonstream.Decimal) int { return a.Compare(&b) })
		return found
	case opCount:
		return o.limits.hold(s.value.Len())
	case opRequired:
		return f.seen.contains(o.set)
	case opDependent:
		return !f.seen.has(int(o.n)) || f.seen.contains(o.set)
	case opContains:
		return o.limits.hold(f.counts[o.n])
	case opUnique:
		_, again := firstRepeated(s.value)
		return !again.Exists()
	case opUniqueKey:
		return !r.hasRepeatedKeys(s.value, o.key)
	case opWith:
		return !f.seen.has(int(o.n)) || !f.failed.has(int(o.a))
	case opAny:
		return !f.failed.contains(o.set)
	case opOne:
		held := 0
		for i := range o.set {
			held += bits.OnesCount64(o.set[i] &^ f.failed[i])
		}
		return held == 1
	case opNot:
		return f.failed.has(int(o.a))
	default: // opIf
		branch := o.b
		if f.failed.has(int(o.a)) {
			branch = o.c
		}
		return branch == none || !f.failed.has(int(branch))
	}
}

func (l limits) hold(n int) bool { return n >= l.min && n <= l.max }

// hasLength counts characters only if the number of bytes is inconclusive: a character takes at
// most twelve bytes, two escapes.
func (r *Run) hasLength(l limits, raw []byte) bool {
	size := len(raw) - len(`""`)
	return size <= l.max && (size+11)/12 >= l.min || l.hold(utf8.RuneCount(r.text(raw)))
}

func (r *Run) hasRepeatedKeys(array jsonstream.Value, name string) bool {
	repeated := false
	repeatedKeys(r.first, array, name, func(jsonstream.Value, jsonstream.Value) bool {
		repeated = true
		return false
	})
	if len(r.first) > maxKeptRoom {
		r.first = map[string]jsonstream.Value{}
	}
	clear(r.first)
	return repeated
}
