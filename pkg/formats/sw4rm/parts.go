package sw4rm

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ReadHistory reads the conversation for a new context: an array of messages, or a sequence
// of messages. An error with a place is a [*jsonstream.SyntaxError].
func ReadHistory(text []byte, limits jsonstream.Limits) (jsonstream.Value, error) {
	splitter := jsonstream.NewSplitter(bytes.NewReader(text), limits)
	var docs []*jsonstream.Document
	for {
		raw, err := splitter.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return jsonstream.Value{}, err
		}
		doc, err := jsonstream.Parse(raw, limits)
		if err != nil {
			return jsonstream.Value{}, err
		}
		docs = append(docs, doc)
	}
	if len(docs) == 0 {
		return jsonstream.Value{}, errors.New("the input is empty: expected an array of messages, or one message per line")
	}
	if len(docs) == 1 && docs[0].Root().Kind() == jsonstream.Array {
		return docs[0].Root(), nil
	}
	list := []byte{'['}
	for _, doc := range docs {
		if kind := doc.Root().Kind(); kind != jsonstream.Object {
			return jsonstream.Value{}, &jsonstream.SyntaxError{Position: doc.Root().Position(),
				Problem: fmt.Sprintf("expected one array of messages, or one message per line, found %s", kind)}
		}
		list = append(jsonstream.AppendComma(list), doc.Root().Raw()...)
	}
	return parsed(append(list, ']'))
}

// Members builds an object from members in the order of their addition. The zero value has
// none.
type Members struct{ text []byte }

// AddString adds a string member. It returns an error if name or value is not UTF-8.
func (m *Members) AddString(name, value string) error {
	m.text = append(m.text, ',')
	for i, s := range []string{name, value} {
		var err error
		if m.text, err = jsontext.AppendQuote(m.text, s); err != nil {
			return fmt.Errorf("%q is not UTF-8", s)
		}
		if i == 0 {
			m.text = append(m.text, ':')
		}
	}
	return nil
}

// AddAll adds the members of an object.
func (m *Members) AddAll(object jsonstream.Value) {
	for _, v := range object.Members() {
		m.text = append(append(append(append(m.text, ','), v.RawName()...), ':'), v.Raw()...)
	}
}

// Object returns the object. The error is a [*jsonstream.SyntaxError] if two members have
// the same name.
func (m *Members) Object() (jsonstream.Value, error) {
	text := append([]byte{'{'}, bytes.TrimPrefix(m.text, []byte{','})...)
	return parsed(append(text, '}'))
}

// parsed parses a text composed of valid values.
func parsed(text []byte) (jsonstream.Value, error) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return jsonstream.Value{}, err
	}
	return doc.Root(), nil
}
