package jsonstream

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	// ErrNumberRange reports a number that has no double-precision value, so
	// that it has no canonical form (RFC 8785, section 3.2.2.3).
	ErrNumberRange = errors.New("number beyond the range of a double")
	// ErrInexact reports a number whose canonical form has another value.
	ErrInexact = errors.New("number that a double does not hold exactly")
)

// A NumberError reports a number that cannot be canonicalised. Its text is for
// people and does not repeat the place.
type NumberError struct {
	Position         // of the number
	Pointer   string // JSON Pointer to it
	Text      string // as it stands, cut short where it is long
	Canonical string // what RFC 8785 would make of it; "" for ErrNumberRange
	Err       error  // ErrNumberRange or ErrInexact
}

func (e *NumberError) Error() string {
	if e.Canonical == "" {
		return fmt.Sprintf("%s is beyond the range of a double (1.8e308): write a smaller number, or a string", e.Text)
	}
	return fmt.Sprintf("%s becomes %s in canonical form, which has another value: write %[2]s, or %[1]s as a string", e.Text, e.Canonical)
}

func (e *NumberError) Unwrap() error { return e.Err }

// CanonicalOptions say how to canonicalise. The zero value is RFC 8785.
type CanonicalOptions struct {
	// Exact refuses a number whose decimal value is not that of its canonical
	// text. RFC 8785 makes every number a double, so that two numbers of
	// different value can have one canonical form.
	Exact bool
	// Omit names a member of the value itself, not of what is below it, that is
	// left out; "" leaves out nothing.
	Omit string
}

// AppendCanonical appends the canonical form (RFC 8785) of v. The error is a
// [*NumberError].
func AppendCanonical(dst []byte, v Value, options CanonicalOptions) ([]byte, error) {
	c := canonicalizer{CanonicalOptions: options, doc: v.doc, text: v.doc.raw.Bytes, out: dst, members: make([]int32, 0, 64)}
	err := c.value(v.i, options.Omit)
	return c.out, err
}

// A canonicalizer works on nodes rather than on Values: that is a third faster.
type canonicalizer struct {
	CanonicalOptions
	doc     *Document
	text    []byte // of the document
	out     []byte
	members []int32 // nodes of the objects under way
}

func (c *canonicalizer) value(i int32, omit string) error {
	n := &c.doc.nodes[i]
	raw := c.text[n.start:n.end]
	switch raw[0] {
	case '{':
		return c.object(i, omit)
	case '[':
		c.out = append(c.out, '[')
		for element := i + 1; element < n.next; element = c.doc.nodes[element].next {
			if element > i+1 {
				c.out = append(c.out, ',')
			}
			if err := c.value(element, ""); err != nil {
				return err
			}
		}
		c.out = append(c.out, ']')
	case '"':
		c.string(raw)
	case 't', 'f', 'n':
		c.out = append(c.out, raw...)
	default:
		return c.number(i, raw)
	}
	return nil
}

// object writes the members in the order of their names (section 3.2.3).
func (c *canonicalizer) object(i int32, omit string) error {
	base := len(c.members)
	sorted := true
	for member := i + 1; member < c.doc.nodes[i].next; member = c.doc.nodes[member].next {
		if omit != "" && (Value{c.doc, member}).isNamed(omit) {
			continue
		}
		if sorted && len(c.members) > base {
			sorted = c.compareNames(c.members[len(c.members)-1], member) < 0
		}
		c.members = append(c.members, member)
	}
	end := len(c.members)
	if !sorted {
		slices.SortFunc(c.members[base:end], c.compareNames)
	}
	c.out = append(c.out, '{')
	for k := base; k < end; k++ {
		if k > base {
			c.out = append(c.out, ',')
		}
		if name := c.name(c.members[k]); c.doc.plainNames {
			c.out = append(c.out, name...)
		} else {
			c.string(name)
		}
		c.out = append(c.out, ':')
		if err := c.value(c.members[k], ""); err != nil {
			return err
		}
	}
	c.out = append(c.out, '}')
	c.members = c.members[:base]
	return nil
}

// name returns a member's quoted name.
func (c *canonicalizer) name(i int32) []byte {
	n := &c.doc.nodes[i]
	return c.text[n.nameStart:n.nameEnd]
}

// compareNames compares the names of two members by their UTF-16 code units.
func (c *canonicalizer) compareNames(a, b int32) int {
	x, y := c.name(a), c.name(b)
	if !c.doc.plainNames && (bytes.IndexByte(x, '\\') >= 0 || bytes.IndexByte(y, '\\') >= 0) {
		return compareUTF16(unquote(x), unquote(y))
	}
	// The quotes must not take part: some characters sort before them.
	return compareUTF16(x[1:len(x)-1], y[1:len(y)-1])
}

// compareUTF16 compares valid UTF-8 texts by their UTF-16 code units. That is
// the order of their bytes, but for characters beyond the basic plane, whose
// surrogates sort before U+E000 to U+FFFF.
func compareUTF16[T string | []byte](a, b T) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	const firstAboveSurrogates = 0xEE // the first byte of U+E000
	if a[i] < firstAboveSurrogates || b[i] < firstAboveSurrogates {
		return int(a[i]) - int(b[i])
	}
	// Both bytes begin a character: a continuation byte is less than that.
	ra, _ := utf8.DecodeRuneInString(string(a[i:min(len(a), i+utf8.UTFMax)]))
	rb, _ := utf8.DecodeRuneInString(string(b[i:min(len(b), i+utf8.UTFMax)]))
	return int(firstUnit(ra)) - int(firstUnit(rb))
}

// firstUnit returns the first UTF-16 code unit of r.
func firstUnit(r rune) rune {
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		return high
	}
	return r
}

// string writes a quoted string with the fewest escapes (section 3.2.2.2).
func (c *canonicalizer) string(quoted []byte) {
	if minimalEscapes(quoted) {
		c.out = append(c.out, quoted...)
		return
	}
	c.out, _ = jsontext.AppendQuote(c.out, unquote(quoted)) // Parse has checked it
}

// minimalEscapes reports whether every escape in a quoted string is the one
// that the canonical form has.
func minimalEscapes(quoted []byte) bool {
	for {
		i := bytes.IndexByte(quoted, '\\')
		if i < 0 {
			return true
		}
		switch quoted[i+1] {
		case '/', 'u': // what must stand as \u00xx is rare
			return false
		}
		quoted = quoted[i+2:]
	}
}
