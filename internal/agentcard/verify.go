package agentcard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/sign"
)

// A Verifier holds the keys whose signatures are accepted. It is safe for concurrent use.
type Verifier struct{ keys []sign.Key }

// NewVerifier returns a Verifier that accepts signatures by any of the keys, which come from
// [sign.ParseJWSKeys]. It fails without a key, with a shared secret and with a key that is not for verifying.
func NewVerifier(keys []sign.Key) (*Verifier, error) {
	if len(keys) == 0 {
		return nil, errors.New("a key is required for verification")
	}
	for _, k := range keys {
		if k.JWSAlgorithm() == "" {
			return nil, errors.New("a card is signed with a key pair: a shared secret cannot verify it")
		}
		if err := k.MayVerify(); err != nil {
			return nil, err
		}
	}
	return &Verifier{slices.Clone(keys)}, nil
}

// Verify returns the signatures of a card in order, each with its result, and no error if at least one of
// them holds (section 8.4.3 of A2A 1.0). Otherwise the error is a [*sign.Error] with the most informative
// reason: [sign.Missing] for a card without signatures, [sign.NotCanonicalizable] for one without a [Payload]
// (then without any Signature), or that of the signature that came closest.
//
// The kid of a signature selects the keys to try: the keys with that ID, or else the keys without a given ID.
// A key is only ever tried with signatures of its own algorithm.
func (v *Verifier) Verify(card *jsonstream.Document) ([]*Signature, error) {
	root := card.Root()
	list := root.Get(signatures)
	switch {
	case root.Kind() != jsonstream.Object:
		return nil, fault(root, sign.NotCanonicalizable, ErrNotObject.Error())
	case !list.Exists(), list.Kind() == jsonstream.Null, list.Kind() == jsonstream.Array && list.Len() == 0:
		return nil, fault(root, sign.Missing, "the card has no signatures: reject it, or have its owner sign it")
	case list.Kind() != jsonstream.Array:
		return nil, fault(list, sign.Malformed, "expected an array of signatures; found "+finding.QuoteValue(list))
	case list.Len() > MaxSignatures:
		return nil, fault(list, sign.Malformed, fmt.Sprintf("has %d signatures: the limit is %d", list.Len(), MaxSignatures))
	}
	payload, err := Payload(root)
	if err != nil {
		return nil, notCanonical(root, err)
	}
	encoded := encodePayload(payload)
	otherForms := sync.OnceValue(func() []otherForm { return formsOf(root) })
	var all []*Signature
	holds := false
	for _, element := range list.Elements() {
		s := readSignature(element)
		if s.Reason == "" {
			v.verify(s, encoded, otherForms)
		}
		if s.Reason == sign.Mismatch && isOld(root) {
			s.Problem += "; the card has the shape of A2A 0.3, whose signed text is different"
		}
		holds = holds || s.Holds()
		all = append(all, s)
	}
	if holds {
		return all, nil
	}
	return all, closest(all)
}

// verify tries the keys that may have made a signature.
func (v *Verifier) verify(s *Signature, payload string, otherForms func() []otherForm) {
	keys := v.candidates(s)
	input := signingInput(s.protected, payload)
	for _, k := range keys {
		if k.VerifyJWS(input, s.bytes) {
			s.Key = k
			return
		}
	}
	if s.Reason != "" {
		return
	}
	s.fail(sign.Mismatch, "the signature is not valid under %s: the card was changed after it was signed, or signed with another key", named(keys))
	for _, f := range otherForms() {
		if input := signingInput(s.protected, f.payload); slices.ContainsFunc(keys, func(k sign.Key) bool { return k.VerifyJWS(input, s.bytes) }) {
			s.fail(sign.Mismatch, "%s", f.problem)
			return
		}
	}
}

// candidates returns the keys to try. If there are none, it records the reason in s.
func (v *Verifier) candidates(s *Signature) []sign.Key {
	var keys, others, nameless []sign.Key
	for _, k := range v.keys {
		switch fits := k.JWSAlgorithm() == s.Algorithm; {
		case k.ID == s.KeyID && fits:
			keys = append(keys, k)
		case k.ID == s.KeyID:
			others = append(others, k)
		case fits && !k.IsNamed():
			nameless = append(nameless, k)
		}
	}
	switch {
	case keys != nil:
		return keys
	case others != nil:
		s.fail(sign.UnsupportedAlgorithm, "the signature has alg %s, but the %s is only for %s", s.Algorithm, named(others[:1]), others[0].JWSAlgorithm())
	case nameless != nil:
		return nameless
	default:
		s.fail(sign.UnknownKeyID, "the card was signed with the key %s, which was not given: found the %s", finding.Quote(s.KeyID), named(v.keys))
	}
	return nil
}

// closest returns the error for a card without a signature that holds.
func closest(all []*Signature) *sign.Error {
	for _, reason := range []sign.Reason{sign.Mismatch, sign.UnknownKeyID, sign.UnsupportedAlgorithm} {
		for _, s := range all {
			if s.Reason == reason {
				return &sign.Error{Reason: reason, Pointer: s.Pointer, Position: s.Position, Problem: s.Problem}
			}
		}
	}
	s := all[0]
	return &sign.Error{Reason: s.Reason, Pointer: s.Pointer, Position: s.Position, Problem: s.Problem}
}

func fault(at jsonstream.Value, reason sign.Reason, problem string) *sign.Error {
	return &sign.Error{Reason: reason, Pointer: at.Pointer(), Position: at.Position(), Problem: problem}
}

// notCanonical returns the error for a card without a payload.
func notCanonical(card jsonstream.Value, err error) *sign.Error {
	e := fault(card, sign.NotCanonicalizable, "no signature can be valid: "+err.Error())
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		e.Pointer, e.Position = number.Pointer, number.Position
	}
	return e
}

// named describes keys for people.
func named(keys []sign.Key) string {
	const maxShown = 5
	var names []string
	for _, k := range keys[:min(len(keys), maxShown)] {
		names = append(names, "key "+finding.Quote(k.ID))
	}
	if more := len(keys) - maxShown; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
