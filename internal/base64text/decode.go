// Package base64text decodes base64 in the variants that message formats allow.
package base64text

import (
	"encoding/base64"
	"strings"
)

// A Form is a set of accepted base64 texts.
type Form int

const (
	// Any accepts both alphabets of RFC 4648, with or without padding. It ignores line breaks and unused
	// trailing bits.
	Any Form = iota
	// ProtoJSON is like Any, but without line breaks, as in the JSON form of protobuf.
	ProtoJSON
	// Canonical accepts the only canonical text of some bytes: the standard alphabet, padding, no line
	// breaks, and zeros in the unused trailing bits.
	Canonical
)

// Decode returns the decoded bytes of a text. The error is a [base64.CorruptInputError].
func Decode(text string, form Form) ([]byte, error) {
	if form != Any {
		if at := strings.IndexAny(text, "\r\n"); at >= 0 {
			return nil, base64.CorruptInputError(at)
		}
	}
	encoding := base64.StdEncoding
	if form == Canonical {
		return encoding.Strict().DecodeString(text)
	}
	if strings.ContainsAny(text, "-_") {
		encoding = base64.URLEncoding
	}
	if !strings.HasSuffix(strings.TrimRight(text, "\r\n"), "=") {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	return encoding.DecodeString(text)
}
