package ecmascript

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

const (
	// maxSteps is the maximum number of steps, plus stepsPerByte for each byte of the text.
	maxSteps     = 1 << 23
	stepsPerByte = 16
	// maxChoices is the maximum length of a run's stack: 40 MB.
	maxChoices = 1 << 20
)

// A run is a run of one program on one text.
type run struct {
	insts []inst
	text  []byte
	slots []int // -1 if not set
	stack []choice
	steps int // remaining steps
}

// A choice is an entry of the backtracking stack. If slot is not none, it is the former value of
// the slot instead.
type choice struct {
	slot, value int
	pc, pos     int
	last        int // the last position that opSpan may choose, going from pos towards it
}

const none = -1

// match reports whether text has a match, within a number of steps.
func (p *program) match(text []byte, steps int) (bool, error) {
	r := &run{insts: p.insts, text: text, slots: make([]int, p.slots), steps: steps}
	for i := range r.slots {
		r.slots[i] = none
	}
	for pos := 0; ; {
		if matched, err := r.match(0, pos); matched || err != nil || pos == len(text) {
			return matched, err
		}
		_, pos = r.read(pos, false)
	}
}

// read reads a character, backwards if behind is set. The returned position is none if there is no
// character.
func (r *run) read(pos int, behind bool) (c rune, after int) {
	switch {
	case behind && pos > 0:
		c, size := utf8.DecodeLastRune(r.text[:pos])
		return c, pos - size
	case !behind && pos < len(r.text):
		c, size := utf8.DecodeRune(r.text[pos:])
		return c, pos + size
	}
	return 0, none
}

// match reports whether the instructions from pc to opDone match at a position. If not, it restores
// the slots and the stack.
func (r *run) match(pc, pos int) (matched bool, err error) {
	base := len(r.stack)
	for {
		if r.steps--; r.steps < 0 || len(r.stack) > maxChoices {
			return false, ErrUnfinished
		}
		if r.insts[pc].op == opDone {
			return true, nil
		}
		if pc, pos, err = r.step(pc, pos); err != nil {
			return false, err
		}
		if pos == none {
			if pc, pos = r.back(base); pos == none {
				return false, nil
			}
		}
	}
}

// back returns to the latest choice above the stack length base.
func (r *run) back(base int) (pc, pos int) {
	for len(r.stack) > base {
		top := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if top.slot != none {
			r.slots[top.slot] = top.value
			continue
		}
		if top.pos != top.last {
			_, further := r.read(top.pos, !r.insts[top.pc-1].behind)
			r.stack = append(r.stack, choice{slot: none, pc: top.pc, pos: further, last: top.last})
		}
		return top.pc, top.pos
	}
	return 0, none
}

// undo drops the choices above the stack length base and their effects.
func (r *run) undo(base int) {
	for len(r.stack) > base {
		top := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if top.slot != none {
			r.slots[top.slot] = top.value
		}
	}
}

// choose pushes a choice.
func (r *run) choose(pc, pos int) {
	r.stack = append(r.stack, choice{slot: none, pc: pc, pos: pos, last: pos})
}

// set changes a slot until the run backtracks.
func (r *run) set(slot, value int) {
	r.stack = append(r.stack, choice{slot: slot, value: r.slots[slot]})
	r.slots[slot] = value
}

