package schema

import "github.com/eaapl/handoff/pkg/jsonstream"

// The kinds of values that a state has programs for.
const (
	nullKind = iota
	falseKind
	trueKind
	stringKind
	numberKind
	objectKind
	arrayKind
	kinds
)

// kindIndex returns which of the programs is for a kind.
func kindIndex(k jsonstream.Kind) int {
	switch k {
	case jsonstream.String:
		return stringKind
	case jsonstream.Number:
		return numberKind
	case jsonstream.Object:
		return objectKind
	case jsonstream.Array:
		return arrayKind
	case jsonstream.Null:
		return nullKind
	case jsonstream.True:
		return trueKind
	default:
		return falseKind
	}
}

// A state is all that the schema says about one value.
type state struct {
	programs [kinds]program
	// Of objects.
	names    map[string]int // the places of entries
	entries  []entry
	rest     *link         // of members without an entry; nil if nothing is said of them
	patterns []patternTest // for members without an entry
	noMatch  []noMatch
	nameLink *link // what the names themselves must be
	isClosed bool  // members without an entry are unnamed
	// Of arrays: the elements, each with its own, the last for all further ones.
	elements []*link
	counters int // how many contains there are
}

// A program decides about values of one kind.
type program struct {
	failed set // the cells that fail whatever the value is
	ops    []op
	isLeaf bool // there is nothing to look at
}

// A link leads from a value to one that it holds. It is nil if nothing is said of that.
type link struct {
	state  *state
	roots  []root
	counts bool // a root has a counter
}

// A root is a cell of a state that others wait for.
type root struct {
	parents set // the cells that fail with it
	cell    uint8
	counter int32 // the counter of the values for which it holds
	when    int8  // the condition on the member's name
}

// A patternTest sets a bit if a member's name has a match.
type patternTest struct {
	pattern *pattern
	bit     int8
}

// A noMatch sets a bit if none of some others is set.
type noMatch struct {
	bits uint64
	bit  int8
}

// An opcode is what an op asks for.
type opcode uint8

const (
	opInteger opcode = iota
	opNumbers
	opBound
	opMultiple
	opCharacters
	opPattern
	opFormat
	opTexts
	opCount    // members or elements
	opRequired // members
	opDependent
	opContains
	opUnique
	opUniqueKey
	opAny // of cells
	opOne
	opNot
	opIf
	opWith
)

// An op is a rule of a cell, which fails unless it holds.
type op struct {
	code opcode
	cell uint8
	// The cells of if, then and else, or of not, or of the schema for an object with a
	// member, whose bit is n.
	a, b, c int16
	n       int32 // a counter or a bit
	set     set   // cells, or bits of members
	limits  limits
	values  *values
	key     string
	bound   *bound
	decimal *jsonstream.Decimal
	pattern *pattern
	format  *format
}

// none means no cell, no counter, no condition and no bit.
const none = -1

// An entry is what a state says of a member's name.
type entry struct {
	name    string
	link    *link
	bit     int16 // of its presence, if that matters
	unnamed bool  // a closed schema does not name it
}
