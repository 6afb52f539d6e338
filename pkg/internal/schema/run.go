package schema

import "github.com/eaapl/handoff/pkg/jsonstream"

var _ jsonstream.Follower = (*Run)(nil)

// A Run follows the reader of one document after another, as a [jsonstream.Follower],
// and decides about them. It is for one goroutine. It keeps parts of a document's bytes
// until the next document.
type Run struct {
	program *Program

	base  frame  // holds the document
	frame *frame // of the innermost object or array; of the base outside
	link  *link  // to the value that comes next
	met   uint64 // the conditions that the name of that value meets
	skip  int    // how many objects and arrays are open of whose contents nothing is said

	undecided bool
	unnamed   bool

	failed set               // the cells of a scalar that fail
	counts []int             // of open arrays: for how many elements contains holds
	kept   []kept            // of open arrays: what has to be unique
	table  []uint32          // to find in kept what is there twice
	known  []map[string]bool // of each format: texts that have it
	escape []byte            // the text of a string with escapes
	arena  []byte            // the texts of what is kept, where they are not the document's
}

// A frame is an object or array in flight.
type frame struct {
	state    *state
	program  *program
	link     *link   // that led here
	met      uint64  // the conditions that its name met
	elements []*link // of an array
	n        int     // members or elements so far
	failed   set     // the cells that have failed
	seen     set     // the members that are there
	repeated uint64  // the slots of kept in which two are the same
	// Where its part of the run's counts and kept begins, and how many elements that
	// have to be unique were objects or arrays.
	counts, kept, holders int
	prev, next            *frame
}

// NewRun returns a run that awaits a document.
func (p *Program) NewRun() *Run {
	r := &Run{program: p, known: make([]map[string]bool, p.formats)}
	r.Reset()
	return r
}

// maxKeptRoom is how much of what a large document needed stays for the next.
const maxKeptRoom = 1 << 16

// Reset makes the run await a document, whatever has become of the one before.
func (r *Run) Reset() {
	r.frame = &r.base
	r.base.n, r.base.failed = 0, set{}
	r.link, r.met, r.skip = &r.program.root, 0, 0
	r.undecided, r.unnamed = false, false
	r.counts = r.counts[:0]
	clear(r.kept)
	r.kept, r.arena = r.kept[:0], r.arena[:0]
	if cap(r.kept) > maxKeptRoom {
		r.kept = nil
	}
	if cap(r.table) > maxKeptRoom {
		r.table = nil
	}
	if cap(r.arena) > maxKeptRoom {
		r.arena = nil
	}
	if cap(r.escape) > maxKeptRoom {
		r.escape = nil
	}
}

// Verdict returns what the run has found out, after the end of the document.
func (r *Run) Verdict() Verdict {
	switch {
	case r.undecided || r.frame != &r.base || r.base.n != 1 || r.skip > 0:
		return Undecided
	case r.base.failed.isEmpty():
		return Valid
	default:
		return Invalid
	}
}

// Unnamed reports whether a valid document has an object with a member that its schema
// does not name, though it has properties and no additionalProperties. What counts are
// the schemas that $ref, properties and items lead to from the document's own, wherever
// else they apply.
func (r *Run) Unnamed() bool { return r.unnamed }

// Begin implements [jsonstream.Follower].
func (r *Run) Begin(kind jsonstream.Kind) {
	if r.skip > 0 {
		r.skip++
		return
	}
	parent := r.frame
	parent.n++
	l := r.link
	if l == nil {
		r.skip = 1
		return
	}
	if l.keep {
		if parent.holders++; parent.holders > 1 {
			r.undecided = true
		}
	}
	if l.state == nil {
		r.skip = 1
		return
	}
	p := &l.state.programs[kindIndex(kind)]
	if p.isLeaf {
		r.settle(l, r.met, &p.failed)
		r.skip = 1
		return
	}
	r.push(l, p)
	if kind == jsonstream.Array {
		r.frame.elements = l.state.elements
		r.link, r.met = l.state.elements[0], 0
	}
}

func (r *Run) push(l *link, p *program) {
	f := r.frame.next
	if f == nil {
		f = &frame{prev: r.frame}
		r.frame.next = f
	}
	f.state, f.program, f.link, f.met = l.state, p, l, r.met
	f.failed, f.seen = p.failed, set{}
	f.n, f.elements = 0, nil
	if l.state.counters > 0 {
		f.counts = len(r.counts)
		for range l.state.counters {
			r.counts = append(r.counts, 0)
		}
	}
	if l.state.keeps {
		f.kept, f.holders = len(r.kept), 0
	}
	r.frame = f
}

