package view

import (
	"strings"
	"unicode/utf8"
)

// signs are what a text may be read by, one bit each.
type signs uint16

const (
	signFold signs = 1 << iota
	signOdd
	signCovert
	signPercent
	signEntity
	signBackslash
	signApart
	signLeet
	signBase64
	signBase32
	signHex
	signBinary
	signRotated
	signReversed
	signHidden
)

// What a byte can mean, one bit each.
const (
	byteWord  = 1 << iota // a letter or digit
	byteBreak             // parts what may be base64 and the like from other text
	byteDigit             // a digit, or a sign often used for a letter
	byteSign              // begins something that has to be looked at
	byteHigh              // is part of a character beyond ASCII
	byteLeet              // can stand in a word in leetspeak
)

var byteMeaning = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case isLetter(c):
			t[i] = byteWord | byteLeet
		case isDigit(c):
			t[i] = byteWord | byteDigit | byteLeet
		case c >= utf8.RuneSelf:
			t[i] = byteBreak | byteHigh
		case c == '@' || c == '$':
			t[i] = byteBreak | byteDigit
		case strings.IndexByte("%&\\<]!="+splitters, c) >= 0 || isControl(c):
			t[i] = byteBreak | byteSign
		case strings.IndexByte("+/_", c) >= 0:
		default:
			t[i] = byteBreak
		}
	}
	t['-'] &^= byteBreak
	for _, c := range []byte("@$!|") {
		t[c] |= byteLeet
	}
	return t
}()

// A looker looks through a text for signs, once and without building anything. Each
// kind of thing it looks at closely it looks at once: the offsets say up to where.
type looker struct {
	text  string
	found signs

	wordsDone, runsDone, runesDone, apartDone int

	lastLeet  int // the end of the last word that looked like leetspeak
	leets     int // the leetness of those that were near each other
	lastGroup int // the end of the last word that was a byte in hex or binary digits
	hexes     int // how many of those there were in a row
	octets    int
}

// look returns the signs of text. It stops at once if it finds any of enough.
func look(text string, enough signs) signs {
	l := looker{text: text}
	const n = 8 // bytes looked at together
	t := &byteMeaning
	i := 0
	for ; i+n <= len(text); i += n {
		b := text[i : i+n]
		c0, c1, c2, c3 := t[b[0]], t[b[1]], t[b[2]], t[b[3]]
		c4, c5, c6, c7 := t[b[4]], t[b[5]], t[b[6]], t[b[7]]
		all := c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7
		pairs := c0&c1 | c1&c2 | c2&c3 | c3&c4 | c4&c5 | c5&c6 | c6&c7
		turns := (c0^c1)&(c1^c2)&(c2^c3) | (c4^c5)&(c5^c6)&(c6^c7)
		if all&(byteBreak|byteDigit|byteSign|byteHigh) == byteBreak && pairs&^turns&byteWord != 0 {
			continue // nothing but words
		}
		l.block(i, i+n, all, pairs&byteWord == 0 || turns&byteWord != 0)
		if l.found&enough != 0 {
			return l.found
		}
	}
	if i < len(text) {
		l.block(i, len(text), 0xFF, true)
	}
	if len(text) >= stemLen {
		hidden := disguisedStems().seek(text)
		if hidden[rotated] {
			l.found |= signRotated
		}
		if hidden[reversed] {
			l.found |= signReversed
		}
	}
	return l.found
}

// block looks closely at text[start:end], whose bytes mean all together. apart says
// that there are letters set apart, perhaps.
func (l *looker) block(start, end int, all uint8, apart bool) {
	if apart && all&byteWord != 0 && end > l.apartDone {
		l.apart(start, end)
	}
	if all&byteBreak == 0 && end > l.runsDone {
		l.run(start)
	}
	if all&byteDigit != 0 {
		l.words(start, end)
	}
	if all&byteSign != 0 {
		for i := start; i < end; i++ {
			if byteMeaning[l.text[i]]&byteSign != 0 {
				l.sign(i)
			}
		}
	}
	if all&byteHigh != 0 {
		l.runes(start, end)
	}
}
