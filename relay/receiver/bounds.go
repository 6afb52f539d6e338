package receiver

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Anybody may be able to write into a queue, and records are kept for years: MaxName is the maximum length of
// an id or a name in a record, and MaxExplanation the maximum length of an explanation, in bytes.
const (
	MaxName        = 1 << 10
	MaxExplanation = 64 << 10
)

// cut is the mark at the end of a truncated text.
const cut = "…"

// boundedName returns an id or a name as stored in records. A truncated one ends with a part of its SHA-256,
// so that different names stay different. Zero bytes are replaced, since PostgreSQL's texts cannot contain
// them.
func boundedName(text string) string {
	if len(text) > MaxName {
		sum := sha256.Sum256([]byte(text))
		end := cut + hex.EncodeToString(sum[:8])
		text = strings.ToValidUTF8(text[:MaxName-len(end)], "") + end
	}
	return strings.ReplaceAll(text, "\x00", "?")
}

// boundedText returns the beginning of a text, with a mark if it was truncated.
func boundedText(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most-len(cut)], "") + cut
	}
	return strings.ReplaceAll(text, "\x00", "?")
}
