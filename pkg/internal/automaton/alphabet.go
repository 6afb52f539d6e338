package automaton

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// An alphabet divides all characters into classes that no instruction of a program distinguishes
// further.
type alphabet struct {
	// The characters from cuts[i] to the next cut have class classOf[i]. There are cuts at 0 and at
	// the first character beyond ASCII.
	cuts    []rune
	classOf []int

	classes []class
	setOf   []int // by instruction, the number of its set of characters
}

// A class is a set of characters.
type class struct {
	kind rune   // the kind of the characters, for assertions
	sets string // a bit for each set that contains the class
}

// Representatives of the kinds of characters that assertions distinguish.
const (
	noCharacter = -1 // before and after the text
	newline     = '\n'
	wordLetter  = 'a'
	other       = ' '
)

const (
	asksLines = syntax.EmptyBeginLine | syntax.EmptyEndLine
	asksWords = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
)

// kindOf returns the kind of a character for the given assertions.
func kindOf(r rune, asked syntax.EmptyOp) rune {
	switch {
	case asked&asksLines != 0 && r == newline:
		return newline
	case asked&asksWords != 0 && syntax.IsWordChar(r):
		return wordLetter
	}
	return other
}

// newAlphabet divides the characters for a program. The error is ErrTooLarge.
func newAlphabet(prog *syntax.Prog) (*alphabet, error) {
	a := &alphabet{
		cuts:  []rune{0, newline, newline + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, utf8.RuneSelf},
		setOf: make([]int, len(prog.Inst)),
	}
	sets, err := a.cut(prog)
	if err != nil {
		return nil, err
	}
	slices.Sort(a.cuts)
	a.cuts = slices.Compact(a.cuts)
	if end := len(a.cuts) - 1; a.cuts[end] > unicode.MaxRune {
		a.cuts = a.cuts[:end] // there is no character from this cut to the next
	}
	a.classify(sets, asks(prog))
	return a, nil
}

// cut adds the cuts of all instructions, numbers their sets of characters, and returns an
// instruction for each set. The error is ErrTooLarge.
func (a *alphabet) cut(prog *syntax.Prog) (sets []*syntax.Inst, err error) {
	// Copies of a repeated part share their runes.
	type shared struct {
		runes  *rune
		length int
		flags  uint32
	}
	numbers := make(map[shared]int)
	for pc := range prog.Inst {
		inst := &prog.Inst[pc]
		if !reads(inst) {
			continue
		}
		set := shared{length: len(inst.Rune), flags: inst.Arg}
		if set.length > 0 {
			set.runes = &inst.Rune[0]
		}
		number, known := numbers[set]
		if !known {
			number = len(sets)
			numbers[set] = number
			sets = append(sets, inst)
			a.cuts = appendCuts(a.cuts, inst)
			if len(a.cuts) > maxWork/len(sets) {
				return nil, ErrTooLarge
			}
		}
		a.setOf[pc] = number
	}
	return sets, nil
}

// appendCuts appends the first characters of the ranges of an instruction and of the gaps between
// them.
func appendCuts(cuts []rune, inst *syntax.Inst) []rune {
	if len(inst.Rune) == 1 {
		only := inst.Rune[0]
		cuts = append(cuts, only, only+1)
		if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
			for r := unicode.SimpleFold(only); r != only; r = unicode.SimpleFold(r) {
				cuts = append(cuts, r, r+1)
			}
		}
		return cuts
	}
	for i := 0; i < len(inst.Rune); i += 2 {
		cuts = append(cuts, inst.Rune[i], inst.Rune[i+1]+1)
	}
	return cuts
}

// classify determines the classes, in the order of their first characters.
func (a *alphabet) classify(sets []*syntax.Inst, asked syntax.EmptyOp) {
	// The signature of a class: a bit for each set, then the kind.
	sign := make([]byte, (len(sets)+7)/8+1)
	last := len(sign) - 1
	numbers := make(map[string]int)
	a.classOf = make([]int, len(a.cuts))
	for i, r := range a.cuts {
		clear(sign)
		for set, inst := range sets {
			if inst.MatchRune(r) {
				sign[set/8] |= 1 << (set % 8)
			}
		}
		kind := kindOf(r, asked)
		sign[last] = byte(kind)
		number, known := numbers[string(sign)]
		if !known {
			number = len(a.classes)
			text := string(sign)
			numbers[text] = number
			a.classes = append(a.classes, class{kind, text[:last]})
		}
		a.classOf[i] = number
	}
}

// accepts reports whether the instruction at pc reads the characters of class c.
func (a *alphabet) accepts(pc uint32, c class) bool {
	set := a.setOf[pc]
	return c.sets[set/8]>>(set%8)&1 != 0
}

// reads reports whether an instruction reads a character.
func reads(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// asks returns the assertions in a program.
func asks(prog *syntax.Prog) (asked syntax.EmptyOp) {
	for pc := range prog.Inst {
		if inst := &prog.Inst[pc]; inst.Op == syntax.InstEmptyWidth {
			asked |= syntax.EmptyOp(inst.Arg)
		}
	}
	return asked
}
