package view

import (
	"math/bits"
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

// leastCode is how long what may be an encoding is.
const leastCode = 15

// code looks for an encoding at the start of s, which begins with leastCode digits of
// base64. Most identifiers, numbers and hashes have bytes that begin no text.
func (l *looker) code(s string) {
	if first, ok := eightDigits(&base64Code, s); ok && mayRead(first) && base64Code.begins(s) {
		l.found |= signBase64
	}
	if maybeHex(s) {
		// Where there are fewer digits, something else is between them.
		if first, ok := eightDigits(&hexCode, s); (!ok || mayRead(first)) && hexCode.begins(s) {
			l.found |= signHex
		}
	}
	if s[0] <= 'Z' {
		if first, ok := eightDigits(&base32Code, s); ok && mayRead(first) && base32Code.begins(s) {
			l.found |= signBase32
		}
	}
}

// eightDigits returns the bytes that the first eight bytes of s are in c, the last one
// highest, and spaces before them. It is not ok if one of them is no digit.
func eightDigits(c *code, s string) (x uint64, ok bool) {
	var all int8
	for _, digit := range []byte(s[:8]) {
		v := c.values[digit]
		all |= v
		x = x<<c.bits | uint64(v)
	}
	return bits.ReverseBytes64(x) | spaces>>(8*c.bits), all >= 0
}

// mayRead reports whether the bytes of x, the first lowest, may begin a text: there is no
// control character, and a byte that goes on with a character is behind each that begins
// one beyond ASCII, and behind no other.
func mayRead(x uint64) bool {
	low := x & lowBits
	controls := (^(low+(0x80-' ')*each)&^within(x, '\t', '\r') | (low + each)) &^ x
	begins, goesOn := x&(x<<1)&highBits, x&^(x<<1)&highBits
	return controls&highBits|begins<<8&^goesOn|goesOn&^(x<<8) == 0
}

// maybeHex reports whether the first two bytes that s, of at least four, is in hexadecimal
// digits can begin a text.
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

// leetWordAt measures the run that begins at text[i]. In hashes and the like letters and
// digits take turns by chance, so it has no branches for them.
func leetWordAt(text string, i int) leetWord {
	w := leetWord{start: i}
	var letters, digits, behind, between uint8 // behind has digits after a letter
	for ; i < len(text) && isLeetByte(text[i]); i++ {
		m := byteMeaning[text[i]]
		digit := m / byteDigit & 1
		letter := m / byteWord & 1 &^ digit
		between |= behind & letter
		behind = (behind | letters&digit) &^ letter
		letters |= letter
		digits |= digit
	}
	w.word, w.end, w.digit, w.between = i, i, digits != 0, between != 0
	for w.word > w.start && byteMeaning[text[w.word-1]]&(byteWord|byteDigit) == 0 {
		w.word--
	}
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
