package receiver

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Anybody may write into a queue, and what a record keeps stays for years: MaxName is how long an id or
// a name of a record may be, and MaxExplanation what is said of it, in bytes.
const (
	MaxName        = 1 << 10
	MaxExplanation = 64 << 10
)

// cut ends a text that was cut.
const cut = "…"

// boundedName returns an id or a name as records have it. One that is too long ends with a part of
// its SHA-256, so that two of them stay different. PostgreSQL has no zero bytes in texts.
func boundedName(text string) string {
	if len(text) > MaxName {
		sum := sha256.Sum256([]byte(text))
		end := cut + hex.EncodeToString(sum[:8])
		text = strings.ToValidUTF8(text[:MaxName-len(end)], "") + end
	}
	return strings.ReplaceAll(text, "\x00", "?")
}

// boundedText returns the beginning of what somebody says, with a mark where it was cut.
func boundedText(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most-len(cut)], "") + cut
	}
	return strings.ReplaceAll(text, "\x00", "?")
}
