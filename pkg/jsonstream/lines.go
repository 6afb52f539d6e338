package jsonstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ParseLines checks that raw is JSON Lines and returns one document: an array of the values of the lines
// that are not blank. It keeps the bytes of raw, so the root has no brackets and its elements no commas.
// Positions refer to the lines, and depth is counted within a line. The error is a [*SyntaxError]; for a
// last line that is cut off, it wraps a [*CutError].
func ParseLines(raw Raw, limits Limits) (*Document, error) {
	raw.Lines = true
	return Parse(raw, limits)
}

// A CutError reports JSON Lines whose last line is cut off, for example because the writer was killed. The
// lines before it are complete.
type CutError struct {
	// Start is the position of the line in the original text, and Offset its offset in the bytes of the
	// document. The bytes before it are readable.
	Start  Position
	Offset int
}

func (e *CutError) Error() string { return "the last line is cut off" }

// Unwrap returns [io.ErrUnexpectedEOF].
func (e *CutError) Unwrap() error { return io.ErrUnexpectedEOF }

// IsLines reports whether the document is JSON Lines: see [ParseLines].
func (d *Document) IsLines() bool { return d.raw.Lines }

// IsLines reports whether v is the root of a document that is JSON Lines: see [ParseLines].
func (v Value) IsLines() bool { return v.doc != nil && v.i == 0 && v.doc.raw.Lines }

// lines reads a document that is JSON Lines. The error is a [*SyntaxError].
func (p *Parser) lines(limits Limits) error {
	d := &p.doc
	d.plainNames = true
	text := d.raw.Bytes
	d.append(0, -1, 0, 0).next = int32(d.raw.First)
	for begin := 0; begin < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[begin:], '\n'); n >= 0 {
			end = begin + n
		}
		if from := skipSpace(text[:end], begin); from < end {
			if err := p.line(from, end, limits); err != nil {
				return err
			}
		}
		begin = end + 1
	}
	d.nodes[0].end, d.nodes[0].next = uint32(len(text)), int32(len(d.nodes))
	return nil
}

// line reads the element in a line.
func (p *Parser) line(begin, end int, limits Limits) error {
	d := &p.doc
	if int64(end-begin) > limits.maxBytes() {
		return tooLarge(d.positionAt(begin), limits.maxBytes())
	}
	nodes, index := len(d.nodes), d.nodes[0].next
	if p.scan(begin, end, 0, limits.maxDepth()) {
		return nil
	}
	d.nodes = d.nodes[:nodes]
	d.nodes[0].next = index
	d.plainNames = false
	raw := NewRaw(d.raw.Bytes[begin:end])
	e := d.decode(raw, begin, 0, limits)
	if e == nil {
		return nil
	}
	e.nameCause(raw)
	at := d.positionAt(begin)
	e.Pointer = fmt.Sprintf("/%d%s", index, e.Pointer)
	e.Line, e.Column, e.Offset = at.Line, at.Column+e.Column-1, at.Offset+e.Offset
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		if skipSpace(d.raw.Bytes, end) == len(d.raw.Bytes) && !d.raw.More {
			e.Problem = "the last line is cut off, as when a program is killed while it writes: remove that line"
			e.Err = &CutError{at, begin}
		} else {
			e.Problem = "the line ends in the middle of its value: each line of JSON Lines is one complete value; join it with its continuation, or remove it"
		}
	}
	return e
}
