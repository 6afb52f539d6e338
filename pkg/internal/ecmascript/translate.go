package ecmascript

import (
	"fmt"
	"strings"
	"unicode"
)

// maxInstructions is the maximum size of a program of package regexp, which may take as many steps
// per character.
const maxInstructions = 1 << 13

// maxCount is the maximum repeat count in package regexp.
const maxCount = 1000

// translate converts a tree to the syntax of package regexp. It matches the same texts: without
// captures it does not matter which match is found. ok is false if the syntax cannot express the
// tree.
func translate(n node) (expr string, ok bool) {
	t := translator{ok: true}
	t.write(n)
	return t.out.String(), t.ok
}

type translator struct {
	out strings.Builder
	ok  bool
}

func (t *translator) write(n node) {
	switch n := n.(type) {
	case sequence:
		for _, part := range n {
			t.write(part)
		}
	case alternatives:
		t.out.WriteString("(?:")
		for i, part := range n {
			if i > 0 {
				t.out.WriteString("|")
			}
			t.write(part)
		}
		t.out.WriteString(")")
	case chars:
		t.chars(n.set)
	case group:
		t.write(n.body)
	case repeat:
		t.out.WriteString("(?:")
		t.write(n.body)
		t.out.WriteString(")")
		t.count(n.min, n.max)
	case assertion:
		t.assertion(n)
	default: // look-around and references
		t.ok = false
	}
}

func (t *translator) count(low, high int) {
	switch {
	case low > maxCount || high > maxCount && high != infinite:
		t.ok = false
	case high == infinite:
		fmt.Fprintf(&t.out, "{%d,}", low)
	default:
		fmt.Fprintf(&t.out, "{%d,%d}", low, high)
	}
}

func (t *translator) assertion(a assertion) {
	switch {
	case a.kind == textStart:
		t.out.WriteString(`\A`)
	case a.kind == textEnd:
		t.out.WriteString(`\z`)
	case a.kind == boundary && len(a.word) == len(words):
		t.out.WriteString(`\b`)
	case a.kind == noBoundary && len(a.word) == len(words):
		t.out.WriteString(`\B`)
	default: // (?m) uses other line terminators, and \b only ASCII
		t.ok = false
	}
}

func (t *translator) chars(s set) {
	switch {
	case len(s) == 0:
		t.out.WriteString(`[^\x00-\x{10ffff}]`)
	case s.isSingle():
		t.char(s[0])
	default:
		t.out.WriteString("[")
		for i := 0; i < len(s); i += 2 {
			t.char(s[i])
			t.out.WriteString("-")
			t.char(s[i+1])
		}
		t.out.WriteString("]")
	}
}

func (t *translator) char(r rune) {
	if r < unicode.MaxASCII && (isASCIILetter(r) || '0' <= r && r <= '9') {
		t.out.WriteRune(r)
	} else {
		fmt.Fprintf(&t.out, `\x{%x}`, r)
	}
}

// instructions estimates the program size of a tree, up to a little more than maxInstructions.
func instructions(n node) int {
	count := 1
	switch n := n.(type) {
	case sequence:
		for _, part := range n {
			count += instructions(part)
		}
	case alternatives:
		for _, part := range n {
			count += instructions(part)
		}
	case group:
		count += instructions(n.body)
	case repeat:
		times := n.max
		if times == infinite {
			times = n.min + 1
		}
		count += times * instructions(n.body)
	}
	return min(count, maxInstructions+1)
}
