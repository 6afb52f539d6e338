package view

import "unicode/utf8"

// runes looks at the characters beyond ASCII in text[start:end].
func (l *looker) runes(start, end int) {
	text := l.text
	for i := max(start, l.runesDone); i < end; {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch classify(r) {
		case ordinary, latin:
		case alike:
			i = l.alike(i, n)
			l.runesDone = i
			continue
		case mark:
			if i > 0 && isLatinBefore(text[:i]) {
				l.found |= signFold | signOdd
			}
		case blank:
			if i == 0 && r == 0xFEFF { // a byte order mark
				break
			}
			if isOverride(r) || i > 0 && isAlnum(text[i-1]) || i+n < len(text) && isAlnum(text[i+n]) || isClassAt(text[i+n:], blank) {
				l.found |= signFold | signOdd
			}
		case selector:
			if isClassAt(text[i+n:], selector) || r >= 0xE0100 || i > 0 && (isLetter(text[i-1]) || text[i-1] == ' ') {
				l.found |= signFold | signOdd | signCovert
			}
		case tag:
			before, k := utf8.DecodeLastRuneInString(text[:i])
			if m := flagLen(text[i:]); k > 0 && before == blackFlag && m > 0 {
				n = m
				break
			}
			l.found |= signFold | signOdd | signCovert
		case space:
			if i > 0 && isLetter(text[i-1]) && i+n < len(text) && isLetter(text[i+n]) {
				l.found |= signFold
			}
		case indicator:
			n = indicatorLen(text[i:])
			if !isFlags(n) {
				l.found |= signFold
			}
		case letterlike:
			l.found |= signFold
		}
		i += n
		l.runesDone = i
	}
}

// alike looks at the word around the look-alike of n bytes at text[i] and returns where
// it ends.
func (l *looker) alike(i, n int) int {
	start := i
	for start > l.runesDone {
		r, k := utf8.DecodeLastRuneInString(l.text[:start])
		if r < utf8.RuneSelf && !isLetter(byte(r)) || r >= utf8.RuneSelf && !classify(r).isWord() {
			break
		}
		start -= k
	}
	w := wordAt(l.text, start, word{})
	if w.disguised() {
		l.found |= signFold | signOdd
	}
	return max(w.end, i+n)
}
