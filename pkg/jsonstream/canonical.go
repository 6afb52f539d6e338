package jsonstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	// ErrNumberRange reports a number beyond the range of a double. It has no canonical form (RFC 8785,
	// section 3.2.2.3).
	ErrNumberRange = errors.New("number beyond the range of a double")
	// ErrInexact reports a number whose canonical form has another value.
	ErrInexact = errors.New("number that a double cannot represent exactly")
	// ErrUnsafe reports a number that [SafeNumber] rejects.
	ErrUnsafe = errors.New("number beyond the bounds of arithmetic")
)

// A NumberError reports a number that cannot be canonicalised or computed with. Its text is for people and
// omits the position.
type NumberError struct {
	Position         // of the number
	Pointer   string // JSON Pointer to it
	Text      string // as written, cut if it is long
	Canonical string // for ErrInexact: the canonical form (RFC 8785)
	Err       error  // ErrNumberRange, ErrInexact or ErrUnsafe
}

func (e *NumberError) Error() string {
	switch e.Err {
	case ErrUnsafe:
		return fmt.Sprintf("a number of more than %d digits or with an exponent beyond ±%d: found %s; write one within these bounds", MaxDigits, MaxExponent, e.Text)
	case ErrNumberRange:
		return fmt.Sprintf("%s is beyond the range of a double (1.8e308): write a smaller number, or a string", e.Text)
	}
	return fmt.Sprintf("%s becomes %s in canonical form, which has another value: write %[2]s, or %[1]s as a string", e.Text, e.Canonical)
}

func (e *NumberError) Unwrap() error { return e.Err }

// CanonicalOptions are options of canonicalisation. The zero value is RFC 8785.
type CanonicalOptions struct {
	// Exact rejects a number whose canonical form has another decimal value. In RFC 8785 every number is a
	// double, so numbers with different values can have the same canonical form.
	Exact bool
	// Omit names a member of the value itself, not of nested values, to leave out; "" leaves out nothing.
	Omit string
}

// AppendCanonical appends the canonical form (RFC 8785) of v. The error is a
// [*NumberError].
func AppendCanonical(dst []byte, v Value, options CanonicalOptions) ([]byte, error) {
	c := canonicalizers.Get().(*canonicalizer)
	defer c.release()
	c.out = dst
	err := c.canonicalize(v, options)
	return c.out, err
}

// WriteCanonical writes the canonical form (RFC 8785) of v to w in pieces, so that a long one is never in
// memory as a whole. The error is that of w or a [*NumberError], after which the text written so far is
// useless.
func WriteCanonical(w io.Writer, v Value, options CanonicalOptions) error {
	c := canonicalizers.Get().(*canonicalizer)
	defer c.release()
	c.out, c.w = c.piece[:0], w
	err := c.canonicalize(v, options)
	if err == nil {
		c.write(c.out)
		err = c.writeErr
	}
	c.piece = c.out
	return err
}

// A canonicalizer works on nodes rather than on Values, which is a third faster. It copies few, long runs
// of the document's text: a text that is already canonical is a single run.
type canonicalizer struct {
	CanonicalOptions
	doc     *Document
	text    []byte  // of the document
	members []int32 // the nodes of the members of the objects being written
	// plain reports that no string or name in the value has an escape; plainNames, that no name has one.
	plain, plainNames bool

	// The output so far is out, followed by the run text[from:to].
	from, to uint32
	out      []byte

	w        io.Writer // takes the output before out; nil if out holds all output
	writeErr error
	piece    []byte // memory for out if w is set
}

// pieceSize is the number of bytes gathered for each write. Most messages fit in one piece, which is still
// in the processor's cache when w reads it.
const pieceSize = 16 << 10

var canonicalizers = sync.Pool{New: func() any { return new(canonicalizer) }}

// release returns the canonicalizer to the pool. It keeps its memory unless a large document made that
// large.
func (c *canonicalizer) release() {
	kept := canonicalizer{members: c.members[:0], piece: c.piece}
	if cap(kept.members) > 1024 {
		kept.members = nil
	}
	if cap(kept.piece) > 4*pieceSize {
		kept.piece = nil
	}
	*c = kept
	canonicalizers.Put(c)
}

