package agentcard

import (
	"errors"
	"fmt"
	"io"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrNotObject reports a document that is not a JSON object and therefore not an AgentCard.
var ErrNotObject = errors.New("an AgentCard must be a JSON object: other values cannot be signed")

// MaxBytes is the maximum length of a card, in bytes. Default values can make the payload of a
// hostile card many times as long as the card.
const MaxBytes = 1 << 20

// ErrTooLarge reports a card that is longer than [MaxBytes].
var ErrTooLarge = fmt.Errorf("the document is longer than %d MiB, the limit for an AgentCard", MaxBytes>>20)

// signatures is the name of the member that holds the signatures.
const signatures = "signatures"

// covered selects the text that a signature covers.
var covered = jsonstream.CanonicalOptions{Exact: true, Omit: signatures}

// Payload returns the text that the signatures of a card cover (sections 5.7 and 8.4.1 of A2A 1.0): the
// canonical form (RFC 8785) of the card without its member signatures, in which
//
//   - a field with its default value (an empty string, array or map, false) is left out, unless it
//     is REQUIRED or has the keyword optional in a2a.proto;
//   - an absent REQUIRED string, array or map is added with its default value, which
//     protobuf cannot distinguish from absence;
//   - a field that is null is absent, as ProtoJSON has it;
//   - a message is present if it is in the card, even without members: it has no default value.
//
// Members that a2a.proto does not declare, values of a type other than declared, and everything in a
// google.protobuf.Struct stay as they are. The error is [ErrNotObject], [ErrTooLarge], or a
// [*jsonstream.NumberError] for a number that a signature would not protect.
func Payload(card jsonstream.Value) ([]byte, error) {
	if card.Kind() != jsonstream.Object {
		return nil, ErrNotObject
	}
	if len(card.Raw()) > MaxBytes {
		return nil, ErrTooLarge
	}
	if err := jsonstream.WriteCanonical(io.Discard, card, covered); err != nil {
		return nil, err // the error has its place in the card
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(cardType().appendPresent(nil, card)), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	return jsonstream.AppendCanonical(nil, doc.Root(), covered)
}

// appendPresent appends the JSON of a message with the fields that are present.
func (m *messageType) appendPresent(dst []byte, v jsonstream.Value) []byte {
	if v.Kind() != jsonstream.Object {
		return append(dst, v.Raw()...)
	}
	dst = append(dst, '{')
	there := map[*field]bool{}
	for name, member := range v.Members() {
		f := m.byName[name]
		if f != nil && (member.Kind() == jsonstream.Null || f.isZero(member) && !f.required && !f.optional) {
			continue
		}
		dst = append(append(jsonstream.AppendComma(dst), member.RawName()...), ':')
		if f == nil {
			dst = append(dst, member.Raw()...)
			continue
		}
		there[f] = true
		dst = f.appendPresent(dst, member)
	}
	for _, f := range m.fields {
		if zero, ok := f.zero(); ok && f.required && !there[f] {
			dst = append(append(append(append(jsonstream.AppendComma(dst), '"'), f.name...), `":`...), zero...)
		}
	}
	return append(dst, '}')
}

// appendPresent appends the JSON of a field that is present.
func (f *field) appendPresent(dst []byte, v jsonstream.Value) []byte {
	switch {
	case f.of == nil || !f.hasType(v, false):
		return append(dst, v.Raw()...)
	case f.list:
		dst = append(dst, '[')
		for _, e := range v.Elements() {
			dst = f.of.appendPresent(jsonstream.AppendComma(dst), e)
		}
		return append(dst, ']')
	case f.dict:
		dst = append(dst, '{')
		for _, e := range v.Members() {
			dst = append(append(jsonstream.AppendComma(dst), e.RawName()...), ':')
			dst = f.of.appendPresent(dst, e)
		}
		return append(dst, '}')
	default:
		return f.of.appendPresent(dst, v)
	}
}
