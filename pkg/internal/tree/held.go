package tree

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A heldText is a value whose JSON text is in a string, in base64 or after a label. The text is
// built only when written, since it may be as long as the message.
type heldText struct {
	value Node
	label string // "" for base64
}

// Encode returns a string with the value's JSON text in base64.
func (n Node) Encode() Node {
	return Node{body: &body{kind: jsonstream.String, holds: &heldText{value: n}, content: &childless}}
}

// Labelled returns a string with the value's JSON text after a label.
func (n Node) Labelled(label string) Node {
	return Node{body: &body{kind: jsonstream.String, holds: &heldText{n, label}, content: &childless}}
}

// write writes the characters of the string.
func (h *heldText) write(w textWriter) {
	if h.label != "" {
		w.WriteString(h.label)
		h.value.writePlain(w)
		return
	}
	e := base64.NewEncoder(base64.StdEncoding, w)
	b := bufio.NewWriter(e)
	h.value.writePlain(b)
	b.Flush()
	e.Close()
}

// writeQuoted writes the characters as encoded between quotes.
func (h *heldText) writeQuoted(w textWriter) {
	if h.label != "" {
		w = quotedWriter{w}
	}
	h.write(w)
}

func (h *heldText) str() string {
	var b strings.Builder
	b.Grow(h.size())
	h.write(&b)
	return b.String()
}

// size returns the maximum length of the encoded string between quotes.
func (h *heldText) size() int {
	size := h.value.size()
	if h.label != "" {
		return quotedSize(h.label) + 2*size // see quoting
	}
	return base64.StdEncoding.EncodedLen(size)
}

// is reports whether a string has the same characters.
func (h *heldText) is(other Node) bool {
	if other.isMade() && other.body.holds != nil && other.body.holds.label == h.label {
		return Same(h.value, other.body.holds.value)
	}
	rest := comparer(other.chars())
	h.write(&rest)
	return rest != nil && len(rest) == 0
}

// A comparer is the remaining expected text. It is nil after a mismatch.
type comparer []byte

func (c *comparer) Write(b []byte) (int, error) {
	if rest, ok := bytes.CutPrefix(*c, b); ok {
		*c = rest
	} else {
		*c = nil
	}
	return len(b), nil
}

func (c *comparer) WriteString(s string) (int, error) {
	if len(s) <= len(*c) && string((*c)[:len(s)]) == s {
		*c = (*c)[len(s):]
	} else {
		*c = nil
	}
	return len(s), nil
}

// quotedWriter encodes parts of a text for a place between quotes.
type quotedWriter struct{ to textWriter }

func (q quotedWriter) Write(b []byte) (int, error) {
	if quotedSize(b) == len(b) {
		return q.to.Write(b)
	}
	return q.WriteString(string(b))
}

func (q quotedWriter) WriteString(s string) (int, error) {
	if quotedSize(s) == len(s) {
		return q.to.WriteString(s)
	}
	quoted, _ := jsontext.AppendQuote(nil, s)
	return q.to.Write(quoted[1 : len(quoted)-1])
}

// Decode returns the value whose JSON text the string holds in base64, and whether there is one.
func (n Node) Decode() (Node, bool) {
	return n.held("", func() (Node, bool) {
		b, err := base64.StdEncoding.DecodeString(n.Text())
		if err != nil {
			return None, false
		}
		return Parse(b)
	})
}

// Unlabelled returns the value whose JSON text follows a label in the string, and whether there is
// one. It is the inverse of [Node.Labelled].
func (n Node) Unlabelled(label string) (Node, bool) {
	return n.held(label, func() (Node, bool) {
		content, ok := bytes.CutPrefix(n.chars(), []byte(label))
		if !ok {
			return None, false
		}
		return Parse(content)
	})
}

// held returns the value that a string was built from, or the one that read parses.
func (n Node) held(label string, read func() (Node, bool)) (Node, bool) {
	switch {
	case !IsString(n):
		return None, false
	case n.isMade() && n.body.holds != nil && n.body.holds.label == label:
		return n.body.holds.value, true
	case n.isMade() || len(n.v().Raw()) < largeValue:
		return read()
	}
	value, ok := n.body.doc.decoded[n.i]
	if !ok {
		value, _ = read()
		n.body.doc.decoded[n.i] = value
	}
	return value, value != None
}
