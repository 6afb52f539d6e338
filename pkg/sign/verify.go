package sign

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Reason is the class of a signature's fault.
type Reason string

// The reasons.
const (
	Missing              Reason = "missing"
	Malformed            Reason = "malformed"
	UnsupportedAlgorithm Reason = "unsupported-algorithm"
	UnknownKeyID         Reason = "unknown-key-id"
	NotCanonicalizable   Reason = "not-canonicalizable"
	Mismatch             Reason = "mismatch"
	Untrusted            Reason = "untrusted"  // the signature holds, but its key may not sign for this sender
	KeyPeriod            Reason = "key-period" // it holds, and its key is not valid at this time
)

// Reasons returns all reasons, in the order of the checks.
func Reasons() []Reason {
	return []Reason{Missing, Malformed, UnsupportedAlgorithm, UnknownKeyID, NotCanonicalizable, Mismatch, Untrusted, KeyPeriod}
}

// An Error reports why a message does not verify. Its text is for people and repeats neither
// the pointer nor the position.
type Error struct {
	Reason  Reason
	Pointer string // JSON Pointer to the fault, "" for the message
	jsonstream.Position
	Problem string // the fault, the value found and the remedy
}

func (e *Error) Error() string { return e.Problem }

// fault returns an Error at a value, or at the message if the value is absent.
func fault(m *message.Message, at jsonstream.Value, reason Reason, format string, args ...any) *Error {
	if !at.Exists() {
		at = m.Root()
	}
	return &Error{Reason: reason, Pointer: at.Pointer(), Position: at.Position(), Problem: fmt.Sprintf(format, args...)}
}

// A Verifier holds the keys whose signatures are accepted, secrets and Ed25519 keys alike, and
// the trust in them. It is safe for concurrent use.
type Verifier struct {
	keys []Key
	byID map[string][]Key
	// of has the keys of each algorithm: all of them, and those that have no given ID.
	of    map[Algorithm]struct{ all, nameless []Key }
	trust Trust // nil: every key may sign for everybody, at any time
}

// NewVerifier returns a Verifier that accepts signatures by any of the keys. It fails without a
// key, with one that is too short or not for verifying, for two different keys with one ID, and
// for a secret that is the text of one of the public keys.
func NewVerifier(keys []Key) (*Verifier, error) {
	if len(keys) == 0 {
		return nil, errors.New("no key to verify with")
	}
	v := &Verifier{keys: keys, byID: map[string][]Key{}, of: map[Algorithm]struct{ all, nameless []Key }{}}
	for _, k := range keys {
		if err := k.check(); err != nil {
			return nil, err
		}
		if err := k.MayVerify(); err != nil {
			return nil, err
		}
		others := v.byID[k.ID]
		if k.ID != "" && others != nil && !k.same(others[0]) {
			return nil, fmt.Errorf("two different keys have the ID %q: give each its own", k.ID)
		}
		v.byID[k.ID] = append(others, k)
		list := v.of[k.Algorithm()]
		list.all = append(list.all, k)
		if !k.IsNamed() {
			list.nameless = append(list.nameless, k)
		}
		v.of[k.Algorithm()] = list
	}
	for _, secret := range v.of[HMAC].all {
		for _, pair := range v.of[Ed25519].all {
			if secret.isTextOf(pair.public) {
				return nil, fmt.Errorf("a shared secret is the text of the public key %.80q, which is not secret: write a public key as a JSON Web Key, PEM or OpenSSH", pair.ID)
			}
		}
	}
	return v, nil
}

// Format implements [fmt.Formatter] so that no verb shows a secret.
func (v Verifier) Format(s fmt.State, _ rune) { fmt.Fprintf(s, "verifier with %s", tried(v.keys)) }

// WithTrust returns a Verifier with the same keys that also checks whether a key may sign for
// an agent at a time. Bindings of other keys have no effect.
func (v *Verifier) WithTrust(trust Trust) *Verifier {
	other := *v
	other.trust = trust
	return &other
}

// HasKey reports whether one of the keys has an ID.
func (v *Verifier) HasKey(id string) bool { return id != "" && v.byID[id] != nil }

// Verify is [Verifier.VerifyAt] at the current time.
func (v *Verifier) Verify(m *message.Message) (Key, error) { return v.VerifyAt(m, time.Now()) }

