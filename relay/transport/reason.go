package transport

import (
	"strings"
	"unicode"
)

// maxReason is how many bytes of a reason are kept.
const maxReason = 4096

// OneLine returns a reason for a dead letter as it is stored beside it: one line of printable
// characters, which does nothing to a terminal, and is cut if it is very long.
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
