package jsonstream

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/internal/misread"
)

// Raw is one unchecked document of a stream.
type Raw struct {
	Bytes []byte   // the document, possibly with white space around it
	Start Position // of Bytes[0] in the stream
	Lines bool     // the document is JSON Lines: an array of the lines' values. See [ParseLines].
	// For a block of longer JSON Lines (see [Blocks]), First is the index of the first value, and More
	// reports whether further values follow.
	First int
	More  bool
}

// start is the position at the beginning of a text.
var start = Position{Line: 1, Column: 1}

// NewRaw returns a document that does not come from a stream. Its positions count from its own beginning.
func NewRaw(text []byte) Raw { return Raw{Bytes: text, Start: start} }

// With returns a document with another text and the same form. Its positions count from its own beginning.
func (r Raw) With(text []byte) Raw { return Raw{Bytes: text, Start: start, Lines: r.Lines} }

// PositionAt returns the position in the stream of the byte at an offset of Bytes.
func (r Raw) PositionAt(offset int) Position { return positionAt(r, offset) }

// A Splitter cuts a stream into documents: one document, JSON Lines or concatenated documents, recognised
// by their layout. It only finds the ends of documents; [Parse] checks them.
//
// After a damaged document, the next one begins at the next line that begins with '{' or '['. Prose around
// documents, or a Markdown fence, is one damaged document, at its beginning.
type Splitter struct {
	r      io.Reader
	limits Limits
	err    error // of r, once it has failed or ended
	left   int64 // bytes left in r, negative if unknown

	slab []byte   // bytes read; documents refer to it, so it is never written twice
	pos  int      // of the next document in slab
	at   Position // of slab[pos]

	// lines is set once a document ends at a line end: from then on whole lines are tried first, which
	// costs a fraction of a scan.
	lines bool
	begun bool
	// wrapped is set if the stream begins with text that people and models write around JSON. The rest of
	// that text at the end of the stream has the same cause and is not a document of its own.
	wrapped bool

	takesLines func(first []byte) bool // see TakeLines
	leaves     int64                   // see LeaveLines
}

const (
	firstSlab = 16 << 10
	maxSlab   = 256 << 10 // small enough that the bytes are still in the processor's cache when they are split

	// longDocument is the minimum length of a document, in bytes, for allocating memory for the rest of the
	// stream at once.
	longDocument = 1 << 20
)

// NewSplitter returns a Splitter that reads r. It reads ahead, but waits for input only until the next
// document is complete.
func NewSplitter(r io.Reader, limits Limits) *Splitter {
	return &Splitter{r: r, limits: limits, left: -1, at: start}
}

// Expect sets the expected length of the stream, so that memory for a long document is allocated once. Call
// it before Next. The actual length may differ.
func (s *Splitter) Expect(bytes int64) { s.left = bytes }

// TakeLines sets a function that decides whether a stream of JSON Lines is a single document. Call it
// before Next. The function gets the first document of the stream, if that is on one line. If it returns
// true, Next returns the whole stream as one document at the end of the stream.
func (s *Splitter) TakeLines(of func(first []byte) bool) { s.takesLines = of }

// Next returns the next document, whose bytes belong to the caller. At the end of the stream the error is
// [io.EOF]. An error of the reader is returned unchanged, after all documents completed before it. A
// document over Limits.MaxBytes is skipped: the error is a [*SyntaxError], the Raw holds only its position,
// and Next continues with the document after it.
func (s *Splitter) Next() (Raw, error) {
	if err := s.skipSpace(); err != nil {
		return Raw{}, err
	}
	if raw, ok := s.line(); ok {
		return raw, nil
	}
	return s.scan()
}

// maxSpace is the maximum length of white space that [Splitter.Space] returns, in bytes.
const maxSpace = 64 << 10

