package safety

import "strings"

// WithoutSecrets returns text with an asterisk for every byte of a credential: of those
// that [Secrets] finds, of long words drawn at random, and of what stands behind a name
// such as "password". It is for showing texts of which nobody knows what they hold.
func WithoutSecrets(text string) string {
	var blotted []byte
	blot := func(from, to int) {
		if blotted == nil && from < to {
			blotted = []byte(text)
		}
		for i := range blotted[from:to] {
			blotted[from+i] = '*'
		}
	}
	for _, s := range Secrets(text) {
		blot(s.Offset, s.Offset+s.Length)
	}
	for start := 0; start < len(text); start++ {
		end := start
		for end < len(text) && isNameByte(text[end]) {
			end++
		}
		if isKey(text[start:end]) {
			blot(start, end)
		} else if isSecretName(text[start:end]) {
			from, to := secretBehind(text, end)
			if from > 0 && text[from-1] == '=' {
				from = start // the name is part of the same token
			}
			blot(from, to)
		}
		start = end
	}
	if blotted == nil {
		return text
	}
	return string(blotted)
}

func isNameByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '-'
}

// secretNames are the ends of what credentials are called.
var secretNames = [...]string{"password", "passwd", "secret", "token", "api_key", "api-key", "apikey", "authorization", "bearer"}

func isSecretName(name string) bool {
	if len(name) < len("token") || strings.IndexByte("dtnyr", name[len(name)-1]|0x20) < 0 {
		return false // as most words
	}
	for _, s := range secretNames {
		if len(name) >= len(s) && strings.EqualFold(name[len(name)-len(s):], s) {
			return true
		}
	}
	return false
}

// secretBehind returns where the value is that stands behind a name which ends at i, if
// it may be a credential: behind "=" anything, behind ":" what is no plain word, and
// otherwise what has letters and digits.
func secretBehind(text string, i int) (from, to int) {
	skip := func(set string) {
		for i < len(text) && strings.IndexByte(set, text[i]) >= 0 {
			i++
		}
	}
	const quotes = "\"'`\\"
	if i == len(text) || strings.IndexByte(quotes+" \t:=", text[i]) < 0 {
		return 0, 0
	}
	skip(quotes + " \t")
	mark := byte(' ')
	if i < len(text) && (text[i] == ':' || text[i] == '=') {
		mark = text[i]
		i++
	} else if strings.HasPrefix(text[i:], "is ") {
		i += len("is")
	}
	skip(quotes + " \t")
	from = i
	var hasDigit, hasLetter, hasOther bool
	for i < len(text) && text[i] > ' ' && strings.IndexByte(quotes, text[i]) < 0 {
		switch c := text[i]; {
		case c-'0' < 10:
			hasDigit = true
		case c-'a' < 26 || c-'A' < 26 && i == from:
			hasLetter = true
		default:
			hasLetter = hasLetter || c-'A' < 26
			hasOther = true
		}
		i++
	}
	to = from + len(strings.TrimRight(text[from:i], ".,;:!?)]}"))
	switch length := to - from; {
	case length < 4,
		mark == ':' && !hasDigit && !hasOther,
		mark == ' ' && (length < 8 || !hasDigit || !hasLetter):
		return 0, 0
	}
	return from, to
}

// isKey reports whether a word is drawn at random, and too long for the name of a thing:
// letters of both cases and digits, all mixed.
func isKey(word string) bool {
	const shortest, digits = 30, 3
	if len(word) < shortest {
		return false
	}
	run, lower, upper, digit := 0, 0, 0, 0
	for i := range len(word) {
		switch c := word[i]; {
		case c == '_' || c == '-':
			run, lower, upper, digit = -1, 0, 0, 0
		case c >= 'a':
			lower++
		case c >= 'A':
			upper++
		default:
			digit++
		}
		if run++; run >= shortest && lower > 0 && upper > 0 && digit >= digits {
			return true
		}
	}
	return false
}
