package sign

import (
	"cmp"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Reason says why a signature does not hold.
type Reason string

// The reasons.
const (
	Missing              Reason = "missing"
	Malformed            Reason = "malformed"
	UnsupportedAlgorithm Reason = "unsupported-algorithm"
	UnknownKeyID         Reason = "unknown-key-id"
	NotCanonicalizable   Reason = "not-canonicalizable"
	Mismatch             Reason = "mismatch"
)

// Reasons returns all reasons, in the order in which they are looked for.
func Reasons() []Reason {
	return []Reason{Missing, Malformed, UnsupportedAlgorithm, UnknownKeyID, NotCanonicalizable, Mismatch}
}

// An Error says why a message does not verify. Its text is for people and repeats neither
// the pointer nor the position.
type Error struct {
	Reason  Reason
	Pointer string // JSON Pointer to the fault, "" for the message
	jsonstream.Position
	Problem string // the fault, what was found, and what to do
}

func (e *Error) Error() string { return e.Problem }

// fault returns an Error at a value, at the message where that is absent.
func fault(m *message.Message, at jsonstream.Value, reason Reason, format string, args ...any) *Error {
	if !at.Exists() {
		at = m.Root()
	}
	return &Error{Reason: reason, Pointer: at.Pointer(), Position: at.Position(), Problem: fmt.Sprintf(format, args...)}
}

// A Verifier holds the keys whose signatures are accepted. It is safe for
// concurrent use.
type Verifier struct {
	keys []Key
	byID map[string][]Key
}

// NewVerifier returns a Verifier that accepts signatures by any of the keys. It
// fails without a key, with one that is too short or not for verifying, and for two
// different keys with one ID.
func NewVerifier(keys []Key) (*Verifier, error) {
	if len(keys) == 0 {
		return nil, errors.New("no key to verify with")
	}
	byID := map[string][]Key{}
	for _, k := range keys {
		if err := cmp.Or(k.check(), k.MayVerify()); err != nil {
			return nil, err
		}
		others := byID[k.ID]
		if k.ID != "" && others != nil && !hmac.Equal(k.secret, others[0].secret) {
			return nil, fmt.Errorf("two different keys have the ID %q: give each its own", k.ID)
		}
		byID[k.ID] = append(others, k)
	}
	return &Verifier{keys, byID}, nil
}

// Verify returns the key under which the signature of the message holds. The
// error is an [*Error]. A message without a signature never verifies.
//
// The message's signatureKeyId selects the keys to try: those with that ID, or else those
// without any ID. A message that names no key is tried with all.
func (v *Verifier) Verify(m *message.Message) (Key, error) {
	want, problem := signatureOf(m)
	if problem != nil {
		return Key{}, problem
	}
	keys, problem := v.candidates(m)
	if problem != nil {
		return Key{}, problem
	}
	for _, k := range keys {
		// Mostly one key is tried: keeping the text for others would not pay.
		sum, err := k.sumOf(m)
		if err != nil {
			return Key{}, notCanonical(err)
		}
		if hmac.Equal(sum[:], want[:]) {
			return k, nil
		}
	}
	return Key{}, fault(m, m.Root().Get(Member), Mismatch, "the signature does not hold under %s: the message was changed after it was signed, or signed with another key", tried(keys))
}

// signatureOf returns the bytes of the message's signature.
func signatureOf(m *message.Message) (digest, *Error) {
	member := m.Root().Get(Member)
	if !member.Exists() {
		return digest{}, fault(m, member, Missing, "has no member %q: reject it, or have its sender sign it", Member)
	}
	algorithm, digits, ok := strings.Cut(member.Text(), ":")
	switch {
	case member.Kind() != jsonstream.String:
		return digest{}, fault(m, member, Malformed, "expected a string %q and 64 hex digits, found a %s", Algorithm+":", member.Kind())
	case !ok:
		return digest{}, fault(m, member, Malformed, "expected %q and 64 lower-case hex digits, found no algorithm", Algorithm+":")
	case algorithm != Algorithm:
		return digest{}, fault(m, member, UnsupportedAlgorithm, "signed with %.40q: only %s is accepted", algorithm, Algorithm)
	}
	var sum digest
	if !sum.decode(digits) {
		return digest{}, fault(m, member, Malformed, "expected 64 lower-case hex digits after %q, found %s", Algorithm+":", describe(digits))
	}
	return sum, nil
}

// decode reads lower-case hex digits, and reports whether they are a digest.
func (d *digest) decode(digits string) bool {
	var text, again [2 * len(d)]byte
	if copy(text[:], digits) != len(digits) {
		return false
	}
	_, err := hex.Decode(d[:], text[:])
	hex.Encode(again[:], d[:])
	return err == nil && again == text // encoding gives lower-case digits
}

// describe says what is there instead of 64 lower-case hex digits.
func describe(digits string) string {
	if strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return fmt.Sprintf("other characters in %d bytes", len(digits))
	}
	if len(digits) != 64 {
		return fmt.Sprintf("%d digits", len(digits))
	}
	return "upper-case ones"
}

// candidates returns the keys that the message may be signed with.
func (v *Verifier) candidates(m *message.Message) ([]Key, *Error) {
	named := m.Root().Get(KeyIDMember)
	if !named.Exists() {
		return v.keys, nil
	}
	if named.Kind() != jsonstream.String {
		return nil, fault(m, named, Malformed, "expected a string, found a %s", named.Kind())
	}
	for _, id := range []string{named.Text(), ""} {
		if keys := v.byID[id]; keys != nil {
			return keys, nil
		}
	}
	return nil, fault(m, named, UnknownKeyID, "signed with key %.80q, which is not at hand: found %s", named.Text(), tried(v.keys))
}

func notCanonical(err error) *Error {
	e := &Error{Reason: NotCanonicalizable, Problem: "no signature can hold: " + err.Error()}
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		e.Pointer, e.Position = number.Pointer, number.Position
	}
	return e
}

// tried names keys for people.
func tried(keys []Key) string {
	const maxShown = 5
	var names []string
	for i, k := range keys {
		if i == maxShown {
			names = append(names, fmt.Sprintf("%d more", len(keys)-maxShown))
			break
		}
		if k.ID == "" {
			names = append(names, "a key without an ID")
		} else {
			names = append(names, fmt.Sprintf("key %.80q", k.ID))
		}
	}
	return strings.Join(names, ", ")
}
