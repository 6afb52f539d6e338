// Package base64text decodes base64 as the message formats allow it.
package base64text

import (
	"encoding/base64"
	"strings"
)

// A Form says which texts in base64 are accepted.
type Form int

const (
	// Any is either alphabet of RFC 4648, with padding or without; line breaks, and bits
	// that are left over, do not count.
	Any Form = iota
	// ProtoJSON is the same without line breaks, as the JSON form of protobuf has it.
	ProtoJSON
	// Canonical is the only text that some bytes have: the standard alphabet, with
	// padding, without line breaks, with zeros in the bits that are left over.
	Canonical
)

// Decode returns the bytes that a text holds. The error is a
// [base64.CorruptInputError].
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
