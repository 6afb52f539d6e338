package ecmascript

// A tree is a parsed expression.
type tree struct {
	root   node
	groups int // number of capturing groups
}

// A node is a part of an expression: one of the types below.
type node any

type (
	sequence     []node
	alternatives []node

	// chars reads one character of a set.
	chars struct{ set }

	// A group captures the text of its body.
	group struct {
		number int // from 1
		body   node
	}

	// A repeat repeats a body that has the groups [first, end).
	repeat struct {
		body       node
		min, max   int // infinite is longer than any text
		lazy       bool
		first, end int
	}

	// A look is a look-ahead or look-behind.
	look struct {
		body             node
		behind, negative bool
	}

	// A reference matches the captured text of a group again.
	reference struct {
		number  int
		anyCase bool
	}

	// An assertion matches a position. A boundary depends on the set of word characters.
	assertion struct {
		kind assertionKind
		word set
	}
)

type assertionKind byte

const (
	textStart assertionKind = iota
	textEnd
	lineStart
	lineEnd
	boundary
	noBoundary
)

// infinite is the count of a repeat without an upper limit, or with one that no text reaches.
const infinite = 1<<31 - 1
