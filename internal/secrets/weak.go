package secrets

import (
	"bytes"
	"fmt"
)

const (
	// MinBytes is the minimum length of a secret for signing or encryption.
	MinBytes = 16
	// GoodBytes is the recommended length: as long as the output of SHA-256 (RFC 2104, section 3).
	GoodBytes = 32
)

// Weakness returns the reason why a secret is easy to guess, as a text to follow its name, "" if no
// reason is known.
func Weakness(secret []byte) string {
	switch {
	case len(secret) < MinBytes:
		return fmt.Sprintf("has %d bytes: at least %d are needed, %d are better", len(secret), MinBytes, GoodBytes)
	case len(bytes.Trim(secret, "\x00")) == 0:
		return "has only zero bytes"
	case bytes.Count(secret, secret[:1]) == len(secret):
		return "repeats one byte"
	default:
		return ""
	}
}
