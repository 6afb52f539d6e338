package view

import (
	"strings"
	"unicode/utf8"
)

// apart looks for letters set apart in text[start:end].
func (l *looker) apart(start, end int) {
	i := start
	for i < end && (!single(l.text, i) || gapAfter(l.text, i) == "") {
		i++
	}
	if i == end {
		return
	}
	const before = (minApart - 1) * (1 + maxGap)
	from := max(l.apartDone, start-before)
	gap, next := apartFrom(l.text, from, end)
	if gap != "" {
		l.found |= signApart
	}
	l.apartDone = next
}

// run looks at the run of bytes around text[i] that may be an encoding.
func (l *looker) run(i int) {
	text := l.text
	const least = 15
	start := i
	for start > l.runsDone && byteMeaning[text[start-1]]&byteBreak == 0 {
		start--
	}
	for i < len(text) && byteMeaning[text[i]]&byteBreak == 0 {
		i++
	}
	l.runsDone = i
	if i-start < least {
		return
	}
	for fresh := true; start+least <= i; start++ {
		if fresh {
			l.code(text[start:])
		}
		fresh = byteMeaning[text[start]]&byteWord == 0
	}
}

// code looks for an encoding at the start of s.
func (l *looker) code(s string) {
	if maybeBase64(s) && base64Code.begins(s) {
		l.found |= signBase64
	}
	if maybeHex(s) && hexCode.begins(s) {
		l.found |= signHex
	}
	if s[0] <= 'Z' && base32Code.begins(s) {
		l.found |= signBase32
	}
}

// maybeBase64 reports whether the first two bytes that s encodes can begin a text. Most
// identifiers, numbers and hashes fail it.
func maybeBase64(s string) bool {
	v := &base64Code.values
	v0, v1, v2 := byte(v[s[0]]), byte(v[s[1]]), byte(v[s[2]])
	first, second := v0<<2|v1>>4, v1<<4|v2>>2
	if first < utf8.RuneSelf {
		return !isControl(first) && (second >= 0xC2 || second < utf8.RuneSelf && !isControl(second))
	}
	return first >= 0xC2 && first < 0xF5 && second>>6 == 2
}

// maybeHex is the same for two bytes in hexadecimal digits, of which s has at least four.
func maybeHex(s string) bool {
	a, b := s[0], s[2]
	switch {
	case '2' <= a && a <= '7': // ASCII
		return b >= '2' && b != '8' && b != '9' && b|0x20 != 'a' && b|0x20 != 'b' || b <= '0'
	case 'c' <= a|0x20 && a|0x20 <= 'f': // the first byte of a character and the next
		return !isHex(b) || b == '8' || b == '9' || b|0x20 == 'a' || b|0x20 == 'b'
	}
	return a == '0'
}

// isOctet reports whether s, of at least eight bytes, begins with eight binary digits.
func isOctet(s string) bool {
	if s[0]|1 != '1' {
		return false
	}
	s = strings.TrimPrefix(s, binaryCode.prefix)
	for i := range 8 {
		if i == len(s) || s[i]|1 != '1' {
			return false
		}
	}
	return true
}

// A leetWord is a run of letters, digits and signs that stand for letters.
type leetWord struct {
	start, word, end int // word is where it ends without punctuation
	digit            bool
	between          bool // digits stand between letters
}

// leetWordAt measures the run that begins at text[i].
func leetWordAt(text string, i int) leetWord {
	w := leetWord{start: i, word: i}
	letter, digit := false, false
	for ; i < len(text) && isLeetByte(text[i]); i++ {
		m := byteMeaning[text[i]]
		switch {
		case m&(byteDigit|byteWord) == byteWord:
			w.between = w.between || letter && digit
			letter, digit, w.word = true, false, i+1
		case m&byteDigit != 0:
			w.digit, digit, w.word = true, true, i+1
		}
	}
	w.end = i
	return w
}

