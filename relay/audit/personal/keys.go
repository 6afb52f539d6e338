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

// A KeyStore keeps the keys of data subjects. Several processes may use one at once, for
// several logs.
type KeyStore interface {
	// Secret returns the key that ids of data subjects are hashed with. It is made the first
	// time, and never changes.
	Secret(ctx context.Context) (Secret, error)
	// Keys returns the key of each subject of a log. Those that were not there are made, and
	// are durable then.
	Keys(ctx context.Context, log string, subjects []string) ([]Key, error)
	// Find returns a key by its id, nil if there is none.
	Find(ctx context.Context, id KeyID) (*Key, error)
	// Destroy overwrites and removes the key of a subject, and notes the erasure, in one
	// step.
	Destroy(ctx context.Context, e Erasure) error
	// Sweep removes what destroyed keys have left in files.
	Sweep(ctx context.Context) error
	// Unfinished returns the erasures of a log that are noted, and Finish removes one.
	Unfinished(ctx context.Context, log string) ([]Erasure, error)
	Finish(ctx context.Context, e Erasure) error
	Close() error
}

// A Secret is 32 random bytes. It is not shown when it is formatted.
type Secret [32]byte

// String hides the secret.
func (Secret) String() string { return "personal.Secret" }

// GoString hides the secret.
func (Secret) GoString() string { return "personal.Secret" }

// A KeyID names a key.
type KeyID [16]byte

// A Key is the key of a data subject.
type Key struct {
	ID      KeyID
	Subject string // as the records have it
	Secret  Secret
}

// An Erasure is that the key of a data subject is destroyed.
type Erasure struct {
	Log     string
	Subject string // as the records have it
	By      string
	Reason  string
	At      time.Time
	Size    int64 // of the log when it began
}

// derive returns the key for a purpose (HKDF, RFC 5869).
func (s Secret) derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, s[:], nil, "handoff personal data 1: "+purpose, sha256.Size)
	if err != nil {
		panic(err) // of lengths, which are fixed
	}
	return key
}

// digest returns the keyed digest of a message, whose plain one would tell who guesses the
// personal data in it whether that is right.
func (k *Key) digest(plain audit.Hash) audit.Hash {
	return mac(k.Secret.derive("digest"), plain[:])
}

// What an id of a data subject is.
const (
	ofSubject = "subject" // the one in the message, where the policy says
	ofHandoff = "handoff" // handoffId: a message without one is its own subject
	ofMessage = "message" // SHA-256: a message without any id
)

// hash returns an id as records have it.
func (s Secret) hash(kind, id string) string {
	h := mac(s.derive("subject"), []byte(kind+"\x00"+id))
	return hex.EncodeToString(h[:])
}

func mac(key, text []byte) audit.Hash {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return audit.Hash(h.Sum(nil))
}
