package personal

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/eaapl/handoff/relay/audit"
)

// A KeyStore stores the keys of data subjects. Several processes may use one concurrently, for several logs.
type KeyStore interface {
	// Secret returns the key for hashing the ids of data subjects. It is created by the first call, and never
	// changes.
	Secret(ctx context.Context) (Secret, error)
	// Keys returns the keys of subjects of a log. Missing ones are created and durable on return.
	Keys(ctx context.Context, log string, subjects []string) ([]Key, error)
	// Find returns the key with an id, nil if there is none.
	Find(ctx context.Context, id KeyID) (*Key, error)
	// Destroy overwrites and removes the key of a subject, and notes the erasure, atomically.
	Destroy(ctx context.Context, e Erasure) error
	// Sweep removes remains of destroyed keys from files.
	Sweep(ctx context.Context) error
	// Unfinished returns the noted erasures of a log, and Finish removes one.
	Unfinished(ctx context.Context, log string) ([]Erasure, error)
	Finish(ctx context.Context, e Erasure) error
	Close() error
}

// A Secret is 32 random bytes. Formatting does not show it.
type Secret [32]byte

// String hides the secret.
func (Secret) String() string { return "personal.Secret" }

// GoString hides the secret.
func (Secret) GoString() string { return "personal.Secret" }

// A KeyID identifies a key.
type KeyID [16]byte

// A Key is the key of a data subject.
type Key struct {
	ID      KeyID
	Subject string // as stored in records
	Secret  Secret
}

// An Erasure is the destruction of a data subject's key.
type Erasure struct {
	Log     string
	Subject string // as stored in records
	By      string
	Reason  string
	At      time.Time
	Size    int64 // size of the log at its beginning
}

// derive derives a key for a purpose (HKDF, RFC 5869).
func (s Secret) derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, s[:], nil, "handoff personal data 1: "+purpose, sha256.Size)
	if err != nil {
		panic(err) // only for invalid lengths, which are constant
	}
	return key
}

// digest returns the keyed digest of a message. The plain digest would confirm guesses of the personal data.
func (k *Key) digest(plain audit.Hash) audit.Hash {
	return mac(k.Secret.derive("digest"), plain[:])
}

// The kinds of ids of data subjects.
const (
	ofSubject = "subject" // the id in the message that the policy points to
	ofHandoff = "handoff" // handoffId: a message without a subject's id is its own subject
	ofMessage = "message" // SHA-256: a message without any id
)

// hash returns an id as stored in records.
func (s Secret) hash(kind, id string) string {
	h := mac(s.derive("subject"), []byte(kind+"\x00"+id))
	return hex.EncodeToString(h[:])
}

func mac(key, text []byte) audit.Hash {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return audit.Hash(h.Sum(nil))
}