// word looks at the word around text[i], unless it has.
func (l *looker) word(i int) {
	if i < l.wordsDone {
		return
	}
	for i > l.wordsDone && isLeetByte(l.text[i-1]) {
		i--
	}
	w := leetWordAt(l.text, i)
	l.wordsDone = w.end
	if !w.digit {
		return
	}
	if word := l.text[w.start:w.word]; len(word)%2 == 0 {
		if h := strings.TrimPrefix(word, hexCode.prefix); len(h) >= 2*hexCode.least && maybeHex(h) && hexCode.begins(h) {
			l.found |= signHex
		}
	}
	if w.between {
		l.leet(w.start, w.word)
	}
}

// leet looks at the word text[start:end], which has digits or signs between letters.
func (l *looker) leet(start, end int) {
	const (
		near = 64 // bytes between words
		many = 3  // is their leetness together
	)
	word := l.text[start:end]
	n := leetness(word)
	if n == 0 || isAddress(l.text[start:], word) {
		return
	}
	if start-l.lastLeet > near {
		l.leets = 0
	}
	l.leets += n
	l.lastLeet = end
	if l.leets >= many || hasStem(unleetWord(word)) {
		l.found |= signLeet
	}
}

// isAddress reports whether text, which begins with word, begins with the address of a
// mailbox.
func isAddress(text, word string) bool {
	return strings.Count(word, "@") == 1 && len(text) > len(word) && strings.IndexByte(".-_", text[len(word)]) >= 0
}

// rows looks for rows of words that are each a byte in digits, in all of the text.
func (l *looker) rows() {
	if l.coarse {
		l.found |= signHex
	}
	if l.coarse || l.counted {
		return
	}
	l.counted = true
	last := 0 // where the last such word ended
	hexes, octets := 0, 0
	for i := 0; i < len(l.text); {
		w := leetWordAt(l.text, i)
		i = max(w.end, i+1)
		word := l.text[w.start:w.word]
		if !w.digit || len(word)%2 != 0 { // as most words with digits that are no byte
			continue
		}
		if w.start-last > 3 {
			hexes, octets = 0, 0
		}
		if h := strings.TrimPrefix(word, hexCode.prefix); len(h) == 2 {
			if v, ok := hexValue(h, 0, 2); ok && (v >= ' ' && v < 0x7F || v == '\n') {
				hexes++
				last = w.word
			}
		}
		if b := strings.TrimPrefix(word, binaryCode.prefix); len(b)%8 == 0 && strings.Trim(b, "01") == "" {
			octets += len(b) / 8
			last = w.word
		}
		if hexes >= hexCode.least {
			l.found |= signHex
		}
		if octets >= binaryCode.least {
			l.found |= signBinary
		}
	}
}

// sign looks at what begins with the sign at text[i].
func (l *looker) sign(i int) {
	rest := l.text[i:]
	switch rest[0] {
	case '%':
		if v, ok := hexValue(rest, 1, 2); ok && (isAlnum(byte(v)) || strings.IndexByte(" <%\n", byte(v)) >= 0) {
			l.found |= signPercent
		}
	case '=':
		if len(rest) > 3 && rest[3] == '=' && isQuotedPrintable(rest) {
			l.found |= signPercent
		}
	case '&':
		if entityLen(rest) > 0 {
			l.found |= signEntity
		}
	case '\\':
		if len(rest) > 3 && strings.IndexByte("xuU0123", rest[1]) >= 0 {
			s, _ := decodeBackslash(rest)
			if s != "" && (isAlnum(s[0]) || s[0] == '<' || s[0] == ' ' || s[0] >= utf8.RuneSelf) {
				l.found |= signBackslash
			}
		}
	case '<':
		if strings.HasPrefix(rest, "<!--") {
			l.found |= signHidden
		} else if l.found&signHidden == 0 {
			if t := parseTag(l.text, i); t.hides || len(t.shown) > 0 {
				l.found |= signHidden
			}
		}
	case '!', ']':
		if start, end := markdownNote(l.text, i); start < end {
			l.found |= signHidden
		}
	case '-', '*', '~', '^':
		if splitsWord(l.text, i) {
			l.found |= signApart
		}
	default: // a control character
		if i > 0 && len(rest) > 1 && isAlnum(l.text[i-1]) && isAlnum(rest[1]) {
			l.found |= signFold
		}
	}
}
