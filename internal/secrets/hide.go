package secrets

import "strings"

// Hide returns text with an asterisk for every byte of a credential: the credentials that [Find] finds, long
// random words, and values after a name such as "password". It is for displaying texts of unknown content.
func Hide(text string) string {
	var hidden []byte
	hide := func(from, to int) {
		if hidden == nil && from < to {
			hidden = []byte(text)
		}
		for i := range hidden[from:to] {
			hidden[from+i] = '*'
		}
	}
	for _, s := range Find(text) {
		hide(s.Offset, s.Offset+s.Length)
	}
	for start := 0; start < len(text); start++ {
		end, name := start, start // the end of the word, and the start of its last part
		for ; end < len(text) && isWordByte(text[end]); end++ {
			if text[end] == '+' || text[end] == '/' {
				name = end + 1
			}
		}
		if hasRandomPart(text[start:end]) {
			hide(start, end)
		} else if isSecretName(text[name:end]) {
			from, to := namedSecret(text, end)
			if from > 0 && text[from-1] == '=' {
				from = name // the name is part of the same token
			}
			hide(from, to)
		}
		start = end
	}
	if hidden == nil {
		return text
	}
	return string(hidden)
}

// isWordByte reports whether c can be in a name or in base64.
func isWordByte(c byte) bool {
	return isAlnum(c) || c == '_' || c == '-' || c == '+' || c == '/'
}

// hasRandomPart reports whether a part of a word, between hyphens and underscores, is random and longer than
// random names, such as the IDs of tool calls and answers.
func hasRandomPart(word string) bool {
	const minLength = 30
	if len(word) < minLength {
		return false
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '_' || r == '-' }) {
		if IsRandom(part, minLength) {
			return true
		}
	}
	return false
}

// IsRandom reports whether a word of at least minLength bytes looks random: small letters, capitals and
// digits, which alternate as often as in the base64 of a key. This excludes paths, names of several words,
// UUIDs, and hashes in hexadecimal digits. Bytes other than letters and digits do not count as alternations.
func IsRandom(word string, minLength int) bool {
	if len(word) < minLength {
		return false
	}
	const small, capital, digit = 1, 2, 4
	seen, last, changes := 0, 0, 0
	for i := range len(word) {
		kind := 0
		switch c := word[i]; {
		case isDigit(c):
			kind = digit
		case c-'a' < 26:
			kind = small
		case c-'A' < 26:
			kind = capital
		default:
			continue
		}
		if kind != last && last != 0 && !(last == capital && kind == small) { // as in Name
			changes++
		}
		seen |= kind
		last = kind
	}
	return seen == small|capital|digit && changes >= len(word)/4
}

// secretNames are the endings of names of credentials.
var secretNames = [...]string{"password", "passwd", "secret", "token", "api_key", "api-key", "apikey", "authorization", "bearer"}

func isSecretName(name string) bool {
	if len(name) < len("token") || strings.IndexByte("dtnyr", name[len(name)-1]|0x20) < 0 {
		return false // true of most words
	}
	for _, s := range secretNames {
		if len(name) >= len(s) && strings.EqualFold(name[len(name)-len(s):], s) {
			return true
		}
	}
	return false
}

// namedSecret returns the place of the value after a name that ends at i, if it may be a credential: after
// "=" any value, after ":" one that is not a plain word, and otherwise one with letters and digits.
func namedSecret(text string, i int) (from, to int) {
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
