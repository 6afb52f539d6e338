package merkle

import (
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/eaapl/handoff/internal/base64text"
)

// A Checkpoint is the state of a log at one time: its root fixes all records so far. Its text is a signed
// note (c2sp.org/signed-note) as defined by c2sp.org/tlog-checkpoint.
type Checkpoint struct {
	// Origin names the log: one line of UTF-8, usually a host and a path, as in example.com/audit.
	Origin string
	Size   int64 // number of records
	Root   Hash  // root of the tree of these records
}

// ErrSignature reports a checkpoint whose signature by the right key does not match its text.
var ErrSignature = errors.New("the signature does not verify: the checkpoint was changed")

// ErrUnknownKey reports a checkpoint that the right key has not signed.
var ErrUnknownKey = errors.New("the key has not signed it")

// maxCheckpoint is the maximum length of a checkpoint, in bytes: many times the length of one with a hundred
// witness signatures.
const maxCheckpoint = 1 << 20

// SignCheckpoint returns the signed note of a checkpoint. name is the name of the key, usually the same as
// the origin: not empty, without spaces and plus signs.
//
// A log must never sign two checkpoints unless the records of one begin with the records of the other.
func SignCheckpoint(c Checkpoint, name string, key ed25519.PrivateKey) ([]byte, error) {
	if len(key) != ed25519.PrivateKeySize {
		return nil, fmt.Errorf("key %q: an Ed25519 private key has %d bytes, found %d", name, ed25519.PrivateKeySize, len(key))
	}
	public := key.Public().(ed25519.PublicKey)
	known, err := newVerifier(name, public)
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
	text, err := note.Sign(&note.Note{Text: body}, signer{known, key})
	if err != nil {
		return nil, fmt.Errorf("checkpoint of %q: %w", c.Origin, err)
	}
	// Do not return a note that the reader rejects, or a signature by a key whose public half does not match.
	if _, err := VerifyCheckpoint(text, name, public); err != nil {
		return nil, fmt.Errorf("signing as %q for %.80q: %w", name, c.Origin, err)
	}
	return text, nil
}

// ParseCheckpoint parses a signed note without verifying its signatures. Lines after the root (extensions)
// are rejected: this log writes none.
func ParseCheckpoint(text []byte) (Checkpoint, error) {
	n, err := openNote(text, nil)
	if err != nil {
		return Checkpoint{}, err
	}
	return parseBody(n.Text)
}

// VerifyCheckpoint parses a signed note, and verifies its signature by the key under the name; "" is any
// name. It does not compare the origin. Signatures by other keys, such as witnesses', are ignored.
//
// The error is [ErrUnknownKey] if there is no signature by the key, [ErrSignature] if there is one that does
// not verify.
func VerifyCheckpoint(text []byte, name string, key ed25519.PublicKey) (Checkpoint, error) {
	if _, err := newVerifier(cmp.Or(name, "any"), key); err != nil {
		return Checkpoint{}, err
	}
	n, err := openNote(text, oneKey{name, key})
	if err != nil {
		return Checkpoint{}, err
	}
	if len(n.Sigs) == 0 {
		var others []string
		for _, s := range n.UnverifiedSigs {
			others = append(others, fmt.Sprintf("%s+%08x", s.Name, s.Hash))
		}
		return Checkpoint{}, fmt.Errorf("checkpoint: %w: expected a signature by it, found %s", ErrUnknownKey, strings.Join(others, ", "))
	}
	for _, s := range n.Sigs {
		// Package note accepts other spellings too, so that a changed byte would not be detected.
		if _, err := base64text.Decode(s.Base64, base64text.Canonical); err != nil {
			return Checkpoint{}, fmt.Errorf("checkpoint, signature by %s+%08x: %w", s.Name, s.Hash, ErrSignature)
		}
	}
	return parseBody(n.Text)
}

