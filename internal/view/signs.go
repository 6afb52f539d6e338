package view

import (
	"strings"
	"unicode/utf8"
)

// apart searches text[start:end] for spaced letters.
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

// minCode is the minimum length of a possible encoding.
const minCode = 15

// code checks for an encoding at the start of s, which begins with minCode base64 digits.
func (l *looker) code(s string) {
	if base64Code.mayBegin(s) && base64Code.begins(s) {
		l.found |= signBase64
	}
	if base32Code.mayBegin(s) && base32Code.begins(s) {
		l.found |= signBase32
	}
	if maybeHex(s) && hexCode.begins(s) {
		l.found |= signHex
	}
	if i := len(l.text) - len(s); i >= l.partedDone {
		run := partedRun(s)
		l.partedDone = i + len(run)
		if isParted(run) {
			l.found |= signParted
		}
	}
}

// maybeHex reports whether the first two bytes encoded by s, at least four hexadecimal digits, can
// begin a text.
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

// leetWordAt measures the run that begins at text[i]. Letters and digits alternate randomly in
// hashes and the like, so it has no branches for them.
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

// word checks the word around text[i], unless it was checked before.
func (l *looker) word(i int) {
	if i < l.wordsDone {
		return
	}
	for i > l.wordsDone && isLeetByte(l.text[i-1]) {
		i--
	}
	if n, digit := hexWord(l.text[i:]); n > 0 { // no leetspeak
		l.wordsDone = i + n
		if h := l.text[i : i+n]; digit && n%2 == 0 && n >= 2*hexCode.least && maybeHex(h) && hexCode.begins(h) {
			l.found |= signHex
		}
		return
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

// hexWord returns the length of the word at the start of s if it has only hexadecimal digits, and
// otherwise 0. digit reports that it has a digit that is no letter.
func hexWord(s string) (n int, digit bool) {
	var meanings uint8
	for n < len(s) && byteMeaning[s[n]]&byteHex != 0 && s[n] != 'x' {
		meanings |= byteMeaning[s[n]]
		n++
	}
	if n < len(s) && isLeetByte(s[n]) {
		return 0, false
	}
	return n, meanings&byteDigit != 0
}

// leet checks the word text[start:end], which has digits or signs between letters.
func (l *looker) leet(start, end int) {
	const (
		near = 64 // bytes between words
		many = 3  // their total leetness
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

// isAddress reports whether text, which begins with word, begins with an e-mail address.
func isAddress(text, word string) bool {
	return strings.Count(word, "@") == 1 && len(text) > len(word) && strings.IndexByte(".-_", text[len(word)]) >= 0
}

// rows searches the whole text for rows of words that are each a byte in digits.
func (l *looker) rows() {
	if l.joined {
		l.found |= signHex
	}
	if l.joined || l.counted {
		return
	}
	l.counted = true
	last := 0 // end of the last such word
	hexes, octets := 0, 0
	for i := 0; i < len(l.text); {
		w := leetWordAt(l.text, i)
		i = max(w.end, i+1)
		word := l.text[w.start:w.word]
		if !w.digit || len(word)%2 != 0 { // as most words with digits other than bytes
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

// sign checks the sequence that begins with the sign at text[i].
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

// runes checks the non-ASCII characters in text[start:end].
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

// alike checks the word around the look-alike of n bytes at text[i] and returns its end.
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
