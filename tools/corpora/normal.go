package main

import (
	"unicode"

	"github.com/eaapl/handoff/pkg/summarize"
)

// normal normalises a text for comparison: see [summarize.Fold].
func normal(s string) string { return string(summarize.Fold(s)) }

// holds reports whether a normalised text contains the normalised value.
func holds(text, value string) bool {
	return summarize.Folded(text).Says(summarize.Folded(value))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func isDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// unbroken reports whether the letter's script writes words, or their endings, without spaces.
func unbroken(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
