package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/eaapl/handoff/internal/secrets"
)

// An Algorithm is a signature algorithm. The text of a signature begins with it.
type Algorithm string

// The algorithms.
const (
	HMAC    Algorithm = "hmac-sha256" // with a secret that sender and receiver share
	Ed25519 Algorithm = "ed25519"     // RFC 8032, with a private key that only the sender has
	P256    Algorithm = "ecdsa-p256"  // ECDSA with P-256 and SHA-256: for a JWS, never for a message
)

// MinKeyBytes is the minimum length of a secret, in bytes.
const MinKeyBytes = secrets.MinBytes

// A Key is a secret shared by sender and receiver, a private Ed25519 key, or a public one. Each
// is for one algorithm only. [ParseJWSKeys] also returns P-256 keys, which sign no messages.
// The zero Key neither signs nor verifies. Formatted with package fmt or log/slog, a Key shows
// its ID and no secret.
type Key struct {
	ID      string             // its signatureKeyId, "" if it has none
	secret  []byte             // nil for Ed25519
	macs    *sync.Pool         // of *mac, already keyed with the secret
	public  ed25519.PublicKey  // nil for HMAC
	private ed25519.PrivateKey // nil for HMAC, and for a public key
	p256    *p256Key           // nil for the others
	derived bool               // ID is the thumbprint, because the key file has no ID
	ops     []string           // key_ops of a JSON Web Key; nil for any
	alg     string             // of a JSON Web Key, "" if it has none
}

func newKey(id string, secret []byte) Key {
	return Key{ID: id, secret: secret, macs: &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, secret)} }}}
}

// Algorithm returns the key's algorithm.
func (k Key) Algorithm() Algorithm {
	switch {
	case k.public != nil:
		return Ed25519
	case k.p256 != nil:
		return P256
	default:
		return HMAC
	}
}

// IsPublic reports whether the key is public.
func (k Key) IsPublic() bool {
	return k.public != nil && k.private == nil || k.p256 != nil && k.p256.private == nil
}

// IsNamed reports whether the ID was given to the key, rather than derived from its thumbprint.
func (k Key) IsNamed() bool { return k.ID != "" && !k.derived }

// WithID returns the key under another ID.
func (k Key) WithID(id string) Key {
	k.ID, k.derived = id, false
	return k
}

// same reports whether two keys make and verify the same signatures.
func (k Key) same(other Key) bool {
	if k.p256 != nil && other.p256 != nil {
		return k.p256.public.Equal(other.p256.public)
	}
	return k.Algorithm() == other.Algorithm() && hmac.Equal(k.secret, other.secret) && bytes.Equal(k.public, other.public)
}

// The operations of a key (RFC 7517, section 4.3).
const (
	opSign   = "sign"
	opVerify = "verify"
)

// MaySign returns an error if the key is public, or if its own key_ops (RFC 7517, section
// 4.3) do not let it sign.
func (k Key) MaySign() error {
	if k.IsPublic() {
		return fmt.Errorf("the key %.80q is public: sign with its private key", k.ID)
	}
	return k.may(opSign)
}

// MayVerify returns an error if the key's own key_ops do not let it verify.
func (k Key) MayVerify() error { return k.may(opVerify) }

func (k Key) may(op string) error {
	if k.ops == nil || slices.Contains(k.ops, op) {
		return nil
	}
	return fmt.Errorf("key_ops: the key %.80q is not for %q: use another key, or add it to key_ops", k.ID, op)
}

// NewKey returns a shared secret of 256 random bits.
func NewKey(id string) Key {
	secret := make([]byte, secrets.GoodBytes)
	rand.Read(secret) // never fails
	return newKey(id, secret)
}

// Weakness returns the reason why the secret is easier to guess than one of [NewKey], or "" if
// it shows no such sign.
func (k Key) Weakness() string {
	if k.IsPublic() || k.p256 != nil { // [newP256] has checked the latter
		return ""
	}
	secret := k.secret
	if k.private != nil {
		secret = k.private.Seed()
	}
	switch {
	case len(secret) < secrets.GoodBytes:
		return fmt.Sprintf("the key has %d bytes: use %d random bytes, for the strength of the signature", len(secret), secrets.GoodBytes)
	case !isRandom(secret):
		return "the key is not random: it has few different bytes or repeats itself"
	default:
		return ""
	}
}

// Format implements [fmt.Formatter] so that no verb shows a secret.
func (k Key) Format(s fmt.State, _ rune) {
	switch {
	case k.p256 != nil && k.IsPublic():
		fmt.Fprintf(s, "public P-256 key %q", k.ID)
	case k.p256 != nil:
		fmt.Fprintf(s, "private P-256 key %q", k.ID)
	case k.public == nil:
		fmt.Fprintf(s, "key %q of %d bytes", k.ID, len(k.secret))
	case k.private == nil:
		fmt.Fprintf(s, "public Ed25519 key %q", k.ID)
	default:
		fmt.Fprintf(s, "private Ed25519 key %q", k.ID)
	}
}

// MarshalText returns the text of Format, for encoders and loggers.
func (k Key) MarshalText() ([]byte, error) { return fmt.Append(nil, k), nil }

// check rejects guessable secrets and keys that cannot sign messages.
func (k Key) check() error {
	switch {
	case k.p256 != nil:
		return fmt.Errorf("the key %.80q is for P-256: messages are signed with shared secrets and Ed25519 keys", k.ID)
	case k.public != nil:
		return nil // checked by [newPublic] and [newPrivate]
	default:
		return checkSecret(k.secret)
	}
}

// checkSecret rejects secrets that are too short or easy to guess.
func checkSecret(secret []byte) error {
	if weakness := secrets.Weakness(secret); weakness != "" {
		return fmt.Errorf("the key %s; handoff keygen makes one", weakness)
	}
	return nil
}
