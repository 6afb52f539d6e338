package personal

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/relay/audit"
)

// A content is the decrypted content of a payload.
type content struct {
	Salt []byte  `json:"salt"` // of the commitments
	Undo []undo  `json:"undo"`
	Data []Datum `json:"data"`
	// Findings are the record's findings, whose texts may contain personal data.
	Findings []audit.Finding `json:"findings,omitzero"`
}

// An undo is a range of the message with replacements, in bytes, and the original text.
type undo struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Before []byte `json:"before"` // base64
}

// A Datum is one piece of personal data.
type Datum struct {
	Pointer string        `json:"pointer"` // of the value that contains it
	Class   privacy.Class `json:"class"`
	Value   string        `json:"value"`
}

// The format of a payload: version, key id, nonce, encrypted content.
const (
	version     = 1
	nonceAt     = 1 + len(KeyID{})
	encryptedAt = nonceAt + chacha20poly1305.NonceSizeX
)

// A TamperedError reports that stored personal data was changed, or belongs to another record.
type TamperedError struct {
	Sequence int64
	Problem  string
}

func (e *TamperedError) Error() string {
	return fmt.Sprintf("record %d: its personal data was changed: %s", e.Sequence, e.Problem)
}

// splitPayload returns the parts of a payload.
func splitPayload(payload []byte) (id KeyID, nonce, encrypted []byte, err error) {
	switch {
	case len(payload) < encryptedAt+chacha20poly1305.Overhead:
		return id, nil, nil, fmt.Errorf("it is too short: it has %d bytes", len(payload))
	case payload[0] != version:
		return id, nil, nil, fmt.Errorf("it has version %d, but this program supports only version %d", payload[0], version)
	}
	return KeyID(payload[1:nonceAt]), payload[nonceAt:encryptedAt], payload[encryptedAt:], nil
}

// bound returns the additional authenticated data of a payload: the log, the record, the subject and the key.
func bound(log string, sequence int64, subject string, id KeyID) []byte {
	text := []byte("handoff personal data 1\x00" + log + "\x00" + subject + "\x00")
	return append(binary.BigEndian.AppendUint64(text, uint64(sequence)), id[:]...)
}

func (k *Key) cipher() cipher.AEAD {
	c, err := chacha20poly1305.NewX(k.Secret.derive("payload"))
	if err != nil {
		panic(err) // only for invalid key lengths, which are constant
	}
	return c
}

// seal returns the payload of a record.
func (k *Key) seal(log string, sequence int64, c content) ([]byte, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	payload := append(append(make([]byte, 0, encryptedAt+len(text)+chacha20poly1305.Overhead), version), k.ID[:]...)
	payload = payload[:encryptedAt]
	rand.Read(payload[nonceAt:]) // never fails
	return k.cipher().Seal(payload, payload[nonceAt:], text, bound(log, sequence, k.Subject, k.ID)), nil
}

// open decrypts the payload of a record, and checks that it belongs to it.
func (k *Key) open(log string, r *audit.Record, payload []byte) (c content, err error) {
	id, nonce, encrypted, err := splitPayload(payload)
	if err != nil {
		return c, &TamperedError{r.Sequence, err.Error()}
	}
	text, err := k.cipher().Open(nil, nonce, encrypted, bound(log, r.Sequence, r.Details.Subject, id))
	if err != nil {
		return c, &TamperedError{r.Sequence, "it cannot be decrypted"}
	}
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		return c, &TamperedError{r.Sequence, "its content is not valid"}
	}
	if commitments, err := c.commitments(); err != nil || !slices.Equal(commitments, r.Details.Commitments) {
		return c, &TamperedError{r.Sequence, "it does not match the commitments in the record"}
	}
	return c, nil
}

// CheckPayload returns an error if a payload does not belong to a record; nil for a record without a payload.
// It needs no key.
func CheckPayload(r *audit.Record, payload []byte) error {
	switch want := r.Details.PayloadDigest; {
	case want == nil && payload == nil:
		return nil
	case want == nil:
		return &TamperedError{r.Sequence, "the record should have none"}
	case payload == nil:
		return &TamperedError{r.Sequence, "it is missing"}
	case audit.Hash(sha256.Sum256(payload)) != *want:
		return &TamperedError{r.Sequence, "its digest is not the recorded one"}
	}
	return nil
}

// maxCommitments is the maximum number of individual commitments: more data have one commitment together.
const maxCommitments = 64

// commitments returns the commitments of the data for the record: HMAC-SHA-256 with the salt, without which
// guesses cannot be checked.
func (c *content) commitments() (list []audit.Hash, err error) {
	items := make([]jsontext.Value, len(c.Data))
	for i, d := range c.Data {
		if items[i], err = json.Marshal([]string{d.Pointer, d.Value}); err == nil {
			err = items[i].Canonicalize()
		}
		if err != nil {
			return nil, err
		}
	}
	if len(items) > maxCommitments {
		all, err := json.Marshal(items)
		if err != nil {
			return nil, err
		}
		items = []jsontext.Value{all}
	}
	for _, item := range items {
		list = append(list, mac(c.Salt, item))
	}
	return list, nil
}

// changes returns the changes that restore a message.
func (c *content) changes() []redact.Change {
	list := make([]redact.Change, len(c.Undo))
	for i, u := range c.Undo {
		list[i] = redact.Change(u)
	}
	return list
}

// newLogID returns a random name for a log.
func newLogID() string {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

var errNoKeys = errors.New("there is no key store for personal data")
