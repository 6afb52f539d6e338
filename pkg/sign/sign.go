package sign

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

const (
	// Member is the name of the member that holds the signature.
	Member = "signature"
	// KeyIDMember is the name of the member with the ID of the key.
	KeyIDMember = "signatureKeyId"
)

var (
	// ErrNotObject reports a document that is not a JSON object and cannot be signed.
	ErrNotObject = errors.New("a message is a JSON object: nothing else can be signed")
	// ErrSigned reports a message that already has a signature.
	ErrSigned = errors.New("the message has a signature already")
)

// Sign returns the text of the message with a signature, otherwise unchanged: the signature is
// the last member, after signatureKeyId if the key has an ID. With replace, an existing
// signature and the ID of its key are replaced; without, the error is [ErrSigned]. The error is
// a [*jsonstream.NumberError] for a number that a signature would not protect, [ErrNotObject]
// for another kind of document, or about a key that is too short, public or not for signing.
func Sign(m *message.Message, key Key, replace bool) ([]byte, error) {
	if err := key.check(); err != nil {
		return nil, err
	}
	if err := key.MaySign(); err != nil {
		return nil, err
	}
	root := m.Root()
	if root.Kind() != jsonstream.Object {
		return nil, ErrNotObject
	}
	signed := root.Get(Member).Exists()
	if signed && !replace {
		return nil, ErrSigned
	}
	var err error
	if root.Get(KeyIDMember).Text() != key.ID && (signed || key.ID != "") {
		if m, err = setKeyID(m, key.ID); err != nil {
			return nil, err
		}
	}
	value, err := key.signatureOf(m)
	if err != nil {
		return nil, err
	}
	return jsonstream.Set(m.Document(), "/"+Member, append(append([]byte{'"'}, value.String()...), '"'))
}

// setKeyID sets signatureKeyId, or removes it if the key has no ID.
func setKeyID(m *message.Message, id string) (*message.Message, error) {
	if id == "" {
		return m.Remove("/" + KeyIDMember)
	}
	quoted, err := jsontext.AppendQuote(nil, id)
	if err != nil {
		return nil, err
	}
	return m.Set("/"+KeyIDMember, quoted)
}

// covered selects the text that a message's signature covers.
var covered = jsonstream.CanonicalOptions{Exact: true, Omit: Member}

// canonical returns the text that the signature of m covers.
func canonical(m *message.Message) ([]byte, error) {
	return jsonstream.AppendCanonical(nil, m.Root(), covered)
}
