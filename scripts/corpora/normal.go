package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// normal makes texts comparable that differ in case, in spaces ("7 pm", "7pm"), in how
// digits are written ("１", "١", "1,200") or in underscores for spaces.
func normal(s string) string {
	var b strings.Builder
	var last rune // the last one written, but for a space that waits
	space := false
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case unicode.Is(unicode.Nd, r):
			r = '0' + rune(digitOf(r))
		case r == ',' && isDigit(last) && !space && i+1 < len(runes) && unicode.Is(unicode.Nd, runes[i+1]):
			continue
		case r == '_' || unicode.IsSpace(r):
			space = true
			continue
		case r == '’' || r == '‘':
			r = '\''
		default:
			r = unicode.ToLower(r)
		}
		if space && b.Len() > 0 && isWord(r) && isWord(last) && !(isDigit(last) && unicode.IsLetter(r)) && !(unbroken(last) && unbroken(r)) {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// holds reports whether a normalised text has the normalised value, as a word of its own
// where the script parts words by spaces.
func holds(text, value string) bool {
	if value == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(value)
	final, _ := utf8.DecodeLastRuneInString(value)
	for from := 0; ; {
		at := strings.Index(text[from:], value)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(value):])
		if (at == 0 || parts(before, first)) && (at+len(value) == len(text) || parts(final, after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		from = at + size
	}
}

// parts reports whether a word may end between two letters. A number ends before a
// letter, since normal takes the space between them away.
func parts(before, after rune) bool {
	if isDigit(before) && unicode.IsLetter(after) {
		return true
	}
	return !isWord(before) || !isWord(after) || unbroken(before) || unbroken(after)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isDigits(s string) bool {
	for _, r := range s {
		if !isDigit(r) {
			return false
		}
	}
	return s != ""
}

// unbroken reports whether words of the letter's script follow each other, or their
// endings, without a space.
func unbroken(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// digitOf returns the value of a decimal digit: those of every script stand in tens.
func digitOf(r rune) int {
	n := 0
	for unicode.Is(unicode.Nd, r-rune(n)-1) && n < 9 {
		n++
	}
	return n
}
