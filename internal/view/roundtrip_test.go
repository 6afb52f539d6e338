package view

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// encodings are encodings of a text that Of reverses.
var encodings = map[Kind]func(string) string{
	Base64:   func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	Base32:   func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	Hex:      func(s string) string { return hex.EncodeToString([]byte(s)) },
	Binary:   func(s string) string { return strings.Trim(fmt.Sprintf("%08b", []byte(s)), "[]") },
	Percent:  func(s string) string { return "%69" + url.PathEscape(s) },
	Entities: func(s string) string { return eachByte("&#%d;", s) },
	Escapes:  func(s string) string { return eachByte(`\x%02x`, s) },
	Tags: func(s string) string {
		return strings.Map(func(r rune) rune { return 0xE0000 + r }, s)
	},
	Selectors: func(s string) string {
		return strings.Map(func(r rune) rune { return 0xE0100 + r - 16 }, s)
	},
	Folded: func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' {
				return r
			}
			return r - 'a' + 'ａ'
		}, s)
	},
}

func eachByte(format, s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// TestEncodings checks that each encoded text, in the middle of ordinary text, has a reading that
// comes from its place.
func TestEncodings(t *testing.T) {
	for kind, encode := range encodings {
		t.Run(string(kind), rapid.MakeCheck(func(t *rapid.T) {
			words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{2,9}`), 5, 60).Draw(t, "words")
			says := strings.Join(words, " ")
			code := encode(says)
			before := rapid.StringMatching(`([A-Z][a-z]{0,9}[,:.] ){0,5}`).Draw(t, "before")
			text := before + code + rapid.StringMatching(`( [a-z]{1,9}){0,3}\.`).Draw(t, "after")

			for r := range Of(text) {
				i := strings.Index(r.Text, says)
				if r.Kind != kind || i < 0 {
					continue
				}
				offset, length := r.Origin(i, i+len(says))
				if got := text[offset : offset+length]; !strings.HasSuffix(strings.TrimRight(code, "="), strings.TrimRight(got, "=")) {
					t.Fatalf("%q comes from %q, want %q", says, got, code)
				}
				return
			}
			t.Fatalf("%q is in no reading of %q: %q", says, text, readings(text))
		}))
	}
}
