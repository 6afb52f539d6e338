package sign

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync"

	"github.com/go-jose/go-jose/v4"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

const (
	// MinKeyBytes is the minimum length of a secret, in bytes.
	MinKeyBytes = 16
	// GoodKeyBytes is the recommended length of a secret, in bytes: as long as the output
	// of the hash (RFC 2104, section 3).
	GoodKeyBytes = 32
)

// A Key is a secret shared by sender and receiver. The zero Key neither signs nor
// verifies. Formatted with package fmt or log/slog, a Key shows its ID and nothing of the
// secret.
type Key struct {
	ID     string // its signatureKeyId, "" if it has none
	secret []byte
	macs   *sync.Pool // of *mac: each has gone through the secret already
	ops    []string   // key_ops of a JSON Web Key; nil for any
}

func newKey(id string, secret []byte) Key {
	return Key{ID: id, secret: secret, macs: &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, secret)} }}}
}

// The operations of a key (RFC 7517, section 4.3).
const (
	opSign   = "sign"
	opVerify = "verify"
)

// MaySign returns an error if the key's own key_ops (RFC 7517, section 4.3) do not let
// it sign.
func (k Key) MaySign() error { return k.may(opSign) }

// MayVerify returns an error if the key's own key_ops do not let it verify.
func (k Key) MayVerify() error { return k.may(opVerify) }

func (k Key) may(op string) error {
	if k.ops == nil || slices.Contains(k.ops, op) {
		return nil
	}
	return fmt.Errorf("key_ops: the key %.80q is not for %q: use another key, or add it to key_ops", k.ID, op)
}

// A digest is HMAC-SHA-256 (RFC 2104) of a key and a text.
type digest [sha256.Size]byte

// A mac computes digests. It holds the last one, since memory passed to an interface
// would be allocated each time.
type mac struct {
	hash.Hash
	digest digest
}

// digest returns the digest of what write writes, or the error of write.
func (k Key) digest(write func(io.Writer) error) (digest, error) {
	m := k.macs.Get().(*mac)
	defer k.macs.Put(m)
	m.Reset()
	if err := write(m); err != nil {
		return digest{}, err
	}
	m.Sum(m.digest[:0])
	return m.digest, nil
}

// NewKey returns a key of 256 random bits.
func NewKey(id string) Key {
	secret := make([]byte, GoodKeyBytes)
	rand.Read(secret) // never fails
	return newKey(id, secret)
}

// Weakness returns why the secret is easier to guess than one of [NewKey], "" if there is
// no sign of that.
func (k Key) Weakness() string {
	switch {
	case len(k.secret) < GoodKeyBytes:
		return fmt.Sprintf("the key has %d bytes: %d random ones are as strong as the signature", len(k.secret), GoodKeyBytes)
	case !isRandom(k.secret):
		return "the key is not random: it has few different bytes or repeats itself"
	default:
		return ""
	}
}

// Format implements [fmt.Formatter] so that no verb shows the secret.
func (k Key) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "key %q of %d bytes", k.ID, len(k.secret))
}

// MarshalText returns what Format shows, for encoders and loggers.
func (k Key) MarshalText() ([]byte, error) { return fmt.Append(nil, k), nil }

// JWK returns the key as a JSON Web Key (RFC 7517) of type oct for HS256, the
// one text that holds the secret.
func (k Key) JWK() ([]byte, error) {
	return (&jose.JSONWebKey{Key: k.secret, KeyID: k.ID, Algorithm: string(jose.HS256)}).MarshalJSON()
}