// Space returns the white space before the next document or the end of the stream, for callers that copy
// the stream. It waits for input as Next does. It returns false if the white space is longer than 64 KiB.
// The next call to Next returns an error of the reader.
func (s *Splitter) Space() (space []byte, ok bool) {
	for ok = true; ; {
		n := skipSpace(s.slab, s.pos) - s.pos
		if ok = ok && len(space)+n <= maxSpace; ok {
			space = append(space, s.slab[s.pos:s.pos+n]...)
		}
		s.consume(n)
		if s.pos < len(s.slab) || s.err != nil {
			return space, ok
		}
		s.fill(s.limits.maxBytes())
	}
}

// Ready reports whether a document, or a line that is not empty, has been read completely, so that the next
// call to Next need not wait, unless the document continues after that line.
func (s *Splitter) Ready() bool {
	rest := s.slab[skipSpace(s.slab, s.pos):]
	line := rest
	if !s.lines { // one line may have many documents
		line = rest[:min(len(rest), 4<<10)]
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		return true
	}
	var c scanner
	n, done := c.scan(rest)
	return done && !isTag(rest[:n])
}

// isTag reports whether a document is the beginning of a line that is not JSON: a date, or a word in
// brackets.
func isTag(document []byte) bool {
	const longest = 64
	return len(document) <= longest && document[0] != '{' && document[0] != '"' && !jsontext.Value(document).IsValid()
}

// skipSpace moves to the first byte of the next document.
func (s *Splitter) skipSpace() error {
	for {
		s.consume(skipSpace(s.slab, s.pos) - s.pos)
		if s.pos < len(s.slab) {
			return nil
		}
		if s.err != nil {
			return s.err
		}
		s.fill(s.limits.maxBytes())
	}
}

func (s *Splitter) consume(n int) {
	s.at = s.at.advance(s.slab[s.pos : s.pos+n])
	s.pos += n
}

// take returns the next n bytes as a document.
func (s *Splitter) take(n int) Raw {
	raw := Raw{Bytes: s.slab[s.pos : s.pos+n : s.pos+n], Start: s.at}
	s.consume(n)
	s.begun = true
	return raw
}

// line returns the rest of the line if it is exactly one object or array. In a well-formed stream, this is
// so if it begins and ends with a bracket, no document can end within it, and the text after it does not
// continue the value: only a comma or a closing bracket can.
func (s *Splitter) line() (Raw, bool) {
	if !s.lines {
		return Raw{}, false
	}
	rest := s.slab[s.pos:]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 || rest[0] != '{' && rest[0] != '[' {
		return Raw{}, false
	}
	text := rest[:end]
	for isSpace(text[len(text)-1]) { // ends at the latest at the opening bracket
		text = text[:len(text)-1]
	}
	if last := text[len(text)-1]; last != '}' && last != ']' {
		return Raw{}, false
	}
	if !oneDocument(text) {
		return Raw{}, false
	}
	following := skipSpace(rest, end)
	if following == len(rest) {
		return Raw{}, false
	}
	switch rest[following] {
	case ',', ']', '}', ':':
		return Raw{}, false
	}
	if int64(len(text)) > s.limits.maxBytes() {
		return Raw{}, false
	}
	raw := Raw{Bytes: text[:len(text):len(text)], Start: s.at}
	s.pos += end + 1
	s.at = Position{Line: s.at.Line + 1, Column: 1, Offset: s.at.Offset + int64(end+1)}
	return raw, true
}

// oneDocument reports whether a document in text can end only at the end of text: every closing bracket but
// the last precedes a token that continues a document. Brackets in strings may make it false for one
// document.
func oneDocument(text []byte) bool {
	for _, closing := range [...]byte{'}', ']'} {
		for from := 0; ; {
			i := bytes.IndexByte(text[from:], closing)
			if i < 0 {
				break
			}
			from += i + 1
			next := skipSpace(text, from)
			if next < len(text) && text[next] != ',' && text[next] != '}' && text[next] != ']' {
				return false
			}
		}
	}
	return true
}

