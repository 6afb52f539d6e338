package message

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// SchemaVersion is the version of the messages that this package writes.
const SchemaVersion = "2.0"

// A Message is one handoff message and the bytes it was read from. It is
// immutable and safe for concurrent use.
type Message struct {
	doc *jsonstream.Document
}

// Options say how messages are read. The zero value is for messages of usual size.
type Options struct {
	// Limits bound what one message may cost.
	Limits jsonstream.Limits
}

// Parse reads a message from a copy of text, which must be one strict JSON document. It
// does not ask whether the message is valid. The error is a [*jsonstream.SyntaxError].
func Parse(text []byte, o Options) (*Message, error) {
	return ParseInPlace(jsonstream.NewRaw(bytes.Clone(text)), o)
}

// ParseInPlace is [Parse] without the copy, for a text that never changes afterwards:
// the message, and every string read from it, is made of its bytes. Positions are
// counted from where raw begins.
func ParseInPlace(raw jsonstream.Raw, o Options) (*Message, error) {
	doc, err := jsonstream.Parse(raw, o.Limits)
	if err != nil {
		return nil, err
	}
	return &Message{doc}, nil
}

// Of returns the message that a document holds.
func Of(doc *jsonstream.Document) *Message { return &Message{doc} }

// A Parser reads one message after another in the same memory. The zero Parser is
// ready. It is for one goroutine.
type Parser struct {
	parser  jsonstream.Parser
	message Message
}

// Parse is the function [ParseInPlace], but that the message is good until the next
// call: see [jsonstream.Parser].
func (p *Parser) Parse(raw jsonstream.Raw, o Options) (*Message, error) {
	doc, err := p.parser.Parse(raw, o.Limits)
	if err != nil {
		return nil, err
	}
	p.message = Message{doc}
	return &p.message, nil
}

// New returns the message with these fields, as compact JSON in the member
// order of section 5.2. If a field has no JSON, the error wraps a [*FieldError].
func New(f *Fields) (*Message, error) {
	text, err := marshal(*f)
	if err != nil {
		return nil, fmt.Errorf("encoding the message: %w", err)
	}
	return parseText(text)
}

// parseText reads a message that did not come from a stream.
func parseText(text []byte) (*Message, error) {
	return ParseInPlace(jsonstream.NewRaw(text), Options{Limits: jsonstream.Unlimited()})
}

// Raw returns the message as it was read, which the caller must not change.
func (m *Message) Raw() []byte { return m.doc.Raw().Bytes }

// Document returns the message as a JSON document, which knows the position of
// every member.
func (m *Message) Document() *jsonstream.Document { return m.doc }

// Root returns the message's value.
func (m *Message) Root() jsonstream.Value { return m.doc.Root() }

// HandoffID returns the member handoffId, "" if it is absent or not a string.
func (m *Message) HandoffID() string { return m.Root().Get("handoffId").Text() }

// Fields returns the message as Go values, which are copies. If a member has another
// type than section 5.2 gives it, the error wraps a [*FieldError]; a message that passes
// the schema never fails.
func (m *Message) Fields() (*Fields, error) {
	var f Fields
	if err := (codec{}).decode(m.Root(), reflect.ValueOf(&f).Elem()); err != nil {
		return nil, fmt.Errorf("decoding the message: %w", err)
	}
	return &f, nil
}

// Set returns the message with the value at a JSON Pointer replaced, or added
// as the last member of its object or element of its array; value is a JSON
// text. See [jsonstream.Set].
func (m *Message) Set(pointer string, value []byte) (*Message, error) {
	text, err := jsonstream.Set(m.doc, pointer, value)
	if err != nil {
		return nil, err
	}
	return parseText(text)
}

// Remove returns the message without the member or element at a JSON Pointer.
// See [jsonstream.Remove].
func (m *Message) Remove(pointer string) (*Message, error) {
	text, err := jsonstream.Remove(m.doc, pointer)
	if err != nil {
		return nil, err
	}
	return parseText(text)
}

// A Decoder reads the messages of a stream: one message, JSON Lines or
// concatenated messages.
type Decoder struct {
	splitter *jsonstream.Splitter
	options  Options
	err      error
}

// NewDecoder returns a Decoder that reads r.
func NewDecoder(r io.Reader, o Options) *Decoder {
	return &Decoder{splitter: jsonstream.NewSplitter(r, o.Limits), options: o}
}

// Decode returns the next message, which owns its bytes. At the end of the
// stream the error is [io.EOF]. A damaged message gives a
// [*jsonstream.SyntaxError], after which Decode goes on with the next
// message; any other error is final, and Decode returns it again.
func (d *Decoder) Decode() (*Message, error) {
	if d.err != nil {
		return nil, d.err
	}
	raw, err := d.splitter.Next()
	if err != nil {
		if damaged := (*jsonstream.SyntaxError)(nil); !errors.As(err, &damaged) {
			d.err = err
		}
		return nil, err
	}
	return ParseInPlace(raw, d.options)
}

// All iterates over the remaining messages, damaged ones as errors. It ends
// with the stream or after an error of the reader.
func (d *Decoder) All() iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		for {
			m, err := d.Decode()
			if errors.Is(err, io.EOF) && d.err != nil || !yield(m, err) || d.err != nil {
				return
			}
		}
	}
}
