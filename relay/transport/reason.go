package transport

import (
	"strings"
	"unicode"
)

// maxReason is the maximum length of a stored reason in bytes.
const maxReason = 4096

// OneLine returns a reason in the form stored with a dead letter: one line of printable characters,
// safe for a terminal, and cut if it is very long.
func OneLine(reason string) string {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, reason)
}
