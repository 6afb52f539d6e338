package jsonstream

import (
	"bytes"
	"fmt"
	"math"
)

// Bytes returns the text of the draft.
func (d *Draft) Bytes() []byte {
	text, _ := d.append(make([]byte, 0, len(d.base().Raw())), math.MaxInt)
	return text
}

// Document returns the draft as a document. If that is over the limits, the error
// is a [*SyntaxError].
func (d *Draft) Document(limits Limits) (*Document, error) {
	text, err := d.append(make([]byte, 0, len(d.base().Raw())), limits.maxDepth())
	if err != nil {
		return nil, &SyntaxError{Problem: fmt.Sprintf("nested more than %d levels deep", limits.maxDepth()), Err: err}
	}
	return Parse(NewRaw(text), limits)
}

// append appends the text of a draft whose open parts may be nested so deep. The root
// of a document stands in the white space around it.
func (d *Draft) append(dst []byte, depth int) ([]byte, error) {
	base := d.base()
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
		var s surroundings
		if child.was.Parent() == base {
			if s = child.was.surroundings(); s.last {
				end = nil
			}
		}
		dst = append(dst, s.before...)
		switch {
		case m != nil && s.colon != nil:
			dst = append(append(dst, m.text...), s.colon...)
		case m != nil:
			dst = append(append(dst, m.text...), ':')
		}
		var err error
		if dst, err = child.append(dst, depth-1); err != nil {
			return nil, err
		}
		dst = append(dst, s.after...)
	}
	dst = append(append(dst, end...), raw[len(raw)-1])
	return append(dst, tail...), nil
}

// surroundings are the bytes around a member or element in its text.
type surroundings struct {
	before, after []byte // white space
	colon         []byte // between its name and value, white space included; nil for elements
	last          bool   // no other one follows
}

func (v Value) surroundings() (s surroundings) {
	text, n := v.doc.raw.Bytes, v.node()
	start := n.start
	if n.nameEnd != 0 {
		start = n.nameStart
		s.colon = text[n.nameEnd:n.start]
	}
	from := start
	for isSpace(text[from-1]) {
		from--
	}
	s.before = text[from:start]
	next := skipSpace(text, int(n.end))
	s.after, s.last = text[n.end:next], text[next] != ','
	return s
}
