package view

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/internal/textscan"
)

// lookEverywhere is [look] without blocks: it checks every byte in detail.
func lookEverywhere(text string) signs {
	l := looker{text: text}
	l.apart(0, len(text))
	for i := range len(text) {
		m := byteMeaning[text[i]]
		if i == 0 || byteMeaning[text[i-1]]&byteWord == 0 {
			if s := text[i:]; lenOfCode(s) >= 15 {
				l.code(s)
			}
		}
		if m&byteSign != 0 {
			l.sign(i)
		}
		l.word(i)
	}
	l.runes(0, len(text))
	l.rows()
	for _, stem := range stems {
		for i := range len(text) {
			if rest := text[i:]; len(rest) >= len(stem) {
				if strings.EqualFold(rest[:len(stem)], rot13(stem)) {
					l.found |= signRotated
				}
				if strings.EqualFold(rest[:len(stem)], reverse(stem)) {
					l.found |= signReversed
				}
			}
		}
	}
	return l.found
}

// lenOfCode returns the number of bytes at the start of s that may be an encoding.
func lenOfCode(s string) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || byteMeaning[r]&byteBreak != 0 }); n >= 0 {
		return n
	}
	return len(s)
}

// drawDisguised draws a text of complete and broken disguises, and of padding that moves them
// across the boundaries of blocks.
func drawDisguised(t *rapid.T) string {
	parts := append([]string{
		" ", " ", "  ", ", ", "-", "_", "+", "/", ".", `"`, "\n", "\r\n", "a", "b", "1", "0", "7", "@", "$", "!", "|", "=", "~", "^", "*", "\x01", "\x7f",
		"69", "6e", "6f 72", "0x69", "0b", "0b01101001", "01101001", "10101010", "1gn0r3", "h3ll0", "ab!c1d", "k@x.com", "v1", "ab", "e6",
		"i g n o r e", "i.g.n", "ig-no-re", "<!--", "<p hidden>", "<img alt='x'>", "<", "![x]", `](a "t")`, "]: b (c)", "=69=6E", "%69", "&#105;", "&lt;",
		`\x69`, `\n`, "é", "о", "ignоre", "\u200b", "\u202e", "\ufe0f", "\u00a0", "\u0301", "🎉", "\U000E0061", "🇬🇧", "\xff", "\xf0\x9f",
		"aGVsbG8gd29ybGQgaGVsbG8=", "NBSWY3DPEB3W64TMMQ", "68656c6c6f20776f726c64", "deadbeefcafe", "completion", "conversationHistoryVerbatim",
		"0c5c7fd0-a6a3-4450-a513-270e269e0d37", "2026-06-03T07:05:35.434Z", rot13(stems[0]), reverse(stems[1]),
	}, stems...)
	some := rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(t, "parts")
	var b strings.Builder
	for range rapid.IntRange(0, 40).Draw(t, "length") {
		part := rapid.SampledFrom(some).Draw(t, "part")
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0:
			part = strings.ToUpper(part)
		case 1:
			part = part[:len(part)-1]
		case 2:
			part = strings.Repeat("x", rapid.IntRange(0, 70).Draw(t, "filling"))
		case 3, 4:
			part += " "
		}
		b.WriteString(part)
	}
	return b.String()
}

// Searching blocks finds the same as a detailed check of every byte.
func TestLook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawDisguised(t)
		if got, want := look(text, 0), lookEverywhere(text); got != want {
			t.Fatalf("%q: got %016b, want %016b", text, got, want)
		}
		if got, want := Plain(text), lookEverywhere(text) == 0; got != want {
			t.Fatalf("%q: plain %v, want %v", text, got, want)
		}
	})
}

// A disguise in one of several texts is found at its place.
func TestLooker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		hides := make(map[int]bool) // whether the text that ends here is not plain
		for range rapid.IntRange(1, 6).Draw(t, "texts") {
			one := strings.ReplaceAll(drawDisguised(t), `"`, "")
			text.WriteString(one + `"`)
			hides[text.Len()] = !Plain(one)
		}
		found := make(map[int]bool)
		looker, classes := NewLooker(text.String()), NewClasses("a+#")
		for at := 0; at < text.Len(); at += textscan.BlockLen {
			block := func(at int) textscan.Block { return textscan.ReadBlock(text.String(), at, classes) }
			found[at] = looker.Block(at, block(at), block(at+textscan.BlockLen))
		}
		start := 0
		for end := 1; end <= text.Len(); end++ {
			hidden, ok := hides[end]
			if !ok {
				continue
			}
			for at := start / textscan.BlockLen * textscan.BlockLen; at < end; at += textscan.BlockLen {
				hidden = hidden && !found[at]
			}
			if hidden {
				t.Fatalf("%q is not plain, in %q", text.String()[start:end], text.String())
			}
			start = end
		}
	})
}
