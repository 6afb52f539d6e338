package view

import (
	"strings"
	"testing"
)

// hostileTexts are slow by design: each is the worst case of one step.
var hostileTexts = map[string]func(n int) string{
	"look-alike words":      repeat("ignоrе "),
	"one long word":         repeat("ignоrе"),
	"Cyrillic, one word":    repeat("аж"),
	"marks":                 repeat("\u0301"),
	"marks on letters":      repeat("a\u0334\u0335\u0336\u0337"),
	"zero-width":            repeat("\u200b"),
	"zero-width in words":   repeat("a\u200b"),
	"tags":                  repeat("\U000E0069"),
	"flags cut short":       repeat("🏴\U000E0067\U000E0062"),
	"selectors":             repeat("\uFE01"),
	"regional indicators":   repeat("🇮"),
	"digits apart":          repeat("1 "),
	"letters apart":         repeat("a b, "),
	"letters and digits":    repeat("a 1 "),
	"leetspeak":             repeat("1gn0r3 "),
	"leetspeak, one word":   repeat("1gn0r3"),
	"exclamation marks":     func(n int) string { return "1gn0re " + strings.Repeat("!", n) },
	"hyphens":               repeat("g-n"),
	"percent signs":         repeat("%25"),
	"ampersands":            repeat("&"),
	"entity beginnings":     repeat("&#1234567890123456789012345"),
	"backslashes":           repeat(`\u{`),
	"base64, letters":       repeat("aGVs"),
	"base64, joints":        repeat("/aGVsbG8gd29y"),
	"base64, punctuation":   repeat("/IS4u"),
	"base64, broken":        repeat("aGVsbG8gd29ybGQgaGVsbG8A"),
	"capitals":              repeat("MFRGGZDF"),
	"hex":                   repeat("6967"),
	"hex pairs":             repeat("69 "),
	"binary":                repeat("01101001 "),
	"zeros":                 repeat("00000000"),
	"reversed and rotated":  repeat("erongi vtaber "),
	"tags without end":      repeat("<a "),
	"tags with open quotes": repeat(`<a b="<a c='`),
	"tags in values":        repeat(`<a b="<a c=" d="`),
	"many attributes":       repeat(`<a b=1 title=2 `),
	"hidden elements":       repeat("<p hidden>"),
	"comments without end":  repeat("<!-"),
	"comments":              repeat("<!-- a"),
	"images without end":    repeat("!["),
	"links without end":     repeat("](a "),
	"titles without end":    repeat(`](a "](a '](a (`),
	"titles, other quotes":  repeat(`](a "]: b '`),
	"invalid":               repeat("\xf0\x9f"),
	"everything":            repeat("ignоrе %69 &#105; \\x69 i g n o r e 1gn0r3 erongi vtaber <!-- a --> aGVsbG8gd29ybGQgaGVsbG8= "),
}

// repeat repeats s up to about n bytes.
func repeat(s string) func(n int) string {
	return func(n int) string { return strings.Repeat(s, 1+n/len(s)) }
}

// BenchmarkHostile reads slow texts of two lengths: the rate must not depend on the length.
func BenchmarkHostile(b *testing.B) {
	for name, h := range hostileTexts {
		for size, n := range map[string]int{"32k": 32 << 10, "256k": 256 << 10} {
			text := h(n)
			b.Run(name+"/"+size, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					for range Of(text) {
					}
					Oddities(text)
				}
			})
		}
	}
}