// step runs an instruction and returns the next one; the position is none if it fails.
func (r *run) step(pc, pos int) (next, after int, err error) {
	i := &r.insts[pc]
	switch i.op {
	case opChar:
		c, after := r.read(pos, i.behind)
		if after != none && !i.set.contains(c) {
			after = none
		}
		return pc + 1, after, nil
	case opSpan:
		return pc + 1, r.span(pc, pos), nil
	case opJump:
		return i.x, pos, nil
	case opChoice:
		r.choose(i.x, pos)
	case opSave:
		r.set(i.x, pos)
	case opCount:
		r.set(i.x, 0)
	case opRepeat:
		switch count := r.slots[i.slot]; {
		case count < i.repeat.min:
		case count >= i.repeat.max:
			return i.x, pos, nil
		case i.repeat.lazy:
			r.choose(pc+1, pos)
			return i.x, pos, nil
		default:
			r.choose(i.x, pos)
		}
	case opBegin:
		r.set(i.slot, r.slots[i.slot]+1)
		r.set(i.slot+1, pos)
		for _, slot := range i.clear {
			r.set(slot, none)
		}
	case opEnd:
		if r.slots[i.slot] > i.repeat.min && r.slots[i.slot+1] == pos {
			return 0, none, nil // an empty repetition does not count
		}
		return i.x, pos, nil
	case opAssert:
		if !r.holds(i.assert, pos) {
			return 0, none, nil
		}
	case opLook:
		holds, err := r.look(pc, pos)
		if err != nil || !holds {
			return 0, none, err
		}
		return i.x, pos, nil
	case opReference:
		return pc + 1, r.again(i, pos), nil
	}
	return pc + 1, pos, nil
}

// span reads as many characters as possible, pushes the choice to read fewer, and returns the
// position after them.
func (r *run) span(pc, pos int) int {
	i := &r.insts[pc]
	least := none
	for count := 0; ; count++ {
		if count == i.repeat.min {
			least = pos
		}
		c, after := r.read(pos, i.behind)
		if count == i.repeat.max || after == none || !i.set.contains(c) {
			break
		}
		r.steps--
		pos = after
	}
	if least == none || least == pos {
		return least
	}
	_, fewer := r.read(pos, !i.behind)
	r.stack = append(r.stack, choice{slot: none, pc: pc + 1, pos: fewer, last: least})
	return pos
}

// look reports whether a look-around holds. It leaves no choices, only captures.
func (r *run) look(pc, pos int) (holds bool, err error) {
	base := len(r.stack)
	matched, err := r.match(pc+1, pos)
	if err != nil || !matched {
		return r.insts[pc].negative, err
	}
	if r.insts[pc].negative {
		r.undo(base)
		return false, nil
	}
	kept := r.stack[:base]
	for _, c := range r.stack[base:] {
		if c.slot != none {
			kept = append(kept, c)
		}
	}
	r.stack = kept
	return true, nil
}

func (r *run) holds(a assertion, pos int) bool {
	before, start := r.read(pos, true)
	after, end := r.read(pos, false)
	switch a.kind {
	case textStart:
		return start == none
	case textEnd:
		return end == none
	case lineStart:
		return start == none || lineTerminator.contains(before)
	case lineEnd:
		return end == none || lineTerminator.contains(after)
	}
	differ := (start != none && a.word.contains(before)) != (end != none && a.word.contains(after))
	return differ == (a.kind == boundary)
}

// again reads the captured text of a group, nothing if it is not set, and returns the position
// after it, none if the text differs.
func (r *run) again(i *inst, pos int) int {
	start, end := r.slots[i.x], r.slots[i.x+1]
	if start == none || end == none {
		return pos
	}
	captured := r.text[start:end]
	r.steps -= len(captured)
	switch {
	case i.anyCase:
		return r.againAnyCase(captured, i.behind, pos)
	case i.behind && bytes.HasSuffix(r.text[:pos], captured):
		return pos - len(captured)
	case !i.behind && bytes.HasPrefix(r.text[pos:], captured):
		return pos + len(captured)
	}
	return none
}

func (r *run) againAnyCase(captured []byte, behind bool, pos int) int {
	decode := utf8.DecodeRune
	if behind {
		decode = utf8.DecodeLastRune
	}
	for len(captured) > 0 {
		want, size := decode(captured)
		if behind {
			captured = captured[:len(captured)-size]
		} else {
			captured = captured[size:]
		}
		var c rune
		if c, pos = r.read(pos, behind); pos == none || !sameButCase(c, want) {
			return none
		}
	}
	return pos
}

func sameButCase(a, b rune) bool {
	for c := unicode.SimpleFold(a); c != a; c = unicode.SimpleFold(c) {
		if c == b {
			return true
		}
	}
	return a == b
}