// scan returns the next document by scanning its tokens.
func (s *Splitter) scan() (Raw, error) {
	var c scanner
	limit := s.limits.maxBytes()
	scanned := 0        // bytes of the document that c has seen
	skipped := int64(0) // bytes of a document over the limit that were dropped
	begin := s.at
	done := false
	for {
		var n int
		n, done = c.scan(s.slab[s.pos+scanned:])
		scanned += n
		if done && !c.damaged && skipped == 0 && isTag(s.slab[s.pos:s.pos+scanned]) {
			c.damaged, done = true, false
			continue
		}
		if skipped+int64(scanned) > limit {
			skipped += int64(scanned)
			s.consume(scanned)
			scanned = 0
		}
		if done || s.err != nil {
			break
		}
		s.fill(limit)
	}
	if s.err != nil && !errors.Is(s.err, io.EOF) && !done {
		s.consume(scanned)
		return Raw{}, s.err
	}
	if done && c.depth > 0 && !c.damaged && skipped == 0 {
		scanned = cutLine(s.slab[s.pos : s.pos+scanned])
	}
	if skipped > 0 {
		s.consume(scanned)
		s.begun = true
		return Raw{Start: begin}, tooLarge(begin, s.limits.maxBytes())
	}
	if c.damaged && s.wrapped && !done && misread.IsAround(s.slab[s.pos:s.pos+scanned]) {
		s.consume(scanned)
		return Raw{}, s.err
	}
	if !s.begun {
		s.lines = !c.damaged && s.endsLine(scanned)
		first := s.slab[s.pos : s.pos+scanned]
		s.wrapped = c.damaged && done && misread.IsAround(first)
		if s.takesLines != nil && !c.damaged && bytes.IndexByte(first, '\n') < 0 && s.takesLines(first) {
			return s.rest()
		}
	}
	return s.take(scanned), nil
}

// cutLine returns the length of an incomplete document that ends before a line with another. If it has two lines,
// and the second is a whole document too, only the first was cut off: after a comma or a colon, for example, the
// second looked like its value. A bracket alone on the first line is indentation.
func cutLine(text []byte) int {
	first := bytes.IndexByte(text, '\n') + 1
	second := bytes.TrimRight(text[first:], " \t\r\n")
	if len(bytes.TrimSpace(text[:first])) < 2 || len(second) == 0 || second[0] != '{' && second[0] != '[' {
		return len(text)
	}
	var c scanner
	if n, done := c.scan(second); !done || n < len(second) || bytes.IndexByte(second, '\n') >= 0 {
		return len(text)
	}
	return first
}

// LeaveLines sets a length above which [Splitter.Next] does not read JSON Lines to their end, if the length
// of the stream is known (see [Splitter.Expect]) and they are within the limits. Next then returns a last
// document without Bytes, and the caller can read the stream again from its Start. Call it before Next.
func (s *Splitter) LeaveLines(longer int64) { s.leaves = longer }

// rest returns the rest of the stream as JSON Lines.
func (s *Splitter) rest() (Raw, error) {
	begin, limit := s.at, s.limits.maxLinesBytes()
	if length := int64(len(s.slab)-s.pos) + s.left; s.leaves > 0 && s.left > 0 && s.leaves < length && length <= limit {
		s.begun, s.err, s.pos = true, io.EOF, len(s.slab)
		return Raw{Start: begin, Lines: true}, nil
	}
	long := false
	for s.err == nil {
		s.fill(limit)
		if long = long || int64(len(s.slab)-s.pos) > limit; long {
			s.slab, s.pos = s.slab[:0], 0 // the rest is only read to its end
		}
	}
	s.begun = true
	text := s.slab[s.pos:len(s.slab):len(s.slab)]
	s.pos = len(s.slab)
	switch {
	case !errors.Is(s.err, io.EOF):
		return Raw{}, s.err
	case long:
		return Raw{Start: begin}, tooLarge(begin, limit)
	}
	return Raw{Bytes: text, Start: begin, Lines: true}, nil
}

