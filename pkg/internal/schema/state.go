package schema

import "github.com/eaapl/handoff/pkg/jsonstream"

// The kinds of values with separate programs.
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

// kindIndex returns the index of the program for a kind.
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

// A state is the combination of all schemas for one value.
type state struct {
	programs [kinds]program
	// Of objects.
	names    map[string]int // indexes of entries
	entries  []entry
	rest     *link         // for members without an entry; nil if there are no rules
	patterns []patternTest // for members without an entry
	noMatch  []noMatch
	nameLink *link // for the names themselves
	isClosed bool  // members without an entry are unlisted
	// Of arrays: a link per element; the last one is for all further elements.
	elements []*link
	counters int // number of contains keywords
}

// A program validates values of one kind.
type program struct {
	failed set // cells that fail for every value
	ops    []op
	isLeaf bool // no rules to check
}

// A link leads from a value to one of its members or elements. It is nil if there are no rules.
type link struct {
	state  *state
	roots  []root
	counts bool // a root has a counter
}

// A root is a cell of a state that cells of the holder depend on.
type root struct {
	parents set // cells that fail with it
	cell    uint8
	counter int32 // counter of matching values
	when    int8  // condition on the member's name
}

// A patternTest sets a bit if a member's name matches.
type patternTest struct {
	pattern *pattern
	bit     int8
}

// A noMatch sets a bit if none of a set of bits is set.
type noMatch struct {
	bits uint64
	bit  int8
}

// An opcode is the operation of an op.
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
	// The cells of if, then and else; of not; or of the schema for an object with a member, whose
	// bit is n.
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

// An entry is the state's rule for a member name.
type entry struct {
	name    string
	link    *link
	bit     int16 // bit of its presence, if that matters
	unnamed bool  // not listed by a closed schema
}
