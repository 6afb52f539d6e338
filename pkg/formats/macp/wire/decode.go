package wire

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Transcript is one session of a stream.
type Transcript struct {
	Text    []byte  // the transcript in JSON, compact
	Offsets []int64 // of each message in the stream, in bytes
}

// An Error reports an invalid stream of envelopes. Its text is for people and does not
// include the place.
type Error struct {
	Envelope int    // 0-based position in the stream
	Offset   int64  // the start of the envelope, in bytes
	Problem  string // the problem, and its place in the envelope
	Err      error  // wraps io.ErrUnexpectedEOF or jsonstream.ErrTooLarge, if either
}

func (e *Error) Error() string { return e.Problem }

func (e *Error) Unwrap() error { return e.Err }

// Decode reads a stream to its end and returns a transcript for each session, in order of
// first appearance. An empty stream has none. limits.MaxBytes bounds each envelope and the
// whole output. The error is an *[Error], or an error of the reader.
func Decode(r io.Reader, limits jsonstream.Limits) ([]Transcript, error) {
	d := decoder{remaining: jsonstream.DefaultMaxBytes}
	if limits.MaxBytes > 0 {
		d.remaining = limits.MaxBytes
	}
	var sessions []*Transcript
	byID := map[string]*Transcript{}
	in := countingReader{Reader: bufio.NewReader(r)}
	var buffer bytes.Buffer
	for i := 0; ; i++ {
		offset := in.read
		err := d.next(&in, &buffer)
		if err == io.EOF {
			break
		}
		if err != nil && !errors.As(err, &problem{}) {
			return nil, err
		}
		var p parsedFields
		if err == nil {
			p, err = d.parse(envelope, buffer.Bytes())
		}
		if err == nil {
			id := string(p.last[sessionField].bytes)
			if byID[id] == nil {
				byID[id] = &Transcript{}
				sessions = append(sessions, byID[id])
			}
			err = d.add(byID[id], p, offset)
		}
		if err != nil {
			return nil, &Error{i, offset, err.Error(), err}
		}
	}
	transcripts := make([]Transcript, 0, len(sessions))
	for _, t := range sessions {
		t.Text = append(t.Text, "]}"...)
		transcripts = append(transcripts, *t)
	}
	return transcripts, nil
}

// A problem is a fault of an envelope, as opposed to a read error.
type problem struct {
	text string
	err  error // nil, or a sentinel
}

func (p problem) Error() string { return p.text }

func (p problem) Unwrap() error { return p.err }

var errTooLarge = problem{"the transcript is longer than a document may be", jsonstream.ErrTooLarge}

// countingReader counts the bytes that were read.
type countingReader struct {
	*bufio.Reader
	read int64
}

func (c *countingReader) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.read++
	}
	return b, err
}

type decoder struct {
	remaining int64 // bytes of JSON that may still be written
}

// next reads an envelope into buffer. The error is io.EOF at the end of the stream, a
// problem, or an error of the reader.
func (d *decoder) next(in *countingReader, buffer *bytes.Buffer) error {
	start := in.read
	length, err := binary.ReadUvarint(in)
	switch {
	case err == io.EOF && in.read == start:
		return io.EOF
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return problem{"the stream ends inside the length of an envelope: it was cut off", io.ErrUnexpectedEOF}
	case err != nil && in.read-start == binary.MaxVarintLen64:
		return problem{"the length of the envelope is longer than 64 bits: this is not a stream of length-delimited envelopes", nil}
	case err != nil:
		return err
	case length > uint64(d.remaining):
		return problem{fmt.Sprintf("the length of the envelope is %d bytes, which is above the limit: either it is too long, or this is not a stream of length-delimited envelopes", length), jsonstream.ErrTooLarge}
	}
	buffer.Reset()
	n, err := io.Copy(buffer, io.LimitReader(in.Reader, int64(length))) // grows with the bytes read, not with the stated length
	in.read += n
	if err == nil && n < int64(length) {
		return problem{fmt.Sprintf("the envelope ends after %d of %d bytes: the stream was cut off", n, length), io.ErrUnexpectedEOF}
	}
	return err
}

// add appends an envelope to a transcript, and starts the transcript if it is empty.
func (d *decoder) add(t *Transcript, p parsedFields, offset int64) error {
	before := len(t.Text)
	if before == 0 {
		t.Text = append(t.Text, `{"protocol_version":`...)
		t.Text = quoted(t.Text, p.last[versionField].bytes)
		t.Text = append(t.Text, `,"mode":`...)
		t.Text = quoted(t.Text, p.last[modeField].bytes)
		t.Text = append(t.Text, `,"session_id":`...)
		t.Text = quoted(t.Text, p.last[sessionField].bytes)
		t.Text = append(t.Text, `,"`+messages+`":[`...)
	} else {
		t.Text = append(t.Text, ',')
	}
	var err error
	if t.Text, err = d.object(t.Text, p); err != nil {
		return err
	}
	if d.remaining -= int64(len(t.Text) - before); d.remaining < 0 {
		return errTooLarge
	}
	t.Offsets = append(t.Offsets, offset)
	return nil
}

// quoted appends a JSON string. The text is valid UTF-8.
func quoted(dst, text []byte) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}

func base64Text(dst, data []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), data), '"')
}

// parsedFields holds the fields of a message.
type parsedFields struct {
	schema  schema
	data    []byte
	last    []value // of each field
	unknown []byte
}

// A value is the last occurrence of a field on the wire.
type value struct {
	there  bool
	number uint64
	bytes  []byte
}

