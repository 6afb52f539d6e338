package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// traits are what a token is made of.
type traits uint16

const (
	lower traits = 1 << iota
	upper
	digit
	dot
	slash
	underscore
	hyphen
	colon
	at
	hash
	sign  // of a currency, per cent, degrees
	hump  // a capital behind a small letter
	tick  // stands between backquotes
	other // letters of scripts without capitals
)

const letters = lower | upper | other

// separators are the characters that can stand inside an identifier or figure.
var separators = [utf8.RuneSelf]traits{
	'.': dot, '/': slash, '\\': slash, '_': underscore, '-': hyphen, ':': colon, '@': at, '#': hash,
	'%': sign, '$': sign, '`': tick,
}

// A token is a run of characters without white space.
type token struct {
	start, end int    // its place, with punctuation
	from, to   int    // its place from the first to the last letter, digit or sign
	traits     traits // of the characters between from and to
	digits     int
	words      int
	classes    class  // of its words, and of phrases that end with one
	word       uint64 // the hash of its last word
	sum        uint64 // the hash of all its letters and digits, in small letters
	first      traits // of its first letter or digit
}

// A reader reads the tokens of a text and knows the words before.
type reader struct {
	text      string
	table     *lexicon
	at        int
	last, old uint64 // hashes of the two words before
}

// next reads a token. It reports false at the end of the text.
func (r *reader) next(t *token) bool {
	text := r.text
	i := r.at
	for i < len(text) && (text[i] <= ' ' || text[i] == 0x7f) {
		i++
	}
	*t = token{start: i, from: -1, sum: hashSeed}
	if i >= len(text) {
		r.at = i
		return false
	}
	var pending traits // separators since the last letter or digit
	word, tail := uint64(0), uint64(0)
	begin, length := i, 0 // of the word
	var before traits
	for i < len(text) {
		c := rune(text[i])
		size := 1
		var kind traits
		switch {
		case c >= 'a' && c <= 'z':
			kind = lower
		case c >= 'A' && c <= 'Z':
			kind = upper
			c |= 0x20
		case c >= '0' && c <= '9':
			kind = digit
		case c < utf8.RuneSelf:
			if c <= ' ' || c == 0x7f {
				goto done
			}
			if c == '\'' && length > 0 && i+1 < len(text) && (text[i+1]|0x20-'a' < 26 || text[i+1] >= utf8.RuneSelf) {
				word = hashLetter(word, '\'')
				if length <= 2 {
					tail = hashSeed
				}
				i++
				continue
			}
			pending |= separators[c]
			if separators[c] == sign {
				r.span(t, i, 1)
			}
		default:
			c, size = utf8.DecodeRuneInString(text[i:])
			switch {
			case c == '’' && length > 0:
				word = hashLetter(word, '\'')
				if length <= 2 {
					tail = hashSeed
				}
				i += size
				continue
			case isBreak(c):
				if i == t.start {
					i += size
				}
				goto done
			case c == '€' || c == '£' || c == '°' || c == '§' || c == '¥' || c == '‰':
				pending |= sign
				r.span(t, i, size)
			case unicode.IsUpper(c):
				kind = upper
				c = unicode.ToLower(c)
			case c < 0x250 && unicode.IsLetter(c):
				kind = lower
			case unicode.IsLetter(c):
				kind = other
			}
		}
		switch {
		case kind == 0:
			if length > 0 {
				r.endWord(t, word, tail)
				length = 0
			}
		case kind == digit:
			if length > 0 {
				r.endWord(t, word, tail)
				length = 0
			}
			t.digits++
		default:
			if length == 0 {
				word, tail = hashSeed, 0
				begin = i
			}
			length++
			word = hashLetter(word, c)
			if tail != 0 {
				tail = hashLetter(tail, c)
			}
			if kind == upper && before == lower && i > begin {
				t.traits |= hump
			}
		}
		if kind != 0 {
			if t.from < 0 {
				t.first = kind
			}
			t.sum = hashLetter(t.sum+uint64(pending), c)
			t.traits |= kind | pending
			pending = 0
			if t.from < 0 {
				r.span(t, i, size)
			}
			t.to = i + size
		}
		before = kind
		i += size
	}
done:
	if length > 0 {
		r.endWord(t, word, tail)
	}
	t.end = i
	t.traits |= pending & (sign | tick)
	if t.from < 0 {
		t.from, t.to = t.end, t.end
	}
	r.at = i
	return true
}

// span widens what counts of the token by the characters at i.
func (r *reader) span(t *token, i, size int) {
	if t.from < 0 {
		t.from = i
		// A path, a flag, a mention or a number sign begins before its letters.
		for t.from > t.start && strings.IndexByte("/.-#@_~$", r.text[t.from-1]) >= 0 {
			t.from--
		}
	}
	t.to = i + size
}

// endWord looks up the word and the phrases that end with it. tail is the part of
// the word behind an elided article ("l'échéance"), or 0.
func (r *reader) endWord(t *token, word, tail uint64) {
	c := r.table.of(word)
	if c == 0 && tail != 0 {
		word = tail
		c = r.table.of(word)
	}
	if c&endsPhrase != 0 {
		pair := hashPair(r.last, word)
		c |= r.table.of(pair) | r.table.of(hashPair(hashPair(r.old, r.last), word))
	}
	r.old, r.last = r.last, word
	t.classes |= c &^ endsPhrase
	t.word = word
	t.words++
}

// isBreak reports whether a character parts tokens: spaces of all kinds, dashes
// between clauses, and the characters of scripts that have no spaces.
func isBreak(c rune) bool {
	switch {
	case c < 0x2000:
		return c == 0xA0 || c == 0x85
	case c < 0x2070:
		return c <= 0x200B || c == '–' || c == '—' || c == '…' || c >= 0x2028 && c <= 0x202F
	default:
		return c >= 0x2E80 && c < 0xAC00 || c >= 0xF900 && c < 0xFB00 || c >= 0xFF00 && c < 0xFF70
	}
}

// longest is the size in bytes from which a token is a blob and no fact.
const longest = 160

// weigh returns how much a token tells as a figure or an identifier, 0 if it is
// neither. first is whether it stands at the beginning of its sentence.
func weigh(text string, t *token, first bool) int {
	size := t.to - t.from
	is := func(all traits) bool { return t.traits&all != 0 }
	switch {
	case size > longest && !(is(colon) && strings.Contains(text[t.from:t.to], "://")):
		return 0
	case is(digit) && is(letters):
		return 200
	case is(digit):
		switch {
		case is(sign|dot|colon|slash) || t.digits > 2:
			return 200
		case t.digits == 2:
			return 140
		default:
			return 80
		}
	case !is(letters):
		return 0
	case is(at):
		return 200
	case is(slash):
		if text[t.from] == '/' || is(dot|hyphen|underscore) || strings.Count(text[t.from:t.to], "/") > 1 {
			return 180
		}
		return 0 // and/or
	case is(dot):
		if size < 5 { // e.g.
			return 0
		}
		return 160
	case is(underscore | tick):
		return 140
	case is(hash):
		return 120
	case is(hump):
		return 90
	case !is(lower) && is(upper) && t.words == 1:
		if size < 2 {
			return 0
		}
		return 60
	case !is(lower) && is(upper) && is(hyphen):
		return 150
	case t.first == upper && !first:
		return 40
	default:
		return 0
	}
}