// ParseKeys reads the content of a key file: a JSON Web Key or a JWK Set (RFC 7517) if it
// is a JSON object, and otherwise one key of raw bytes, of which one newline at the end
// is not part. Content that is recognisably something else, such as a public key, or that
// cannot be random is an error. The errors never quote the secret.
func ParseKeys(text []byte) ([]Key, error) {
	if other := otherThanSecret(text); other != "" {
		return nil, errors.New(other)
	}
	if !bytes.HasPrefix(bytes.TrimLeft(text, jsonSpace), []byte("{")) {
		secret := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		if len(secret) == 0 {
			return nil, errors.New("empty: a key is at least 16 random bytes; handoff keygen makes one")
		}
		k := newKey("", secret)
		return []Key{k}, k.check()
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		return nil, errors.New("begins with { but is not one JSON object: a key file holds a JSON Web Key, a JWK Set or raw bytes")
	}
	root := doc.Root()
	if !root.Get("keys").Exists() {
		k, err := parseJWK(root)
		return []Key{k}, err
	}
	var keys []Key
	for i, v := range root.Get("keys").Elements() {
		k, err := parseJWK(v)
		if err != nil {
			return nil, fmt.Errorf("/keys/%d: %w", i, err)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("/keys: a JWK Set without a key: put at least one into it")
	}
	return keys, nil
}

// jsonSpace is the white space allowed before a JSON value.
const jsonSpace = " \t\r\n"

// parseJWK reads one JSON Web Key, of which it knows the members of RFC 7517, section 4.
func parseJWK(v jsonstream.Value) (Key, error) {
	if kind := v.Get("kty"); kind.Text() != "oct" {
		found := "none"
		if kind.Kind() == jsonstream.String {
			found = fmt.Sprintf("%.20q", kind.Text())
		}
		return Key{}, fmt.Errorf("kty: expected \"oct\", found %s: messages are signed with a shared secret, not with a key pair", found)
	}
	if alg := v.Get("alg"); alg.Exists() && alg.Text() != string(jose.HS256) {
		return Key{}, fmt.Errorf("alg: the key is for %.20q: only HS256 (HMAC-SHA-256) is used here", alg.Text())
	}
	if use := v.Get("use"); use.Exists() && use.Text() != "sig" {
		return Key{}, fmt.Errorf("use: the key is for %.20q: only keys for \"sig\" sign", use.Text())
	}
	ops, err := keyOps(v.Get("key_ops"))
	if err != nil {
		return Key{}, fmt.Errorf("key_ops: %w", err)
	}
	var jwk jose.JSONWebKey
	if err := jwk.UnmarshalJSON(v.Raw()); err != nil {
		return Key{}, errors.New("k: not the secret in base64url without padding (RFC 7518, section 6.4)")
	}
	secret, ok := jwk.Key.([]byte)
	if !ok {
		return Key{}, errors.New("not a JSON Web Key of type oct")
	}
	k := newKey(jwk.KeyID, secret)
	k.ops = ops
	return k, k.check()
}

// keyOps reads the operations that a key is for (RFC 7517, section 4.3), nil for any.
func keyOps(v jsonstream.Value) ([]string, error) {
	if !v.Exists() {
		return nil, nil
	}
	malformed := errors.New(`expected an array of strings: write ["sign", "verify"]`)
	if v.Kind() != jsonstream.Array {
		return nil, malformed
	}
	ops := []string{}
	for _, op := range v.Elements() {
		if op.Kind() != jsonstream.String {
			return nil, malformed
		}
		if slices.Contains(ops, op.Text()) {
			return nil, errors.New("an operation is there twice: name each once")
		}
		ops = append(ops, op.Text())
	}
	if !slices.Contains(ops, opSign) && !slices.Contains(ops, opVerify) {
		return nil, errors.New(`the key is for neither "sign" nor "verify": use another key`)
	}
	return ops, nil
}

// check rejects a secret that can be found by trying.
func (k Key) check() error {
	switch {
	case len(k.secret) < MinKeyBytes:
		return fmt.Errorf("the key has %d bytes: at least %d are needed, %d are better; handoff keygen makes one", len(k.secret), MinKeyBytes, GoodKeyBytes)
	case len(bytes.Trim(k.secret, "\x00")) == 0:
		return errors.New("the key is nothing but zero bytes; handoff keygen makes one")
	default:
		return nil
	}
}