// endsLine reports whether only white space is between the document's end and the end of its line, in the
// bytes read so far.
func (s *Splitter) endsLine(n int) bool {
	rest := bytes.TrimLeft(s.slab[s.pos+n:], " \t\r")
	return len(rest) == 0 || rest[0] == '\n'
}

// fill reads more input, into a new slab if the old one is full: documents already returned keep theirs.
// limit is the maximum length of a document.
func (s *Splitter) fill(limit int64) {
	if len(s.slab) == cap(s.slab) {
		rest := s.slab[s.pos:]
		size := max(firstSlab, min(2*cap(s.slab), maxSlab), 2*len(rest))
		if whole := int64(len(rest)) + s.left; s.left > 0 && len(rest) >= longDocument && whole <= limit {
			size = int(whole) + 1 // one more byte for the read that returns io.EOF
		}
		s.slab = append(make([]byte, 0, size), rest...)
		s.pos = 0
	}
	n, err := s.r.Read(s.slab[len(s.slab):cap(s.slab)])
	s.slab = s.slab[:len(s.slab)+n]
	s.left -= int64(n)
	s.err = err
}

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r') }

// A scanner finds the end of one document, read in pieces.
type scanner struct {
	depth    int
	begun    bool
	scalar   []byte // the beginning of a number, true, false or null
	inString bool
	escaped  bool
	damaged  bool // cannot be JSON: ends before the next line that looks like a document
	prev     byte // the last byte outside strings and spaces, '"' for a string
	newline  bool // the last byte was a line feed
}

// scan scans more bytes. It returns the number of bytes that belong to the document, and whether it ends
// there.
func (c *scanner) scan(b []byte) (n int, done bool) {
	for i := 0; i < len(b); i++ {
		ch := b[i]
		lineStart := c.newline
		c.newline = ch == '\n'
		switch {
		case c.damaged:
			if lineStart && (ch == '{' || ch == '[') {
				return i, true
			}
		case c.inString:
			if !c.escaped {
				if i = quoteOrLine(b, i); i == len(b) {
					return i, false
				}
				ch = b[i]
				c.newline = ch == '\n'
			}
			switch {
			case c.escaped:
				c.escaped = false
			case ch == '\\':
				c.escaped = true
			case ch == '"':
				c.inString = false
				c.prev = '"'
				if c.depth == 0 {
					return i + 1, true
				}
			case ch == '\n':
				c.damaged = true
			}
		case c.scalar != nil:
			if isScalar(ch) {
				if len(c.scalar) < len("false") {
					c.scalar = append(c.scalar, ch)
				}
				continue
			}
			if c.damaged = !likeScalar(c.scalar); c.damaged {
				continue
			}
			return i, true
		case isSpace(ch):
		case ch == 0: // UTF-16
			c.damaged = true
		case ch == '"':
			c.inString = true
			c.begun = true
		case ch == '{' || ch == '[':
			if c.depth > 0 && lineStart && bytes.IndexByte([]byte(",:[{"), c.prev) < 0 {
				return i, true
			}
			c.depth++
			c.begun = true
			c.prev = ch
		case ch == '}' || ch == ']':
			c.depth--
			c.prev = ch
			if c.depth == 0 {
				return i + 1, true
			}
			c.damaged = c.depth < 0
		case c.begun:
			c.prev = ch
		case isScalar(ch):
			c.begun, c.scalar = true, []byte{ch}
		default:
			c.damaged = true
		}
	}
	return len(b), false
}

// quoteOrLine returns the index of the next quote, backslash or control character, such as a line feed.
func quoteOrLine(b []byte, i int) int {
	for {
		if i = plainRun(b, i); i == len(b) || b[i] < utf8.RuneSelf {
			return i
		}
		i++
	}
}

// likeScalar reports whether a word begins a value, rather than prose.
func likeScalar(word []byte) bool {
	switch string(word) {
	case "true", "false", "null":
		return true
	}
	return word[0] == '-' || word[0] >= '0' && word[0] <= '9'
}

// isScalar reports whether c can be part of a number, true, false or null.
func isScalar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'E'
}
