// Package automaton matches regular expressions by table: one look-up a byte,
// and no allocation.
//
// It answers one question, whether a text contains a match, and answers it as
// package regexp does, for every expression that regexp takes and for every
// text, valid UTF-8 or not. What it asks for in return is a table made in
// advance, whose size is bounded: some expressions have none (see
// [ErrTooLarge]).
package automaton

import (
	"errors"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// ErrTooLarge is the error for an expression that would need more than 1000
// states, a table of more than 64 Ki entries (128 KiB), or too much work to
// make one. Package regexp matches such an expression.
var ErrTooLarge = errors.New("regular expression too large for a table")

const (
	maxStates = 1000
	maxTable  = 1 << 16 // entries, so that a uint16 is the index of any
	maxSize   = 1 << 16 // instructions, about
	maxWork   = 1 << 20 // instructions looked at, a few nanoseconds each
)

// An entry of the table is the index of the next state's row, or one of these.
const (
	decode   = iota // the byte is not ASCII: the column is that of its character
	reject          // no match, whatever follows
	accept          // a match, whatever follows
	firstRow        // the index of the first row
)

// The first columns of a row. The others are for the classes of characters.
const (
	notASCII = iota // decode in every row
	end             // the end of the text: accept or reject
	firstClass
)

// An Automaton is a compiled regular expression. It does not change, and is
// safe for concurrent use.
type Automaton struct {
	table []uint16 // rows of states; the entries before firstRow are unused
	start uint16   // like an entry of the table
	ascii [256]uint8

	// The characters from cuts[i] to the next cut have columns[i]. The first cut
	// is the first character beyond ASCII.
	cuts    []rune
	columns []uint16
}

// Compile makes the automaton of an expression in the syntax of package regexp.
// An error is the [*syntax.Error] that regexp.Compile gives for the expression,
// or ErrTooLarge.
func Compile(expr string) (*Automaton, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if size(re) > maxSize {
		return nil, ErrTooLarge
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	letters, err := newAlphabet(prog)
	if err != nil {
		return nil, err
	}
	a := &Automaton{}
	if a.table, a.start, err = newTable(prog, letters); err != nil {
		return nil, err
	}
	for i, cut := range letters.cuts {
		column := uint16(firstClass + letters.classOf[i])
		switch {
		case cut < utf8.RuneSelf:
			// Classes are numbered by their first character: those of ASCII are
			// among the first 128. There is a cut after ASCII.
			for b := cut; b < letters.cuts[i+1]; b++ {
				a.ascii[b] = uint8(column)
			}
		case len(a.columns) == 0 || a.columns[len(a.columns)-1] != column:
			a.cuts = append(a.cuts, cut)
			a.columns = append(a.columns, column)
		}
	}
	return a, nil
}

// size estimates the instructions of an expression, whose repetitions syntax.Compile
// writes out.
func size(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, part := range re.Sub {
		n += size(part)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return n
}

// Match reports whether text contains a match of the expression, as
// regexp.Regexp.Match does: a byte that is not part of valid UTF-8 is the
// character U+FFFD. It reads no further than it has to for the answer.
func (a *Automaton) Match(text []byte) bool {
	state := a.start
	if state < firstRow {
		return state == accept
	}
	table := a.table
	for i := 0; i < len(text); i++ {
		next := table[int(state)+int(a.ascii[text[i]])]
		if next < firstRow {
			if next != decode {
				return next == accept
			}
			r, size := utf8.DecodeRune(text[i:])
			i += size - 1
			if next = table[int(state)+a.column(r)]; next < firstRow {
				return next == accept
			}
		}
		state = next
	}
	return table[int(state)+end] == accept
}

// column gives the column of a character beyond ASCII.
func (a *Automaton) column(r rune) int {
	i, found := slices.BinarySearch(a.cuts, r)
	if !found {
		i--
	}
	return int(a.columns[i])
}