// Name implements [jsonstream.Follower].
func (r *Run) Name(raw []byte) {
	if r.skip > 0 {
		return
	}
	f := r.frame
	s := f.state
	if s.nameLink != nil {
		r.scalar(s.nameLink, 0, jsonstream.String, raw)
	}
	e := s.names.find(raw)
	if e == nil || s.names.hasBackslash {
		if e = r.unusual(s, raw, e); e == nil {
			return
		}
	}
	r.link, r.met = e.link, 0
	if e.bit >= 0 {
		f.seen.add(int(e.bit))
	}
	if e.unnamed {
		r.unnamed = true
	}
}

// unusual looks again for a name whose bytes are not, or may not be, its characters. If
// it has no entry, the next value is one of the rest.
func (r *Run) unusual(s *state, raw []byte, e *entry) *entry {
	r.escape = append(r.escape[:0], '"')
	text, quoted := jsonstream.Unquote(raw, r.escape)
	if len(text) != len(raw)-len(`""`) {
		quoted = append(quoted, '"')
		e = s.names.find(quoted)
		text = quoted[1 : len(quoted)-1]
	}
	r.escape = quoted
	if e != nil {
		return e
	}
	if s.isClosed {
		r.unnamed = true
	}
	r.link, r.met = s.rest, 0
	for _, t := range s.patterns {
		matched, ok := t.pattern.match(text)
		if !ok {
			r.undecided = true
		}
		if matched {
			r.met |= 1 << t.bit
		}
	}
	for _, t := range s.noMatch {
		if r.met&t.bits == 0 {
			r.met |= 1 << t.bit
		}
	}
	return nil
}

// text returns the characters of a quoted string, until the next call.
func (r *Run) text(raw []byte) []byte {
	text, buffer := jsonstream.Unquote(raw, r.escape[:0])
	r.escape = buffer
	return text
}

// Scalar implements [jsonstream.Follower].
func (r *Run) Scalar(kind jsonstream.Kind, raw []byte) {
	if kind == jsonstream.Number && !isSafe(raw) {
		r.undecided = true
	}
	if r.skip > 0 {
		return
	}
	r.frame.n++
	if r.link != nil {
		r.scalar(r.link, r.met, kind, raw)
	}
	if len(r.frame.elements) > 1 {
		r.advance()
	}
}

// advance awaits the next element, in an array.
func (r *Run) advance() {
	if elements := r.frame.elements; elements != nil {
		r.link, r.met = elements[min(r.frame.n, len(elements)-1)], 0
	}
}

// scalar decides about a string, number, true, false or null.
func (r *Run) scalar(l *link, met uint64, kind jsonstream.Kind, raw []byte) {
	if l.keep || kind == jsonstream.String && l.slots != nil {
		r.keep(l, kind, raw)
	}
	if l.state == nil {
		return
	}
	p := &l.state.programs[kindIndex(kind)]
	if p.isFree && !l.counts {
		return
	}
	r.failed = p.failed
	for i := range p.ops { // only texts and numbers have any
		o := &p.ops[i]
		if kind == jsonstream.String && !r.holdsForText(o, raw) || kind == jsonstream.Number && !r.holdsForNumber(o, raw) {
			r.failed.add(int(o.cell))
		}
	}
	r.settle(l, met, &r.failed)
}

// settle hands the cells that have failed for a value to the innermost object or array,
// which holds it.
func (r *Run) settle(l *link, met uint64, failed *set) {
	for i := range l.roots {
		root := &l.roots[i]
		if root.when >= 0 && met>>root.when&1 == 0 {
			continue
		}
		switch hasFailed := failed.has(int(root.cell)); {
		case hasFailed:
			r.frame.failed.addAll(root.parents)
		case root.counter >= 0:
			r.counts[r.frame.counts+int(root.counter)]++
		}
	}
}

// End implements [jsonstream.Follower].
func (r *Run) End() {
	if r.skip > 0 {
		if r.skip--; r.skip == 0 {
			r.advance()
		}
		return
	}
	f := r.frame
	if f.state.keeps && f.elements != nil {
		r.findRepeated(f)
	}
	for i := range f.program.ops {
		if o := &f.program.ops[i]; !r.holdsForHolder(o, f) {
			f.failed.add(int(o.cell))
		}
	}
	if f.state.counters > 0 {
		r.counts = r.counts[:f.counts]
	}
	r.frame = f.prev
	r.settle(f.link, f.met, &f.failed)
	r.advance()
}