// VerifyAt returns the key under which the signature of the message holds, if that key may sign
// for the message's sender, both at the message's timestamp and now. The error is an [*Error].
// A message without a signature never verifies.
//
// The message's signatureKeyId selects the keys to try: the keys with that ID, or else the keys
// without a given ID. For a message without signatureKeyId, all keys are tried. A key is only
// ever tried with signatures of its own algorithm, whatever the message states.
func (v *Verifier) VerifyAt(m *message.Message, now time.Time) (Key, error) {
	return v.verify(m, claimOf(m), now)
}

// VerifyFor is [Verifier.VerifyAt] for a signed document of an agent that is not a message. Its time is the
// value of the member made.
func (v *Verifier) VerifyFor(m *message.Message, agent, made string, now time.Time) (Key, error) {
	return v.verify(m, claim{agent, m.Root().Get(made)}, now)
}

func (v *Verifier) verify(m *message.Message, c claim, now time.Time) (Key, error) {
	k, err := v.holding(m)
	if err != nil {
		return Key{}, err
	}
	if fault := v.trust.check(m, k, c, now); fault != nil {
		return Key{}, fault
	}
	return k, nil
}

// MaySignFor reports whether a key may sign for an agent at a time.
func (v *Verifier) MaySignFor(keyID, agent string, at time.Time) bool {
	return v.trust == nil || slices.ContainsFunc(v.trust, func(b Binding) bool {
		return keyID != "" && b.KeyID == keyID && b.speaksFor(agent) && b.isValidAt(at)
	})
}

// HasKeyOf reports whether one of the keys may sign for an agent, at any time.
func (v *Verifier) HasKeyOf(agent string) bool {
	return v.trust == nil || slices.ContainsFunc(v.trust, func(b Binding) bool { return b.speaksFor(agent) && v.HasKey(b.KeyID) })
}

// holding returns the key under which the signature of the message holds.
func (v *Verifier) holding(m *message.Message) (Key, error) {
	want, problem := signatureOf(m)
	if problem != nil {
		return Key{}, problem
	}
	keys, problem := v.candidates(m, want.algorithm)
	if problem != nil {
		return Key{}, problem
	}
	found := -1
	var err error
	if want.algorithm == Ed25519 {
		err = withText(m, func(text []byte) {
			found = slices.IndexFunc(keys, func(k Key) bool { return k.holds(want, text) })
		})
	} else {
		for i := 0; i < len(keys) && found < 0 && err == nil; i++ {
			// Usually one key is tried: keeping the text for others would not pay.
			var sum [macSize]byte
			if sum, err = keys[i].macOf(m); err == nil && hmac.Equal(sum[:], want.bytes[:macSize]) {
				found = i
			}
		}
	}
	switch {
	case err != nil:
		return Key{}, notCanonical(err)
	case found < 0:
		return Key{}, fault(m, m.Root().Get(Member), Mismatch, "the signature is not valid under %s: the message was changed after it was signed, or signed with another key", tried(keys))
	default:
		return keys[found], nil
	}
}

// candidates returns the keys of an algorithm that may have signed the message.
func (v *Verifier) candidates(m *message.Message, algorithm Algorithm) ([]Key, *Error) {
	named, member := m.Root().Get(KeyIDMember), m.Root().Get(Member)
	all := v.of[algorithm].all
	switch {
	case named.Exists() && named.Kind() != jsonstream.String:
		return nil, fault(m, named, Malformed, "expected a string, found a %s", named.Kind())
	case all == nil:
		return nil, fault(m, member, UnsupportedAlgorithm, "signed with %q, but no available key is for it: found %s", algorithm, tried(v.keys))
	case !named.Exists():
		return all, nil
	}
	if keys := v.byID[named.Text()]; keys != nil && named.Text() != "" {
		if k := keys[0]; k.Algorithm() != algorithm {
			return nil, fault(m, member, UnsupportedAlgorithm, "signed with %q, but %s is for %q only", algorithm, tried(keys[:1]), k.Algorithm())
		}
		return keys, nil
	}
	if keys := v.of[algorithm].nameless; keys != nil {
		return keys, nil
	}
	return nil, fault(m, named, UnknownKeyID, "signed with key %.80q, which is not available: found %s", named.Text(), tried(v.keys))
}

func notCanonical(err error) *Error {
	e := &Error{Reason: NotCanonicalizable, Problem: "no signature can be valid: " + err.Error()}
	if number := (*jsonstream.NumberError)(nil); errors.As(err, &number) {
		e.Pointer, e.Position = number.Pointer, number.Position
	}
	return e
}

// tried describes keys for people.
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
