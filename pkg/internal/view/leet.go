package view

import "strings"

// leetLetters are what the signs stand for in "1n$truct10n$", 0 for other bytes.
var leetLetters = [256]byte{
	'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g',
	'@': 'a', '$': 's', '!': 'i', '|': 'l',
}

// leetLen returns the length of the run of letters, digits and signs at the start of s,
// and of the word it is without the punctuation at its end.
func leetLen(s string) (run, word int) {
	for run < len(s) && isLeetByte(s[run]) {
		run++
		if c := s[run-1]; c != '!' && c != '|' {
			word = run
		}
	}
	return run, word
}

// How long words are whose digits and signs may be letters. In shorter ones they are
// read as letters only beside such words.
const (
	minLeet = 4
	maxLeet = 32
)

// leetness returns how much word, as leetLen measures it, looks as if it hid a word, from
// 0 to 2: it has signs between letters, and is no number, hash or name with a version.
func leetness(word string) int {
	if len(word) < minLeet || len(word) > maxLeet || isAllHex(word) {
		return 0
	}
	var lower, upper, inside, signs int
	var letterBefore bool
	pending := 0 // signs since the last letter, if there was one
	for i := range len(word) {
		c := word[i]
		switch {
		case c == '2' || c == '6':
			return 0
		case isLetter(c):
			if c >= 'a' {
				lower++
			} else if upper++; i > 0 && lower > 0 {
				return 0
			}
			inside += pending
			pending, letterBefore = 0, true
		default:
			signs++
			if letterBefore {
				pending++
			}
		}
	}
	const manySigns = 3 // between letters
	switch {
	case lower > 0 && upper > 1, signs > 2*(lower+upper)+1:
		return 0
	case inside >= manySigns:
		return 2
	}
	return min(inside, 1)
}

// isAllHex reports whether word has only hexadecimal digits.
func isAllHex(word string) bool {
	for i := range len(word) {
		if !isHex(word[i]) {
			return false
		}
	}
	return true
}

// unleet writes text with the signs that stand for letters replaced, in words that have
// letters too.
func unleet(b *builder) {
	text := b.text
	for i := 0; i < len(text); {
		run, n := leetLen(text[i:])
		if n <= maxLeet && strings.ContainsFunc(text[i:i+n], func(r rune) bool { return isLetter(byte(r)) }) {
			for j := i; j < i+n; j++ {
				if l := leetLetters[text[j]]; l != 0 {
					b.put(string(rune(l)), j, j+1)
				} else {
					b.keep(j, j+1)
				}
			}
		} else {
			b.keep(i, i+n)
		}
		run = max(run, 1)
		b.keep(i+n, i+run)
		i += run
	}
}

// unleetWord returns what word says.
func unleetWord(word string) string {
	var letters [maxLeet]byte
	n := copy(letters[:], word)
	for i, c := range letters[:n] {
		if l := leetLetters[c]; l != 0 {
			letters[i] = l
		}
	}
	return string(letters[:n])
}

func isHex(c byte) bool { return hexCode.values[c] >= 0 }

// isLeetByte reports whether c can stand in a word in leetspeak.
func isLeetByte(c byte) bool { return byteMeaning[c]&byteLeet != 0 }
