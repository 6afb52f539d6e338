package privacy

import "unicode/utf8"

// A token is a possible number or code: groups of letters and digits with single separators between
// them. The first group has a digit.
type token struct {
	start  int
	n      int
	groups [16]group
	// plain has the letters, as capitals, and digits. shape is the form of the token with a byte
	// per character: d for a digit, L for a capital letter, l for a small one, and separators.
	plain [48]byte
	shape [64]byte
}

// A group is a part of a token.
type group struct {
	start, end int
	plain      int // length of plain up to the group's end
	shape      int // length of shape up to the group's end
	letters    int
	digits     int
}

// end returns the end of the token.
func (t *token) end() int { return t.groups[t.n-1].end }

// digitsUpTo returns the number of digits in the first n groups, -1 if they have letters.
func (t *token) digitsUpTo(n int) int {
	sum := 0
	for _, g := range t.groups[:n] {
		if g.letters > 0 {
			return -1
		}
		sum += g.digits
	}
	return sum
}

// eastAsian is the first byte of the first scripts without spaces between words.
const eastAsian = 0xE3

// number runs the detectors at the digit at i.
func (f *finder) number(i int) int {
	text := f.text
	start := i
	for start > 0 && i-start < 40 && isAlnum(text[start-1]) {
		start--
	}
	if start > 0 && (text[start-1] == '_' || text[start-1] >= utf8.RuneSelf && start < i && isWord(f.byteAt(i-1))) {
		return f.afterDigits(i) // an identifier, or a word with a digit in it
	}
	if end := f.machine(start, i); end > 0 {
		return end
	}
	if end := f.network(start, i); end > 0 {
		return end
	}
	var t token
	if code := f.prefixed(start); code < start {
		f.read(&t, code)
		if end := f.iban(&t); end > i {
			return end
		}
		if end := f.nationalID(&t); end > i {
			return end
		}
		t = token{}
	}
	f.read(&t, start)
	if t.n == 0 {
		return f.afterDigits(i)
	}
	if half := len(t.groups) / 2; t.n == len(t.groups) && t.groups[half].plain == half+1 {
		return t.groups[half].end // single digits, as in a table: not a number
	}
	if end := f.detect(&t); end > i {
		return end
	}
	return max(t.groups[0].end, i+1)
}

// detect runs the number detectors on a token and returns the end of the match.
func (f *finder) detect(t *token) int {
	if t.groups[t.n-1].plain >= 8 {
		if end := f.iban(t); end > 0 {
			return end
		}
		if end := f.card(t); end > 0 {
			return end
		}
		if end := f.nationalID(t); end > 0 {
			return end
		}
	}
	if end := f.date(t); end > 0 {
		return end
	}
	if end := f.phone(t); end > 0 {
		return end
	}
	if end := f.labelled(t); end > 0 {
		return end
	}
	return f.houseNumber(t)
}

// prefixed returns the start of a code that begins with a group of two or three capital letters, as
// in AB 12 34 56 C; otherwise start.
func (f *finder) prefixed(start int) int {
	if b := f.byteAt(start - 1); b != ' ' && b != '-' {
		return start
	}
	at := start - 1
	for at > 0 && isUpper(f.text[at-1]) {
		at--
	}
	if n := start - 1 - at; n < 2 || n > 3 || isWord(f.byteAt(at-1)) {
		return start
	}
	return at
}

// afterDigits returns the end of the letters and digits around i.
func (f *finder) afterDigits(i int) int {
	for i < len(f.text) && isAlnum(f.text[i]) {
		i++
	}
	return i
}

// machine returns the end of a machine-generated token around the digit at i: a UUID, a hash, or an
// RFC 3339 time with its zone. It returns 0 if there is none.
func (f *finder) machine(start, i int) int {
	text := f.text
	if rest := text[start:]; len(rest) >= len("2006-01-02T15:04") && start == i && rest[4] == '-' && rest[7] == '-' && rest[10] == 'T' && rest[13] == ':' {
		end := i + len("2006-01-02T15:04")
		for end < len(text) && (isDigit(text[end]) || text[end] == ':' || text[end] == '.' || text[end] == 'Z' || text[end] == '+' || text[end] == '-') {
			end++
		}
		return end
	}
	// Hexadecimal digits with letters among them, or in the groups of a UUID.
	end, hexadecimal, letters := start, 0, 0
	for end < len(text) && end-start < 200 && (isAlnum(text[end]) || text[end] == '-' && end > start) {
		if b := text[end] | 0x20; isDigit(text[end]) {
			hexadecimal++
		} else if b >= 'a' && b <= 'f' {
			hexadecimal, letters = hexadecimal+1, letters+1
		} else if b != '-' {
			letters += 100
		}
		end++
	}
	switch {
	case end-start == 36 && text[start+8] == '-' && text[start+13] == '-' && text[start+18] == '-' && text[start+23] == '-' && hexadecimal == 32:
		return end
	case hexadecimal >= 20 && letters >= 3 && letters < 100:
		return end
	case end-start > 34 && letters >= 100 && f.byteAt(start+2) != ' ': // a key, base64
		return end
	}
	return 0
}

// separator returns the length of a separator of groups at i, and its byte in a shape; 0 if there
// is none.
func (f *finder) separator(i int) (size int, shape byte) {
	switch b := f.byteAt(i); b {
	case ' ', '-', '.', '/':
		return 1, b
	case 0xC2:
		if f.byteAt(i+1) == 0xA0 { // no-break space
			return 2, ' '
		}
	case 0xE2:
		if c := f.byteAt(i + 2); f.byteAt(i+1) == 0x80 && c >= 0x90 && c <= 0x95 { // dashes
			return 3, '-'
		} else if f.byteAt(i+1) == 0x80 && (c == 0xAF || c == 0x89) { // narrow spaces
			return 3, ' '
		}
	}
	return 0, 0
}

// read reads the token that begins at start.
func (f *finder) read(t *token, start int) {
	t.start = start
	text := f.text
	plain, shape := 0, 0
	for i := start; t.n < len(t.groups); {
		g := group{start: i}
		small := 0
		for i < len(text) && isAlnum(text[i]) && plain < len(t.plain) {
			b, form := text[i], byte('d')
			switch {
			case isDigit(b):
				g.digits++
			case isLower(b):
				small++
				form = 'l'
				b -= 'a' - 'A'
				g.letters++
			default:
				form = 'L'
				g.letters++
			}
			t.plain[plain], t.shape[shape] = b, form
			plain++
			shape++
			i++
		}
		if i < len(text) && isWord(text[i]) && text[i] < eastAsian || i == g.start {
			return // longer than any number, or followed by letters
		}
		if g.digits == 0 && (small > 0 || g.letters > 4) {
			return // a word
		}
		g.end, g.plain, g.shape = i, plain, shape
		t.groups[t.n] = g
		t.n++
		size, form := f.separator(i)
		if size == 0 || !isAlnum(f.byteAt(i+size)) {
			return
		}
		t.shape[shape] = form
		shape++
		i += size
	}
}
