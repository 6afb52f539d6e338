package jsonstream

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A Document is one strict JSON document and its place in the input. It is immutable and
// safe for concurrent use.
type Document struct {
	raw   Raw
	nodes []node // in text order; nodes[0] is the root
	// plainNames reports that no member's name has an escape.
	plainNames bool

	checkpointsOnce sync.Once
	checkpoints     []Position
}

// A node is a value in the text. The children of an object or array follow it.
type node struct {
	start, end uint32 // the value's bytes
	// The member's name, quotes included, or, where nameEnd is 0, the index in
	// the array.
	nameStart, nameEnd uint32
	parent             int32
	next               int32 // the node after this one and all its descendants
}

// Parse checks that raw is exactly one strict JSON document, or JSON Lines if raw.Lines is set: see
// [ParseLines]. The document keeps raw.Bytes, which must not change afterwards. The error is a
// [*SyntaxError].
func Parse(raw Raw, limits Limits) (*Document, error) {
	return new(Parser).Parse(raw, limits)
}

// A Parser parses documents one after another in the same memory, usually without an allocation. The zero
// Parser is ready to use. It is for one goroutine.
type Parser struct {
	doc    Document
	frames []frame
}

// maxKept is the number of nodes to keep for documents that need far fewer.
const maxKept = 1 << 16

// Parse is like the function [Parse], except that the document and its values are valid only until the next
// call. Its bytes and texts stay valid.
func (p *Parser) Parse(raw Raw, limits Limits) (*Document, error) {
	if bound := limits.boundOf(raw); int64(len(raw.Bytes)) > bound {
		return nil, tooLarge(raw.Start, bound)
	}
	if problem := notText(raw.Bytes); problem != "" && raw.First == 0 { // in a later block, the fault is in a line
		return nil, &SyntaxError{Position: raw.Start, Problem: problem}
	}
	d := &p.doc
	expected := 16 + len(raw.Bytes)/48
	if d.nodes == nil || cap(d.nodes) > maxKept && cap(d.nodes)/8 > expected { // sized for a huge document
		d.nodes = make([]node, 0, expected)
	}
	*d = Document{raw: raw, nodes: d.nodes[:0]}
	if raw.Lines {
		if err := p.lines(limits); err != nil {
			return nil, err
		}
		return d, nil
	}
	if p.scan(0, len(raw.Bytes), -1, limits.maxDepth()) {
		d.plainNames = true
		return d, nil
	}
	d.nodes = d.nodes[:0]
	if err := d.decode(raw, 0, -1, limits); err != nil {
		err.nameCause(raw)
		return nil, err
	}
	return d, nil
}

// decode reads a value with package jsontext into holder, -1 for the root. raw, which begins at an offset
// of the document, holds only this value.
func (d *Document) decode(raw Raw, offset int, holder int32, limits Limits) *SyntaxError {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw.Bytes))
	var nameStart, nameEnd uint32
	parent := holder
	for {
		kind := dec.PeekKind()
		switch kind {
		case '}', ']':
			if _, err := dec.ReadToken(); err != nil {
				return syntaxError(raw, err)
			}
			closed := &d.nodes[parent]
			closed.end = uint32(offset + int(dec.InputOffset()))
			closed.next = int32(len(d.nodes))
			parent = closed.parent
		case '{', '[':
			if _, err := dec.ReadToken(); err != nil {
				return syntaxError(raw, err)
			}
			d.append(offset+int(dec.InputOffset())-1, parent, nameStart, nameEnd)
			parent = int32(len(d.nodes) - 1)
			if dec.StackDepth() > limits.maxDepth() {
				return tooDeep(positionAt(raw, int(d.nodes[parent].start)-offset), limits)
			}
		default:
			// Names count as values of their object: after an even number of them, the next one is a name.
			within, length := dec.StackIndex(dec.StackDepth())
			text, err := dec.ReadValue()
			if err != nil {
				return syntaxError(raw, err)
			}
			end := uint32(offset + int(dec.InputOffset()))
			start := end - uint32(len(text))
			if within == '{' && length%2 == 0 {
				nameStart, nameEnd = start, end
				continue
			}
			n := d.append(int(start), parent, nameStart, nameEnd)
			n.end, n.next = end, int32(len(d.nodes))
		}
		nameStart, nameEnd = 0, 0
		if parent == holder {
			break
		}
	}
	end := int(dec.InputOffset())
	if rest := bytes.TrimLeft(raw.Bytes[end:], " \t\r\n"); len(rest) > 0 {
		at := len(raw.Bytes) - len(rest)
		return &SyntaxError{
			Position: positionAt(raw, at),
			Problem:  fmt.Sprintf("found %s after the end of the document: put each document on its own line", quoteAt(raw.Bytes, at)),
		}
	}
	return nil
}

