package jsonstream

import (
	"bytes"
	"fmt"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// Bytes returns the text of the draft.
func (d *Draft) Bytes() []byte {
	text, _ := d.appendDocument(d.room(), math.MaxInt)
	return text
}

// Document returns the draft as a document. If it exceeds the limits, the error is a [*SyntaxError].
func (d *Draft) Document(limits Limits) (*Document, error) {
	text, err := d.appendDocument(d.room(), limits.maxDepth())
	if err != nil {
		return nil, &SyntaxError{Problem: fmt.Sprintf("nested more than %d levels deep", limits.maxDepth()), Err: err}
	}
	return Parse(Raw{Bytes: text, Start: start, Lines: d.base().IsLines()}, limits)
}

// appendDocument appends the text of a draft that is not part of another one.
func (d *Draft) appendDocument(dst []byte, depth int) ([]byte, error) {
	if d.base().IsLines() {
		return d.appendLines(dst, depth)
	}
	return d.append(dst, depth)
}

// room returns a buffer with the capacity for the text of a draft with few changes.
func (d *Draft) room() []byte {
	n := len(d.base().Raw())
	return make([]byte, 0, n+n/16+256)
}

// append appends the text of a draft, whose open parts may be nested up to depth. The root of a document
// keeps the white space around it.
func (d *Draft) append(dst []byte, depth int) ([]byte, error) {
	base := d.base()
	if base.IsLines() {
		return d.appendArray(dst, depth)
	}
	raw := base.Raw()
	var head, tail []byte
	if !base.Parent().Exists() {
		text, n := base.doc.raw.Bytes, base.node()
		head, tail = text[:n.start], text[n.end:]
	}
	dst = append(dst, head...)
	if d.now == nil || !d.now.open {
		return append(append(dst, raw...), tail...), nil
	}
	if depth == 0 {
		return nil, ErrTooDeep
	}
	inner := raw[1 : len(raw)-1]
	end := inner[len(bytes.TrimRight(inner, " \t\r\n")):] // the white space before the closing bracket
	dst = append(dst, raw[0])
	separate := false
	for m, child := range d.now.children {
		if separate {
			dst = append(dst, ',')
		}
		separate = true
		var after []byte
		v := child.was
		if v.doc == base.doc && v.node().parent == base.i && (m == nil || v.isNamed(m.name)) {
			var before []byte
			var last bool
			if before, after, last = v.surroundings(); last {
				end = nil
			}
			dst = append(dst, before...)
		} else if m != nil {
			dst = append(appendName(dst, m.name, v), ':')
		}
		var err error
		if dst, err = child.append(dst, depth-1); err != nil {
			return nil, err
		}
		dst = append(dst, after...)
	}
	dst = append(append(dst, end...), raw[len(raw)-1])
	return append(dst, tail...), nil
}

// appendName appends the name of a member. It keeps the spelling of v's own name if that is the same name.
func appendName(dst []byte, name string, v Value) []byte {
	if raw := v.RawName(); raw != nil && v.isNamed(name) {
		return append(dst, raw...)
	}
	dst, _ = jsontext.AppendQuote(dst, name) // invalid UTF-8 is replaced
	return dst
}

// surroundings returns the text before the value of a member or element, including its name, the white
// space after it, and whether it is the last one.
func (v Value) surroundings() (before, after []byte, last bool) {
	text, n := v.doc.raw.Bytes, v.node()
	from := n.start
	if n.nameEnd != 0 {
		from = n.nameStart
	}
	for isSpace(text[from-1]) {
		from--
	}
	next := skipSpace(text, int(n.end))
	return text[from:n.start], text[n.end:next], text[next] != ','
}
