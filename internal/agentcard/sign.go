package agentcard

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
)

// ErrSigned reports a card that the key has already signed.
var ErrSigned = errors.New("the card already has a signature of this key")

// SignOptions configure [Sign]. The zero value adds a signature that identifies its key only by kid.
type SignOptions struct {
	// KeySet is the URL of a JWK Set with the public key, for the header parameter jku; "" for none.
	KeySet string
	// Replace puts the signature in the place of an existing one with the same kid.
	Replace bool
}

// Sign returns the text of a card with one more signature, at the end, and otherwise the same bytes: white
// space, the order of members, the text of numbers and all other signatures stay (section 8.4.2 of A2A 1.0).
// The key is a private one of [sign.ParseJWSKeys] with an ID, which becomes the kid.
//
// Sign does not check the card: see [Check]. The error is that of [Payload], [ErrSigned], or about the key or
// a signatures member that is not an array.
func Sign(card *jsonstream.Document, key sign.Key, o SignOptions) ([]byte, error) {
	root := card.Root()
	payload, err := Payload(root)
	if err != nil {
		return nil, err
	}
	protected, err := header(key, o.KeySet)
	if err != nil {
		return nil, err
	}
	place, err := placeFor(root, key.ID, o.Replace)
	if err != nil {
		return nil, err
	}
	encoded := base64.RawURLEncoding.EncodeToString(protected)
	signature, err := key.SignJWS(signingInput(encoded, encodePayload(payload)))
	if err != nil {
		return nil, err
	}
	element := fmt.Appendf(nil, `{"protected":"%s","signature":"%s"}`, encoded, base64.RawURLEncoding.EncodeToString(signature))
	list := root.Get(signatures)
	switch {
	case place >= 0:
		return jsonstream.Set(card, "/"+signatures+"/"+strconv.Itoa(place), element)
	case list.Len() > 0:
		return insertLast(card, list, element), nil
	}
	element = append(append([]byte{'['}, element...), ']')
	if list.Exists() || root.Len() == 0 {
		return jsonstream.Set(card, "/"+signatures, element)
	}
	return insertLast(card, root, append([]byte(`"`+signatures+`": `), element...)), nil
}

// insertLast returns the text of a document with one more member or element at the end of a nonempty object
// or array, in the layout of the last one. All other bytes stay.
func insertLast(doc *jsonstream.Document, holder jsonstream.Value, added []byte) []byte {
	last := holder.First()
	for next := last.Next(); next.Exists(); next = next.Next() {
		last = next
	}
	text := doc.Raw().Bytes
	end, begin := last.Offset()+len(last.Raw()), last.Offset()
	if holder.Kind() == jsonstream.Object {
		begin = last.NameOffset()
	}
	space := text[len(bytes.TrimRight(text[:begin], " \t\r\n")):begin]
	return slices.Concat(text[:end], []byte{','}, space, added, text[end:])
}

// header returns the protected header: alg, typ, kid and, if keySet is not "", jku.
func header(key sign.Key, keySet string) ([]byte, error) {
	if key.ID == "" {
		return nil, errors.New("the key has no ID, which a card needs: give the key an ID")
	}
	kid, err := jsontext.AppendQuote(nil, key.ID)
	if err != nil {
		return nil, fmt.Errorf("the ID of the key: %w", err)
	}
	text := fmt.Appendf(nil, `{"alg":"%s","typ":"JOSE","kid":%s`, key.JWSAlgorithm(), kid)
	if keySet != "" {
		url, err := jsontext.AppendQuote(nil, keySet)
		if err != nil {
			return nil, fmt.Errorf("the URL of the key set: %w", err)
		}
		text = append(append(text, `,"jku":`...), url...)
	}
	return append(text, '}'), nil
}

// placeFor returns the index of the signature to replace, -1 if there is none.
func placeFor(card jsonstream.Value, keyID string, replace bool) (int, error) {
	list := card.Get(signatures)
	switch list.Kind() {
	case jsonstream.Array, jsonstream.Absent, jsonstream.Null:
	default:
		return 0, fmt.Errorf("/%s: expected an array of signatures, to which the new one is added", signatures)
	}
	for i, v := range list.Elements() {
		switch {
		case readSignature(v).KeyID != keyID:
		case replace:
			return i, nil
		default:
			return 0, ErrSigned
		}
	}
	if list.Len() >= MaxSignatures {
		return 0, fmt.Errorf("/%s: has %d signatures: the limit is %d", signatures, list.Len(), MaxSignatures)
	}
	return -1, nil
}

// encodePayload returns the second part of a JWS Signing Input.
func encodePayload(payload []byte) string { return base64.RawURLEncoding.EncodeToString(payload) }

// signingInput returns the JWS Signing Input (RFC 7515, section 5.1).
func signingInput(protected, payload string) []byte { return []byte(protected + "." + payload) }