// parse validates the bytes of a message and finds its fields.
func (d *decoder) parse(s schema, data []byte) (parsedFields, error) {
	p := parsedFields{schema: s, data: data, last: make([]value, len(s))}
	for at := 0; at < len(data); {
		number, t, n := protowire.ConsumeTag(data[at:])
		if n < 0 {
			return p, fmt.Errorf("byte %d is not the beginning of a protobuf field", at)
		}
		m := protowire.ConsumeFieldValue(number, t, data[at+n:])
		if m < 0 {
			return p, fmt.Errorf("byte %d: the value of field %d is damaged or cut off", at, number)
		}
		v := value{there: true}
		i := s.find(number, t)
		switch {
		case i < 0:
			p.unknown = append(p.unknown, data[at:at+n+m]...)
		case t == protowire.VarintType:
			v.number, _ = protowire.ConsumeVarint(data[at+n:])
			p.last[i] = v
		default:
			v.bytes, _ = protowire.ConsumeBytes(data[at+n:])
			if k := s[i].kind; (k == text || k == texts) && !utf8.Valid(v.bytes) {
				return p, fmt.Errorf("%s: is not valid UTF-8, which protobuf strings require", s[i].name)
			}
			p.last[i] = v
		}
		at += n + m
	}
	return p, nil
}

// each yields all values of a length-delimited field.
func (p parsedFields) each(number protowire.Number) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := p.data; len(rest) > 0; {
			found, t, n := protowire.ConsumeTag(rest)
			m := protowire.ConsumeFieldValue(found, t, rest[n:])
			if found == number && t == protowire.BytesType {
				if v, _ := protowire.ConsumeBytes(rest[n:]); !yield(v) {
					return
				}
			}
			rest = rest[n+m:]
		}
	}
}

// object appends a message as a JSON object.
func (d *decoder) object(dst []byte, p parsedFields) ([]byte, error) {
	dst = append(dst, '{')
	comma := func(name string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, name...)
		dst = append(dst, `":`...)
	}
	for i, f := range p.schema {
		if f.sparse && (!p.last[i].there || f.kind == integer && p.last[i].number == 0) {
			continue
		}
		comma(f.name)
		var err error
		if dst, err = d.field(dst, p, i); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if len(p.unknown) > 0 {
		comma(unknownFields)
		dst = base64Text(dst, p.unknown)
	}
	return append(dst, '}'), nil
}

// field appends the value of a field.
func (d *decoder) field(dst []byte, p parsedFields, i int) ([]byte, error) {
	f, v := p.schema[i], p.last[i]
	switch f.kind {
	case integer:
		return strconv.AppendInt(dst, int64(v.number), 10), nil
	case boolean:
		return strconv.AppendBool(dst, v.number != 0), nil
	case blob:
		return base64Text(dst, v.bytes), nil
	case blobs:
		return d.extensions(dst, p.each(f.number))
	case texts, several:
		return d.list(dst, f, p.each(f.number))
	case message:
		var merged []byte
		for part := range p.each(f.number) {
			merged = append(merged, part...)
		}
		return d.nested(dst, f.fields, merged)
	case body:
		return d.body(dst, string(p.last[typeField].bytes), v.bytes)
	default:
		return quoted(dst, v.bytes), nil
	}
}

func (d *decoder) nested(dst []byte, s schema, data []byte) ([]byte, error) {
	p, err := d.parse(s, data)
	if err != nil {
		return dst, err
	}
	return d.object(dst, p)
}

// body appends the payload of a message type.
func (d *decoder) body(dst []byte, messageType string, data []byte) ([]byte, error) {
	s, known := payloads[messageType]
	if !known {
		return d.object(dst, parsedFields{unknown: data})
	}
	start := len(dst)
	dst, err := d.nested(dst, s, data)
	if err == nil || errors.Is(err, jsonstream.ErrTooLarge) {
		return dst, err
	}
	// The other messages are valid, so the reader of the transcript reports the invalid
	// one.
	dst = append(dst[:start], `{"`+undecoded+`":`...)
	dst = append(base64Text(dst, data), `,"`+undecodedProblem+`":`...)
	return append(quoted(dst, fmt.Appendf(nil, "not a %s: %v", messageType, err)), '}'), nil
}

// list appends an array of strings or messages.
func (d *decoder) list(dst []byte, f field, elements iter.Seq[[]byte]) ([]byte, error) {
	start := len(dst)
	dst = append(dst, '[')
	for element := range elements {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		var err error
		if f.kind == texts {
			dst = quoted(dst, element)
		} else if dst, err = d.nested(dst, f.fields, element); err != nil {
			return dst, err
		}
		if int64(len(dst)-start) > d.remaining { // the names of an empty message are many times its size
			return dst, errTooLarge
		}
	}
	return append(dst, ']'), nil
}

// entry is an entry of a map of string to bytes.
var entry = schema{
	{number: 1, name: "key"},
	{number: 2, name: "value", kind: blob},
}

// extensions appends an object of base64 texts, in wire order. If a key is repeated, the
// last value wins.
func (d *decoder) extensions(dst []byte, entries iter.Seq[[]byte]) ([]byte, error) {
	latest := map[string][]byte{}
	var keys []string
	for data := range entries {
		p, err := d.parse(entry, data)
		if err != nil {
			return dst, err
		}
		if len(p.unknown) > 0 {
			return dst, errors.New("an entry has more than a key and a value, which JSON cannot represent: have its sender leave the rest out")
		}
		key := string(p.last[0].bytes)
		if _, again := latest[key]; !again {
			keys = append(keys, key)
		}
		latest[key] = p.last[1].bytes
	}
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quoted(dst, []byte(key)), ':')
		dst = base64Text(dst, latest[key])
	}
	return append(dst, '}'), nil
}
