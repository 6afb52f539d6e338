package safety

import (
	"regexp/syntax"
	"unicode/utf8"
)

// An opening has the characters that a match of an expression can begin with, as sets of their
// lowest five bits, which are the same for both cases of a letter. It excludes most expressions of a
// rule at a literal of another, without compiling them.
type opening [openingLen]uint32

const openingLen = 4

// openings has the openings of the expressions of rules.
type openings [][]opening

// openingOf returns the opening of an anchored expression.
func openingOf(expr string) (o opening) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err) // as regexp.MustCompile
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		panic(err)
	}
	states := []uint32{uint32(program.Start)}
	for i := range o {
		var next []uint32
		seen := make([]bool, len(program.Inst))
		for len(states) > 0 {
			pc := states[len(states)-1]
			states = states[:len(states)-1]
			if seen[pc] {
				continue
			}
			seen[pc] = true
			switch inst := &program.Inst[pc]; inst.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				states = append(states, inst.Out, inst.Arg)
			case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
				states = append(states, inst.Out)
			case syntax.InstMatch: // anything may follow
				for ; i < len(o); i++ {
					o[i] = 1<<32 - 1
				}
				return o
			case syntax.InstFail:
			default:
				for c := range rune(utf8.RuneSelf) {
					if inst.MatchRune(c) {
						o[i] |= 1 << (c & 31)
					}
				}
				next = append(next, inst.Out)
			}
		}
		states = next
	}
	return o
}

// may reports whether the expression may match at the start of s. An opening knows only ASCII.
func (o *opening) may(s string) bool {
	possible := uint32(1)
	for i := range min(len(o), len(s)) {
		c := s[i]
		if c >= utf8.RuneSelf {
			break
		}
		possible &= o[i] >> (c & 31)
	}
	return possible != 0
}
