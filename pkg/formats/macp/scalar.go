package macp

import (
	"encoding/base64"
	"strings"
)

// DecodeBytes reads base64 as the JSON form of protobuf has it, and reports whether the
// text is base64: with the standard or the URL-safe alphabet, with or without padding.
// Bits that are left over at the end do not count.
func DecodeBytes(text string) ([]byte, bool) {
	plain := strings.TrimRight(text, "=")
	if padding := len(text) - len(plain); padding > 2 || padding > 0 && len(text)%4 != 0 || strings.ContainsAny(plain, "\r\n") {
		return nil, false
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(plain, "-_") {
		encoding = base64.RawURLEncoding
	}
	out, err := encoding.DecodeString(plain)
	return out, err == nil
}
