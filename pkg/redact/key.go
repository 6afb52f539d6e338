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

// A Key is what replacements are derived from and a vault is encrypted under. It shows
// nothing of the secret when it is formatted. It is safe for concurrent use.
type Key struct {
	names []byte      // the key of the HMAC for replacements
	lines []byte      // that of the HMAC by which entries are found
	vault cipher.AEAD // AES-256-GCM with random nonces
}

// NewKey derives a key from a secret (HKDF, RFC 5869). One that anybody can guess is an error.
func NewKey(secret []byte) (*Key, error) {
	if weakness := secrets.Weakness(secret); weakness != "" {
		return nil, fmt.Errorf("the secret %s; handoff keygen makes one", weakness)
	}
	return deriveKey(secret), nil
}

func newRandomKey() *Key {
	secret := make([]byte, sha256.Size)
	rand.Read(secret) // never fails
	return deriveKey(secret)
}

func deriveKey(secret []byte) *Key {
	derive := func(purpose string) []byte {
		key, err := hkdf.Key(sha256.New, secret, nil, "handoff redact 1: "+purpose, sha256.Size)
		if err != nil {
			panic(err) // of lengths, which are fixed
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

// tagLength is how many characters of five bits a replacement has: among a million values,
// two have the same one by chance once in two thousand times.
const tagLength = 10

const alphabet = "abcdefghijkmnpqrstuvwxyz23456789"

var letters = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// tag returns what a replacement ends with.
func (k *Key) tag(id identity) string {
	return letters.EncodeToString(mac(k.names, string(id.class), id.value))[:tagLength]
}

// stream returns the numbers for the replacement of a value that keeps its form.
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

// An entry is what a line of a vault holds, encrypted.
type entry struct {
	// Undo are the parts of the redacted message with what was there before.
	Undo []Change `json:"undo"`
	// Values are the replacements with what they stand for.
	Values map[string]string `json:"values"`
}

// A line is a line of a vault.
type line struct {
	Digest string `json:"hmac"`   // of the redacted message, keyed
	Sealed string `json:"sealed"` // the entry, in base64
}

// entry returns a line of a vault for a redacted message.
func (k *Key) entry(redacted []byte, changes []Change, values map[string]string) ([]byte, error) {
	text, err := json.Marshal(entry{changes, values})
	if err != nil {
		return nil, err
	}
	digest := k.digest(redacted)
	sealed := k.vault.Seal(nil, nil, text, []byte(digest))
	return json.Marshal(line{digest, base64.StdEncoding.EncodeToString(sealed)})
}

// digest returns the name of the entry of a redacted message.
func (k *Key) digest(redacted []byte) string {
	return base64.RawStdEncoding.EncodeToString(mac(k.lines, string(redacted)))
}

// ErrKey says that an entry was written under another key, or has been changed.
var ErrKey = errors.New("cannot be decrypted: it is of another secret, or was changed")

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