func (c *canonicalizer) canonicalize(v Value, options CanonicalOptions) error {
	n := v.node()
	c.CanonicalOptions, c.doc, c.text = options, v.doc, v.doc.raw.Bytes
	c.plain = bytes.IndexByte(c.text[n.start:n.end], '\\') < 0
	c.plainNames = c.plain || v.doc.plainNames
	if v.IsLines() {
		return c.lines(v)
	}
	err := c.value(v.i, options.Omit)
	c.flush()
	return err
}

// lines writes JSON Lines as an array.
func (c *canonicalizer) lines(root Value) error {
	c.out = append(c.out, '[')
	for element := range root.children {
		if element.Index() > 0 {
			c.byte(',')
		}
		if err := c.value(element.i, ""); err != nil {
			return err
		}
	}
	c.flush()
	c.out = append(c.out, ']')
	return nil
}

func (c *canonicalizer) value(i int32, omit string) error {
	n := &c.doc.nodes[i]
	switch c.text[n.start] {
	case '{':
		return c.object(i, omit)
	case '[':
		c.copy(n.start, n.start+1)
		for element := i + 1; element < n.next; element = c.doc.nodes[element].next {
			if element > i+1 {
				c.byte(',')
			}
			if err := c.value(element, ""); err != nil {
				return err
			}
		}
		c.copy(n.end-1, n.end)
	case '"':
		c.string(n.start, n.end, c.plain)
	case 't', 'f', 'n':
		c.copy(n.start, n.end)
	default:
		return c.number(i)
	}
	return nil
}

// object writes the members in the order of their names (section 3.2.3).
func (c *canonicalizer) object(i int32, omit string) error {
	n := &c.doc.nodes[i]
	base := len(c.members)
	sorted := true
	for k := i + 1; k < n.next; k = c.doc.nodes[k].next {
		if omit != "" && (Value{c.doc, k}).isNamed(omit) {
			continue
		}
		if sorted && len(c.members) > base {
			sorted = c.compareMembers(c.members[len(c.members)-1], k) < 0
		}
		c.members = append(c.members, k)
	}
	end := len(c.members)
	if !sorted {
		slices.SortFunc(c.members[base:end], c.compareMembers)
	}
	c.copy(n.start, n.start+1)
	for k := base; k < end; k++ {
		if k > base {
			c.byte(',')
		}
		i := c.members[k]
		if m := &c.doc.nodes[i]; c.plainNames && m.start == m.nameEnd+1 {
			c.copy(m.nameStart, m.start) // with the colon
		} else {
			c.string(m.nameStart, m.nameEnd, c.plainNames)
			c.byte(':')
		}
		if err := c.value(i, ""); err != nil {
			return err
		}
	}
	c.copy(n.end-1, n.end)
	c.members = c.members[:base]
	return nil
}

// string writes a quoted string with the fewest escapes (section 3.2.2.2). A plain string has none.
func (c *canonicalizer) string(start, end uint32, plain bool) {
	quoted := c.text[start:end]
	if plain || minimalEscapes(quoted) {
		c.copy(start, end)
		return
	}
	c.flush()
	c.out, _ = jsontext.AppendQuote(c.out, unquote(quoted)) // Parse has checked it
}

// minimalEscapes reports whether every escape in a quoted string is in its canonical form.
func minimalEscapes(quoted []byte) bool {
	for {
		i := bytes.IndexByte(quoted, '\\')
		if i < 0 {
			return true
		}
		switch quoted[i+1] {
		case '/', 'u': // characters that need \u00xx are rare
			return false
		}
		quoted = quoted[i+2:]
	}
}

// copy adds text[start:end].
func (c *canonicalizer) copy(start, end uint32) {
	if start != c.to {
		c.flush()
		c.from = start
	}
	c.to = end
}

// byte adds a comma or a colon. If it comes next in the document, it extends the run.
func (c *canonicalizer) byte(b byte) {
	if c.text[c.to] == b { // at least a closing bracket follows
		c.to++
		return
	}
	c.flush()
	c.out = append(c.out, b)
}

// flush moves the run to out.
func (c *canonicalizer) flush() {
	run := c.text[c.from:c.to]
	c.from = c.to
	if c.w != nil && len(c.out)+len(run) > pieceSize {
		c.write(c.out)
		c.out = c.out[:0]
		if len(run) > pieceSize {
			c.write(run)
			return
		}
	}
	c.out = append(c.out, run...)
}

func (c *canonicalizer) write(text []byte) {
	if c.writeErr == nil {
		_, c.writeErr = c.w.Write(text)
	}
}
