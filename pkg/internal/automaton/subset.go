package automaton

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// A state is a set of program instructions: the current positions of all matches begun so far, and
// of a match that begins here.
type state struct {
	// pcs are the instructions that read a character, and the assertions about the next character,
	// ascending.
	pcs []uint32
	// before is the kind of the last character if there are such assertions.
	before  rune
	asserts bool
}

// Assertions about the preceding character are decided when a state is built, the others when the
// next character is known.
const (
	aboutBefore = syntax.EmptyBeginLine | syntax.EmptyBeginText
	aboutAfter  = ^aboutBefore
)

// A builder builds the table of a program by the subset construction.
type builder struct {
	prog    *syntax.Prog
	letters *alphabet
	width   int // of a row
	// revives is set if a match may begin after some character although none may begin here.
	revives bool

	states []state
	rows   map[string]uint16 // the table entry of each state, by its key
	table  []uint16
	work   int

	pcs   []uint32 // the set being built
	spare []uint32
	seen  []uint32 // by instruction, the last round that reached it
	round uint32
	stack []uint32
	key   []byte
}

// newTable returns the table of a program and its first entry. The error is ErrTooLarge.
func newTable(prog *syntax.Prog, letters *alphabet) (table []uint16, start uint16, err error) {
	// Most programs have about one state per instruction.
	guess := min(len(prog.Inst), maxStates)
	width := firstClass + len(letters.classes)
	b := &builder{
		prog:    prog,
		letters: letters,
		width:   width,
		revives: asks(prog)&syntax.EmptyBeginLine != 0,
		states:  make([]state, 0, guess),
		rows:    make(map[string]uint16, guess),
		table:   make([]uint16, firstRow, min(firstRow+guess*width, maxTable)),
		seen:    make([]uint32, len(prog.Inst)),
	}
	b.clear()
	if start, err = b.begin(noCharacter); err != nil {
		return nil, 0, err
	}
	for i := 0; i < len(b.states); i++ {
		from := b.states[i]
		b.table = append(b.table, decode, b.finish(from))
		for _, c := range letters.classes {
			entry, err := b.step(from, c)
			if err != nil {
				return nil, 0, err
			}
			b.table = append(b.table, entry)
		}
	}
	return b.table, b.settle(start), nil
}

// clear begins a new set of instructions.
func (b *builder) clear() {
	b.round++
	b.pcs = b.pcs[:0]
}

// finish returns the entry for the end of the text.
func (b *builder) finish(from state) uint16 {
	if from.asserts && b.decide(from, noCharacter) {
		return accept
	}
	return reject
}

// decide builds the set of instructions that read a character, given the kind of the next one. It
// reports whether there is a match.
func (b *builder) decide(from state, next rune) bool {
	b.clear()
	hold := syntax.EmptyOpContext(from.before, next)
	for _, pc := range from.pcs {
		if b.add(pc, hold, 0) {
			return true
		}
	}
	return false
}

// step returns the entry for a character of a class.
func (b *builder) step(from state, c class) (uint16, error) {
	pcs := from.pcs
	if from.asserts {
		if b.decide(from, c.kind) {
			return accept, nil
		}
		b.pcs, b.spare = b.spare, b.pcs
		pcs = b.spare
	}
	b.work += len(pcs)
	b.clear()
	hold := holdsAfter(c.kind)
	for _, pc := range pcs {
		if b.letters.accepts(pc, c) && b.add(b.prog.Inst[pc].Out, hold, aboutAfter) {
			return accept, nil
		}
	}
	return b.begin(c.kind)
}

// begin adds the matches that begin after a character of a kind, and returns the entry for the
// whole set.
func (b *builder) begin(before rune) (uint16, error) {
	if b.add(uint32(b.prog.Start), holdsAfter(before), aboutAfter) {
		return accept, nil
	}
	if b.work > maxWork {
		return 0, ErrTooLarge
	}
	if len(b.pcs) == 0 && !b.revives {
		return reject, nil
	}
	return b.row(before)
}

// holdsAfter returns the true assertions about the preceding character.
func holdsAfter(before rune) syntax.EmptyOp {
	return syntax.EmptyOpContext(before, other) & aboutBefore
}

// add adds the instruction at pc and its successors that do not read a character. Assertions in
// hold are true, assertions in open are added to the set, and others are false. It reports whether
// there is a match.
func (b *builder) add(pc uint32, hold, open syntax.EmptyOp) bool {
	b.stack = append(b.stack[:0], pc)
	for len(b.stack) > 0 {
		pc := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if b.seen[pc] == b.round {
			continue
		}
		b.seen[pc] = b.round
		b.work++
		switch inst := &b.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstFail:
		case syntax.InstAlt, syntax.InstAltMatch:
			b.stack = append(b.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			b.stack = append(b.stack, inst.Out)
		case syntax.InstEmptyWidth:
			switch asked := syntax.EmptyOp(inst.Arg); {
			case asked&^hold == 0:
				b.stack = append(b.stack, inst.Out)
			case asked&^(hold|open) == 0:
				b.pcs = append(b.pcs, pc)
			}
		default:
			b.pcs = append(b.pcs, pc)
		}
	}
	return false
}

// row returns the entry for the state of the current set, adding the state if it is new.
func (b *builder) row(before rune) (uint16, error) {
	slices.Sort(b.pcs)
	s := state{before: other}
	b.key = b.key[:0]
	for _, pc := range b.pcs {
		b.key = binary.AppendUvarint(b.key, uint64(pc))
		if b.prog.Inst[pc].Op == syntax.InstEmptyWidth {
			s.asserts, s.before = true, before
		}
	}
	b.key = append(b.key, byte(s.before))
	if row, known := b.rows[string(b.key)]; known {
		return row, nil
	}
	row := firstRow + len(b.states)*b.width
	if len(b.states) == maxStates || row+b.width > maxTable {
		return 0, ErrTooLarge
	}
	s.pcs = slices.Clone(b.pcs)
	b.states = append(b.states, s)
	b.rows[string(b.key)] = uint16(row)
	return uint16(row), nil
}

// settle replaces rows from which every text is accepted, or none, by accept and reject, in the
// table and in start, which it returns.
func (b *builder) settle(start uint16) uint16 {
	accepts, rejects := b.reaching(accept), b.reaching(reject)
	settled := func(entry uint16) uint16 {
		switch {
		case entry < firstRow:
			return entry
		case !accepts[entry]:
			return reject
		case !rejects[entry]:
			return accept
		}
		return entry
	}
	for i, entry := range b.table {
		b.table[i] = settled(entry)
	}
	return settled(start)
}

// reaching returns, by row index, whether a text leads from the row to goal.
func (b *builder) reaching(goal uint16) []bool {
	reach := make([]bool, len(b.table))
	reach[goal] = true
	// Rows mostly lead to later ones: backwards, two rounds are enough.
	for changed := true; changed; {
		changed = false
		for row := len(b.table) - b.width; row >= firstRow; row -= b.width {
			if reach[row] {
				continue
			}
			for _, entry := range b.table[row : row+b.width] {
				if reach[entry] {
					reach[row], changed = true, true
					break
				}
			}
		}
	}
	return reach
}
