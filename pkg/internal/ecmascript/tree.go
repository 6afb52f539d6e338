package ecmascript

// A tree is a parsed expression.
type tree struct {
	root   node
	groups int // that capture
}

// A node is a part of an expression: one of the types below.
type node any

type (
	sequence     []node
	alternatives []node

	// chars reads one character of a set.
	chars struct{ set }

	// A group captures what its body has read.
	group struct {
		number int // from 1
		body   node
	}

	// A repeat is of a body that has the groups from first to before end.
	repeat struct {
		body       node
		min, max   int // infinite is more than any text has
		lazy       bool
		first, end int
	}

	// A look is a look-ahead or a look-behind.
	look struct {
		body             node
		behind, negative bool
	}

	// A reference reads once more what a group has captured.
	reference struct {
		number  int
		anyCase bool
	}

	// An assertion reads nothing. A boundary goes by the set of characters of words.
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

// infinite is the count of a repeat without an upper limit, and of one that no text reaches.
const infinite = 1<<31 - 1