// openNote parses a signed note, and verifies the signatures by known keys. An invalid one is an error;
// having none is not.
func openNote(text []byte, known note.Verifiers) (*note.Note, error) {
	if len(text) > maxCheckpoint {
		return nil, fmt.Errorf("checkpoint of %d bytes: expected at most %d", len(text), maxCheckpoint)
	}
	n, err := note.Open(text, known)
	invalid, unverified := (*note.InvalidSignatureError)(nil), (*note.UnverifiedNoteError)(nil)
	switch {
	case errors.As(err, &unverified):
		return unverified.Note, nil
	case errors.As(err, &invalid):
		return nil, fmt.Errorf("checkpoint, signature by %s+%08x: %w", invalid.Name, invalid.Hash, ErrSignature)
	case err != nil:
		return nil, errors.New("not a checkpoint: expected the lines origin, number of records and root, an empty line, and signatures that begin with \"— \"")
	}
	return n, nil
}

// parseBody parses the signed part of a checkpoint. It accepts only the canonical spelling.
func parseBody(body string) (Checkpoint, error) {
	lines := strings.Split(body, "\n") // the last is empty: the body ends with a newline
	if len(lines) != 4 || lines[0] == "" {
		return Checkpoint{}, fmt.Errorf("checkpoint: expected the lines origin, number of records and root, found %d lines", len(lines)-1)
	}
	size, err := parseNumber(lines[1])
	if err != nil || checkSize(size) != nil {
		return Checkpoint{}, fmt.Errorf("checkpoint, line 2: expected the number of records, found %q", lines[1])
	}
	root, err := parseHash(lines[2])
	if err != nil {
		return Checkpoint{}, fmt.Errorf("checkpoint, line 3: %w", err)
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root}, nil
}

// parseNumber reads a decimal number that is not negative, without leading zeros.
func parseNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0, fmt.Errorf("expected a decimal number, found %q", text)
	}
	return n, nil
}

func parseHash(text string) (Hash, error) {
	h, err := base64text.Decode(text, base64text.Canonical)
	if err != nil || len(h) != len(Hash{}) {
		return Hash{}, fmt.Errorf("expected 32 bytes in base64, found %.80q", text)
	}
	return Hash(h), nil
}

// VerifierKey returns a public key in the form of tools for signed notes: NAME+HASH+KEY, where HASH is the
// key's id in hexadecimal and KEY the byte 1 and the public key in base64.
func VerifierKey(name string, key ed25519.PublicKey) (string, error) {
	if _, err := newVerifier(name, key); err != nil {
		return "", err
	}
	return note.NewEd25519VerifierKey(name, key)
}

// ParseVerifierKey parses the form of VerifierKey.
func ParseVerifierKey(text string) (name string, key ed25519.PublicKey, err error) {
	v, err := note.NewVerifier(text)
	if err != nil {
		return "", nil, fmt.Errorf("expected a verifier key, NAME+HASH+KEY: %w", err)
	}
	// Base64 contains plus signs, names do not. NewVerifier has parsed it, in any spelling.
	encoded, err := base64text.Decode(strings.SplitN(text, "+", 3)[2], base64text.Canonical)
	if err != nil {
		return "", nil, fmt.Errorf("verifier key of %q: it is not in canonical form", v.Name())
	}
	return v.Name(), encoded[1:], nil
}

// newVerifier returns the verifier of a key and its name. Both determine the key's id in signatures.
func newVerifier(name string, key ed25519.PublicKey) (note.Verifier, error) {
	text, err := note.NewEd25519VerifierKey(name, key)
	if err != nil {
		return nil, fmt.Errorf("key %q: %w", name, err)
	}
	v, err := note.NewVerifier(text)
	if err != nil {
		return nil, fmt.Errorf("key %q: expected a name without spaces and plus signs", name)
	}
	return v, nil
}

// A signer signs notes with a key; its verifier has the name and id.
type signer struct {
	note.Verifier
	key ed25519.PrivateKey
}

func (s signer) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.key, text), nil }

// oneKey is the only known key, under its name or, if that is "", under any name.
type oneKey struct {
	name string
	key  ed25519.PublicKey
}

func (k oneKey) Verifier(name string, hash uint32) (note.Verifier, error) {
	if k.name == "" || k.name == name {
		if v, err := newVerifier(name, k.key); err != nil || v.KeyHash() == hash {
			return v, err
		}
	}
	return nil, &note.UnknownVerifierError{Name: name, KeyHash: hash}
}
