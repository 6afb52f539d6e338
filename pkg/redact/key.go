package redact

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/internal/secrets"
)

// A Key derives replacements and encrypts a vault. Formatting it does not reveal the secret. It is
// safe for concurrent use.
type Key struct {
	names []byte      // HMAC key of the replacements
	lines []byte      // HMAC key of the entries' digests
	vault cipher.AEAD // AES-256-GCM with random nonces
}

// NewKey derives a key from a secret (HKDF, RFC 5869). It returns an error for a secret that can be
// guessed.
func NewKey(secret []byte) (*Key, error) {
	if weakness := secrets.Weakness(secret); weakness != "" {
		return nil, fmt.Errorf("the secret %s; handoff keygen makes one", weakness)
	}
	return deriveKey(secret), nil
}

// NewRandomKey returns a key of a random secret, which is not kept: no other run makes the same replacements.
func NewRandomKey() *Key {
	secret := make([]byte, sha256.Size)
	rand.Read(secret) // never fails
	return deriveKey(secret)
}

func deriveKey(secret []byte) *Key {
	derive := func(purpose string) []byte {
		key, err := hkdf.Key(sha256.New, secret, nil, "handoff redact 1: "+purpose, sha256.Size)
		if err != nil {
			panic(err) // the lengths are fixed
		}
		return key
	}
	block, err := aes.NewCipher(derive("vault"))
	if err != nil {
		panic(err)
	}
	vault, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return &Key{names: derive("names"), lines: derive("lines"), vault: vault}
}

// String hides the key.
func (*Key) String() string { return "redact.Key" }

// GoString hides the key.
func (*Key) GoString() string { return "redact.Key" }

func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(strings.Join(parts, "\x00")))
	return h.Sum(nil)
}

// tagLength is the length of a tag in characters of five bits: among a million values, the
// probability of a collision is 1 in 2000.
const tagLength = 10

const alphabet = "abcdefghijkmnpqrstuvwxyz23456789"

var letters = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// tag returns the final part of a replacement.
func (k *Key) tag(id identity) string {
	return letters.EncodeToString(mac(k.names, string(id.class), id.value))[:tagLength]
}

// stream returns the numbers for a replacement that keeps its format.
func (k *Key) stream(id identity) stream {
	seed := mac(k.names, "form", string(id.class), id.value)
	var block []byte
	round := uint64(0)
	return func() uint64 {
		if len(block) < 8 {
			var counter [8]byte
			binary.BigEndian.PutUint64(counter[:], round)
			round++
			h := hmac.New(sha256.New, seed)
			h.Write(counter[:])
			block = h.Sum(nil)
		}
		n := binary.BigEndian.Uint64(block)
		block = block[8:]
		return n
	}
}

// An entry is the decrypted content of a vault's line.
type entry struct {
	// Undo are the changes that restore the original.
	Undo []Change `json:"undo"`
	// Values has the original value of each replacement.
	Values map[string]string `json:"values"`
}

// A line is a line of a vault.
type line struct {
	Digest string `json:"hmac"`   // HMAC of the redacted message
	Sealed string `json:"sealed"` // the entry, in base64
}

// entry returns the line of a vault for a redacted message.
func (k *Key) entry(redacted []byte, changes []Change, values map[string]string) ([]byte, error) {
	text, err := json.Marshal(entry{changes, values})
	if err != nil {
		return nil, err
	}
	digest := k.digest(redacted)
	sealed := k.vault.Seal(nil, nil, text, []byte(digest))
	return json.Marshal(line{digest, base64.StdEncoding.EncodeToString(sealed)})
}

// digest returns the HMAC that identifies the entry of a redacted message.
func (k *Key) digest(redacted []byte) string {
	return base64.RawStdEncoding.EncodeToString(mac(k.lines, string(redacted)))
}

// ErrKey reports an entry that was encrypted with another key or was changed.
var ErrKey = errors.New("cannot be decrypted: it belongs to another secret, or was changed")

// open decrypts a line.
func (k *Key) open(l line) (entry, error) {
	var e entry
	sealed, err := base64.StdEncoding.DecodeString(l.Sealed)
	if err != nil {
		return e, ErrKey
	}
	text, err := k.vault.Open(nil, nil, sealed, []byte(l.Digest))
	if err != nil {
		return e, ErrKey
	}
	if json.Unmarshal(text, &e) != nil {
		return e, ErrKey
	}
	return e, nil
}
