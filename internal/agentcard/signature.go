package agentcard

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
)

// MaxSignatures is the maximum number of signatures of a card that are verified. Verifying one
// takes far longer than writing it.
const MaxSignatures = 64

// A Signature is one signature of a card, with the result of its verification.
type Signature struct {
	Pointer string // JSON Pointer to it, in the card
	jsonstream.Position
	Algorithm string // alg of its protected header, "" if it cannot be read
	KeyID     string // kid
	KeySet    string // jku, the URL of the key according to the signature; never fetched
	// Keys are the other header parameters by which the signature supplies its own key: jwk, x5c, x5u. They
	// are ignored.
	Keys []string
	// Key is the key under which the signature holds, if Reason is "".
	Key sign.Key
	// Reason is [sign.Malformed], [sign.UnsupportedAlgorithm], [sign.UnknownKeyID] or [sign.Mismatch], and
	// Problem explains the fault and its remedy for people. Both are "" if the signature holds.
	Reason  sign.Reason
	Problem string

	protected string // the text in the card
	bytes     []byte
}

// NameWarning returns the reason why other programs may not verify signatures by a key, "" if no reason is
// known: its JSON Web Key uses another name for the algorithm than signatures do.
func NameWarning(k sign.Key) string {
	if k.OtherName() == "" {
		return ""
	}
	return fmt.Sprintf("the key %s has alg %q, but signatures have %q: programs that select keys by alg do not find it; publish it with alg %[3]q, or without alg",
		finding.Quote(k.ID), k.OtherName(), k.JWSAlgorithm())
}

// Holds reports whether the signature holds.
func (s *Signature) Holds() bool { return s.Reason == "" }

// fail records why the signature does not hold.
func (s *Signature) fail(reason sign.Reason, format string, args ...any) {
	s.Reason, s.Problem = reason, fmt.Sprintf(format, args...)
}

// keyParameters are the header parameters that supply a key, apart from jku (RFC 7515, section 4.1).
var keyParameters = []string{"jwk", "x5c", "x5u"}

// readSignature reads an element of signatures (section 4.4.7 of A2A 1.0). It needs no key.
func readSignature(v jsonstream.Value) *Signature {
	s := &Signature{Pointer: v.Pointer(), Position: v.Position()}
	if v.Kind() != jsonstream.Object {
		s.fail(sign.Malformed, "expected an object with protected and signature; found %s", finding.QuoteValue(v))
		return s
	}
	protected, value := v.Get("protected"), v.Get("signature")
	s.protected = protected.Text()
	if s.protected == "" {
		s.fail(sign.Malformed, "protected: expected a string in base64url; found %s", finding.QuoteValue(protected))
		return s
	}
	header, err := readHeader(s.protected)
	if err != nil {
		s.fail(sign.Malformed, "protected: %v", err)
		return s
	}
	unprotected := v.Get("header")
	s.readKeys(header, unprotected)
	if err := checkHeaders(header, unprotected); err != nil {
		s.fail(sign.Malformed, "%v", err)
		return s
	}
	if value.Text() == "" {
		s.fail(sign.Malformed, "signature: expected a string in base64url; found %s", finding.QuoteValue(value))
		return s
	}
	if s.bytes, err = decode(value.Text()); err != nil {
		s.fail(sign.Malformed, "signature: %v", err)
		return s
	}
	switch {
	case strings.EqualFold(s.Algorithm, "none"):
		s.fail(sign.UnsupportedAlgorithm, "alg is none, which does not protect the card: only ES256 and EdDSA are accepted")
	case s.Algorithm == sign.NewEdDSA:
		s.fail(sign.UnsupportedAlgorithm, "the alg is %s, the name of RFC 9864 for EdDSA: verifiers of A2A 1.0 expect EdDSA, so have the card signed with that name", s.Algorithm)
	case s.Algorithm != "ES256" && s.Algorithm != "EdDSA":
		s.fail(sign.UnsupportedAlgorithm, "signed with %s: only ES256 and EdDSA are accepted", finding.Quote(s.Algorithm))
	case len(s.bytes) != 64:
		s.fail(sign.Malformed, "signature: a signature of %s must have 64 bytes; found %d", s.Algorithm, len(s.bytes))
	}
	return s
}

// readHeader decodes a protected header.
func readHeader(protected string) (jsonstream.Value, error) {
	plain, err := decode(protected)
	if err != nil {
		return jsonstream.Value{}, err
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(plain), jsonstream.Limits{})
	if err != nil {
		return jsonstream.Value{}, errors.New("not the JSON of a header without duplicate names (RFC 7515, section 4)")
	}
	if kind := doc.Root().Kind(); kind != jsonstream.Object {
		return jsonstream.Value{}, fmt.Errorf("expected the JSON object of a header; found %s", finding.KindName(kind))
	}
	return doc.Root(), nil
}

// decode reads base64url by RFC 7515, section 2. It accepts only the one canonical encoding.
func decode(text string) ([]byte, error) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // package base64 skips line breaks
		return nil, errors.New("not base64url without padding (RFC 7515, section 2)")
	}
	return plain, nil
}

// readKeys reads the references to keys in the headers.
func (s *Signature) readKeys(protected, unprotected jsonstream.Value) {
	s.Algorithm, s.KeyID = protected.Get("alg").Text(), protected.Get("kid").Text()
	for _, header := range []jsonstream.Value{protected, unprotected} {
		if jku := header.Get("jku").Text(); jku != "" && s.KeySet == "" {
			s.KeySet = jku
		}
		for _, name := range keyParameters {
			if header.Get(name).Exists() && !slices.Contains(s.Keys, name) {
				s.Keys = append(s.Keys, name)
			}
		}
	}
}

// checkHeaders describes how the headers violate RFC 7515 or section 8.4.2 of A2A 1.0.
func checkHeaders(protected, unprotected jsonstream.Value) error {
	for _, name := range []string{"alg", "kid"} {
		if v := protected.Get(name); v.Kind() != jsonstream.String || v.Text() == "" {
			return fmt.Errorf("protected: %s: expected a string, which A2A requires; found %s", name, finding.QuoteValue(v))
		}
	}
	for _, name := range []string{"typ", "jku"} {
		if v := protected.Get(name); v.Exists() && v.Kind() != jsonstream.String {
			return fmt.Errorf("protected: %s: expected a string; found %s", name, finding.QuoteValue(v))
		}
	}
	if unprotected.Exists() && unprotected.Kind() != jsonstream.Object && unprotected.Kind() != jsonstream.Null {
		return fmt.Errorf("header: expected an object; found %s", finding.QuoteValue(unprotected))
	}
	for _, header := range []jsonstream.Value{protected, unprotected} {
		for _, name := range []string{"crit", "b64"} {
			if header.Get(name).Exists() {
				return fmt.Errorf("%s: the signature requires an extension of JWS, but none is supported (RFC 7515, section 4.1.11)", name)
			}
		}
	}
	if alg := unprotected.Get("alg"); alg.Exists() {
		return errors.New("header: alg must be in the protected header only (RFC 7515, section 7.2.1)")
	}
	for name := range unprotected.Members() {
		if protected.Get(name).Exists() {
			return fmt.Errorf("header: %s is also in the protected header, but must be in only one of them (RFC 7515, section 7.2.1)", finding.Quote(name))
		}
	}
	return nil
}
