// Package automaton matches regular expressions by table: one lookup per byte, no allocation.
//
// It reports whether a text contains a match, exactly as package regexp does, for every expression
// that regexp supports and every text, including invalid UTF-8. The table is compiled in advance
// and bounded in size, so some expressions are rejected (see [ErrTooLarge]).
package automaton

import (
	"errors"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// ErrTooLarge reports an expression that would need more than 1000 states, a table of more than 64
// Ki entries (128 KiB), or too much work to compile. Use package regexp for it.
var ErrTooLarge = errors.New("regular expression too large for a table")

const (
	maxStates = 1000
	maxTable  = 1 << 16 // entries, so that a uint16 can index them
	maxSize   = 1 << 16 // approximate number of instructions
	maxWork   = 1 << 20 // instructions examined, a few nanoseconds each
)

// An entry of the table is the index of the next state's row, or one of these values.
const (
	decode   = iota // the byte is not ASCII: use the column of its character
	reject          // no match, whatever follows
	accept          // a match, whatever follows
	firstRow        // the index of the first row
)

// The first columns of a row. The others are for classes of characters.
const (
	notASCII = iota // decode in every row
	end             // the end of the text: accept or reject
	firstClass
)

// An Automaton is a compiled regular expression. It is immutable and safe for concurrent use.
type Automaton struct {
	table []uint16 // rows of states; the entries before firstRow are unused
	start uint16   // an entry of the table
	ascii [256]uint8

	// The characters from cuts[i] to the next cut have columns[i]. The first cut is the first
	// character beyond ASCII.
	cuts    []rune
	columns []uint16
}

// Compile compiles an expression in the syntax of package regexp. The error is the [*syntax.Error]
// of regexp.Compile, or ErrTooLarge.
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
			// Classes are numbered by their first character, so ASCII classes are among the first
			// 128. There is a cut after ASCII.
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

// size estimates the number of instructions of an expression; syntax.Compile expands repetitions.
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

// Match reports whether text contains a match of the expression, as regexp.Regexp.Match does: an
// invalid UTF-8 byte is the character U+FFFD. It stops reading as soon as the answer is known.
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

// column returns the column of a non-ASCII character.
func (a *Automaton) column(r rune) int {
	i, found := slices.BinarySearch(a.cuts, r)
	if !found {
		i--
	}
	return int(a.columns[i])
}
