package view

import (
	"strings"
	"unicode/utf8"
)

// Spaced letters form a word if there are at least this many in a row, with equal gaps of at most
// so many bytes.
const (
	minApart = 5
	maxGap   = 3
)

// single reports whether text[i] is a letter or digit on its own.
func single(text string, i int) bool {
	return i < len(text) && byteMeaning[text[i]]&byteWord != 0 &&
		(i == 0 || byteMeaning[text[i-1]]&byteWord == 0) &&
		(i+1 == len(text) || byteMeaning[text[i+1]]&byteWord == 0)
}

// gapAfter returns the gap between the single text[i] and the next one, "" if there is none nearby.
func gapAfter(text string, i int) string {
	for n := 1; n <= maxGap && i+n+1 < len(text) && byteMeaning[text[i+n]]&(byteHigh|byteWord) == 0; n++ {
		if single(text, i+n+1) {
			return text[i+1 : i+1+n]
		}
	}
	return ""
}

// row measures the row of singles separated by gap that begins at text[i]: the offset of the last
// one, and the number of letters.
func row(text string, i int, gap string) (last, letters int) {
	for {
		if isLetter(text[i]) {
			letters++
		}
		if gap == "" || gapAfter(text, i) != gap {
			return i, letters
		}
		i += 1 + len(gap)
	}
}

// apartFrom returns the gap of the first row of spaced letters that begins in text[i:end], and
// otherwise the offset to continue from.
func apartFrom(text string, i, end int) (gap string, next int) {
	for i < end {
		if !single(text, i) {
			i++
			continue
		}
		gap := gapAfter(text, i)
		last, letters := row(text, i, gap)
		if letters >= minApart {
			return gap, last
		}
		i = max(last, i+1)
	}
	return "", i
}

// closeUp writes text with spaced letters joined to words, and split words rejoined.
func closeUp(b *builder) {
	text := b.text
	gap, _ := apartFrom(text, 0, len(text))
	for i := 0; i < len(text); {
		if !single(text, i) {
			if !isSplitter(text[i]) || !splitsWord(text, i) {
				b.keep(i, i+1)
			}
			i++
			continue
		}
		last, letters := row(text, i, gap)
		if letters < 2 {
			b.keep(i, last+1)
			i = last + 1
			continue
		}
		for ; i < last; i += 1 + len(gap) {
			b.keep(i, i+1)
		}
		b.keep(last, last+1)
		i = last + 1
		end := i
		for end < len(text) && isSpace(text[end]) { // a wider gap separates words
			end++
		}
		if end > i {
			b.put(" ", i, end)
			i = end
		}
	}
}

// leetLetters maps the signs of leetspeak, as in "1n$truct10n$", to letters, and other bytes to 0.
var leetLetters = [256]byte{
	'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g',
	'@': 'a', '$': 's', '!': 'i', '|': 'l',
}

// leetLen returns the length of the run of letters, digits and signs at the start of s, and its
// length without final punctuation.
func leetLen(s string) (run, word int) {
	for run < len(s) && isLeetByte(s[run]) {
		run++
		if c := s[run-1]; c != '!' && c != '|' {
			word = run
		}
	}
	return run, word
}

// The minimum lengths of words in leetspeak. Shorter ones are decoded only next to such words.
const (
	minLeet = 4
	maxLeet = 32
)

// leetness rates how likely word, as measured by leetLen, is leetspeak, from 0 to 2: it has signs
// between letters, and is not a number, a hash or a name with a version.
func leetness(word string) int {
	if len(word) < minLeet || len(word) > maxLeet || isAllHex(word) {
		return 0
	}
	var lower, upper, inside, signs int
	var letterBefore bool
	pending := 0 // signs since the last letter, if any
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

// unleet writes text with leetspeak signs replaced by letters, in words that also have letters.
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

// unleetWord returns word decoded from leetspeak.
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

// isLeetByte reports whether c can occur in a word in leetspeak.
func isLeetByte(c byte) bool { return byteMeaning[c]&byteLeet != 0 }

// unrotate writes text with ROT13 applied.
func unrotate(b *builder) {
	for i := range len(b.text) {
		if c := b.text[i]; isLetter(c) {
			b.put(string(rune(rotate(c))), i, i+1)
		} else {
			b.keep(i, i+1)
		}
	}
}

// unreverse writes text backwards.
func unreverse(b *builder) { b.backwards(0, len(b.text)) }

// unreverseWords writes text with each of its words backwards.
func unreverseWords(b *builder) {
	text := b.text
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && (isAlnum(text[i]) || text[i] >= utf8.RuneSelf) {
			i++
		}
		b.backwards(start, i)
		if i < len(text) {
			b.keep(i, i+1)
			i++
		}
	}
}
