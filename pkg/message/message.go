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

// The versions of the message schema. A message has the earliest version that has all its members.
const (
	SchemaVersion   = "2.0"
	EvidenceVersion = "2.1" // adds completedSubtasks[].evidence
)

// A Message is one handoff message and the bytes it was read from. It is
// immutable and safe for concurrent use.
type Message struct {
	doc *jsonstream.Document
}

// Options are options for reading messages. The zero value is for messages of usual size.
type Options struct {
	// Limits bound the size and depth of a message.
	Limits jsonstream.Limits
}

// Parse reads a message from a copy of text, which must be one strict JSON document. It does not validate
// the message. The error is a [*jsonstream.SyntaxError].
func Parse(text []byte, o Options) (*Message, error) {
	return ParseInPlace(jsonstream.NewRaw(bytes.Clone(text)), o)
}

// ParseInPlace is like [Parse], but without the copy. The text must never change afterwards: the message,
// and every string read from it, refers to its bytes. Positions are counted from the beginning of raw.
func ParseInPlace(raw jsonstream.Raw, o Options) (*Message, error) {
	doc, err := jsonstream.Parse(raw, o.Limits)
	if err != nil {
		return nil, err
	}
	return &Message{doc}, nil
}

// Of returns the message in a document.
func Of(doc *jsonstream.Document) *Message { return &Message{doc} }

// A Parser reads messages one after another in the same memory. The zero Parser is ready to use. It is for
// one goroutine.
type Parser struct {
	parser  jsonstream.Parser
	message Message
}

// Parse is like the function [ParseInPlace], except that the message is valid only until the next call: see
// [jsonstream.Parser].
func (p *Parser) Parse(raw jsonstream.Raw, o Options) (*Message, error) {
	doc, err := p.parser.Parse(raw, o.Limits)
	if err != nil {
		return nil, err
	}
	p.message = Message{doc}
	return &p.message, nil
}

// New returns a message with these fields, as compact JSON in the member order of section 5.2. If a field
// has no JSON form, the error wraps a [*FieldError].
func New(f *Fields) (*Message, error) {
	text, err := marshal(*f)
	if err != nil {
		return nil, fmt.Errorf("encoding the message: %w", err)
	}
	return parseText(text)
}

// parseText reads a message that does not come from a stream.
func parseText(text []byte) (*Message, error) {
	return ParseInPlace(jsonstream.NewRaw(text), Options{Limits: jsonstream.Unlimited()})
}

// Raw returns the bytes of the message, which the caller must not change.
func (m *Message) Raw() []byte { return m.doc.Raw().Bytes }

// Document returns the message as a JSON document, with the position of every member.
func (m *Message) Document() *jsonstream.Document { return m.doc }

// Root returns the message's value.
func (m *Message) Root() jsonstream.Value { return m.doc.Root() }

// HandoffID returns the member handoffId, "" if it is absent or not a string.
func (m *Message) HandoffID() string { return m.Root().Get("handoffId").Text() }

// Fields returns the message as Go values, which are copies. If the type of a member differs from section
// 5.2, the error wraps a [*FieldError]; for a message that is valid by the schema, it is nil.
func (m *Message) Fields() (*Fields, error) {
	var f Fields
	if err := (codec{}).decode(m.Root(), reflect.ValueOf(&f).Elem()); err != nil {
		return nil, fmt.Errorf("decoding the message: %w", err)
	}
	return &f, nil
}

// Set returns the message with the value at a JSON Pointer replaced, or added as the last member of its
// object or element of its array. value is a JSON text. See [jsonstream.Set].
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

// Decode returns the next message, which owns its bytes. At the end of the stream the error is [io.EOF]. A
// damaged message returns a [*jsonstream.SyntaxError], and the next call continues with the message after
// it. Any other error is final, and Decode returns it again.
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

// All iterates over the remaining messages, with errors for damaged ones. It ends with the stream or after
// an error of the reader.
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