// append adds the node of the value that begins at start, in parent.
func (d *Document) append(start int, parent int32, nameStart, nameEnd uint32) *node {
	if len(d.nodes) == cap(d.nodes) {
		d.grow(start)
	}
	d.nodes = d.nodes[:len(d.nodes)+1]
	n := &d.nodes[len(d.nodes)-1]
	*n = node{start: uint32(start), nameStart: nameStart, nameEnd: nameEnd, parent: parent}
	if parent >= 0 && nameEnd == 0 {
		// While an array is open, its next counts its elements.
		n.nameStart = uint32(d.nodes[parent].next)
		d.nodes[parent].next++
	}
	return n
}

// grow allocates the expected number of nodes for the rest of the text, estimated from the text up to
// offset. Growing step by step would hold several copies of the nodes of a large document.
func (d *Document) grow(offset int) {
	expected := float64(len(d.nodes)) * float64(len(d.raw.Bytes)) / float64(offset+1)
	room := min(int(expected), len(d.raw.Bytes)/2+1) // the shortest element is "1,"
	d.nodes = slices.Grow(d.nodes, max(room-len(d.nodes), len(d.nodes)/8, 1))
}

func tooDeep(at Position, limits Limits) *SyntaxError {
	return &SyntaxError{
		Position: at,
		Problem:  fmt.Sprintf("nested more than %d levels deep", limits.maxDepth()),
		Err:      ErrTooDeep,
	}
}

func tooLarge(at Position, bound int64) *SyntaxError {
	return &SyntaxError{
		Position: at,
		Problem:  fmt.Sprintf("longer than %d bytes", bound),
		Err:      ErrTooLarge,
	}
}

// notText describes bytes that cannot begin a JSON text, "" for others.
func notText(b []byte) string {
	switch {
	case len(bytes.TrimLeft(b, " \t\r\n")) == 0:
		return "empty: expected a JSON document"
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return "begins with a byte order mark: save the file as UTF-8 without one"
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return "begins with the byte order mark of UTF-16: save the file as UTF-8"
	case len(bytes.Trim(b, "\x00 \t\r\n")) == 0:
		return "only zero bytes, as a power failure leaves them: remove them"
	case isUTF16(b):
		return fmt.Sprintf("looks like UTF-16 without a byte order mark: found the bytes % x; save the file as UTF-8", b[:min(len(b), 4)])
	case bytes.IndexByte(b[:min(len(b), 512)], 0) >= 0:
		return "binary data: expected a JSON document"
	default:
		return ""
	}
}

// isUTF16 reports whether a text begins like ASCII characters in UTF-16.
func isUTF16(b []byte) bool {
	first, second := b[0], b[1%len(b)]
	return (first == 0) != (second == 0) && (len(b) < 4 || (b[2] == 0) == (first == 0) && (b[3] == 0) == (second == 0))
}

// Raw returns the document as it was read.
func (d *Document) Raw() Raw { return d.raw }

// Root returns the document's value.
func (d *Document) Root() Value { return Value{d, 0} }
