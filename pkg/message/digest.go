package message

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ParentDigestMember is the name of the member of extensions with the digest of the message by which the
// sender received the task.
const ParentDigestMember = "parentDigest"

// A Digest is the SHA-256 of the canonical form (RFC 8785) of a message, including its signature, or of a
// value of one. Messages with equal digests have equal contents.
type Digest [sha256.Size]byte

// digestPrefix names the hash.
const digestPrefix = "sha256:"

// String returns "sha256:" and 64 lower-case hexadecimal digits.
func (d Digest) String() string { return digestPrefix + hex.EncodeToString(d[:]) }

// ParseDigest parses a text that [Digest.String] returns, and reports whether it is valid.
func ParseDigest(text string) (d Digest, ok bool) {
	digits, ok := strings.CutPrefix(text, digestPrefix)
	if !ok || len(digits) != 2*len(d) {
		return Digest{}, false
	}
	_, err := hex.Decode(d[:], []byte(digits))
	return d, err == nil && d.String() == text // in lower case
}

// Digest returns the digest of the message. The error is a [*jsonstream.NumberError] for a number beyond
// the range of a double, which has no canonical form. A number that a double cannot represent exactly counts
// as the nearest double, as in RFC 8785.
func (m *Message) Digest() (Digest, error) { return DigestOf(m.Root()) }

// DigestOf returns the digest of a value, with the error of [Message.Digest].
func DigestOf(v jsonstream.Value) (Digest, error) {
	hash := sha256.New()
	err := jsonstream.WriteCanonical(hash, v, jsonstream.CanonicalOptions{})
	var d Digest
	hash.Sum(d[:0])
	return d, err
}

// ParentDigest returns extensions.parentDigest, the digest of the parent message as the sender received it;
// absent if there is none. If it differs from the parent's [Digest], the parent or this message was
// replaced since.
func (m *Message) ParentDigest() jsonstream.Value {
	return m.Root().Get("extensions").Get(ParentDigestMember)
}
