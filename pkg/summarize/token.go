package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// traits are the kinds of characters in a token.
type traits uint32

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
	hump  // a capital after a lower-case letter
	tick  // between backquotes
	other // letters of scripts without capitals
	glyph // letters of scripts that write words without spaces

	apostrophe // inside a word
	gap        // between tokens
)

const letters = lower | upper | other | glyph

// ascii has the traits of ASCII characters: letters, digits, and the separators that can be inside
// an identifier or figure.
var ascii = func() (kinds [utf8.RuneSelf]traits) {
	for c := range kinds {
		switch {
		case c <= ' ' || c == 0x7f:
			kinds[c] = gap
		case c >= 'a' && c <= 'z':
			kinds[c] = lower
		case c >= 'A' && c <= 'Z':
			kinds[c] = upper
		case c >= '0' && c <= '9':
			kinds[c] = digit
		}
	}
	for c, kind := range map[byte]traits{
		'.': dot, '/': slash, '\\': slash, '_': underscore, '-': hyphen, ':': colon, '@': at, '#': hash,
		'%': sign, '$': sign, '`': tick, '\'': apostrophe,
	} {
		kinds[c] = kind
	}
	return kinds
}()

// A token is a run of characters without white space or, in scripts without spaces between words, a
// cue or a single letter.
type token struct {
	start, end int    // its range, with punctuation
	from, to   int    // its range from the first to the last letter, digit or sign
	traits     traits // of the characters between from and to
	digits     int
	words      int
	classes    class  // of its words, and of phrases that end with one
	word       uint64 // the hash of its last word
	sum        uint64 // the hash of all its letters and digits, in lower case
	first      traits // of its first letter or digit
}

// A reader reads the tokens of a text and remembers the last two words.
type reader struct {
	text      string
	table     *lexicon
	at        int
	last, old uint64 // hashes of the previous two words
	joined    int    // end of the last glyph
}

// next reads a token. It returns false at the end of the text.
func (r *reader) next(t *token) bool {
	i := r.at
	for i < len(r.text) && r.text[i] < utf8.RuneSelf && ascii[r.text[i]] == gap {
		i++
	}
	*t = token{start: i, from: -1, sum: hashSeed}
	if i == len(r.text) {
		r.at = i
		return false
	}
	var w spelling
	var pending traits // separators since the last letter or digit
	var before traits  // the traits of the previous character
	for i < len(r.text) {
		c, size := rune(r.text[i]), 1
		var kind traits
		if c < utf8.RuneSelf {
			kind = ascii[c]
			if kind == upper {
				c |= 0x20
			}
		} else {
			kind, c, size = beyondASCII(r.text[i:])
		}
		if kind == gap {
			if i == t.start {
				i += size
			}
			break
		}
		if kind == glyph {
			if i > t.start {
				break // a token of its own
			}
			i = r.glyphs(t, i)
			break
		}
		if kind == apostrophe && w.length > 0 && (size > 1 || beginsLetter(r.text[i+1:])) {
			if before == lower && r.text[i-1] == 'n' && strings.HasPrefix(r.text[i+size:], "t") {
				t.classes |= negation // also "shouln't"
			}
			w.elide()
			i += size
			continue
		}
		if kind&letters != 0 {
			w.add(c)
			if kind == upper && before == lower && w.length > 1 {
				t.traits |= hump
			}
		} else if w.length > 0 {
			r.endWord(t, w)
			w = spelling{}
		}
		if kind&(letters|digit) != 0 {
			r.take(t, i, size, kind, pending, c)
			pending = 0
		} else {
			pending |= kind &^ apostrophe
			if kind == sign {
				r.span(t, i, size)
			}
		}
		before = kind
		i += size
	}
	if w.length > 0 {
		r.endWord(t, w)
	}
	t.end = i
	t.traits |= pending & (sign | tick)
	if t.from < 0 {
		t.from, t.to = t.end, t.end
	}
	r.at = i
	return true
}

// glyphs reads the longest cue of a script without spaces at i, or else one letter. It returns the
// end.
func (r *reader) glyphs(t *token, i int) (end int) {
	var w spelling
	begin := i
	size := r.table.cueAt(r.text[i:])
	for end = i + max(size, 1); i < end; {
		_, c, n := beyondASCII(r.text[i:])
		r.take(t, i, n, glyph, 0, c)
		w.add(c)
		i += n
		if c >= 0x3040 && c < 0x30A0 {
			t.classes |= stop // hiragana: endings and particles
		}
	}
	r.endWord(t, w)
	if size > 0 {
		t.classes &^= stop
		t.classes |= r.table.of(w.hash) &^ (endsPhrase | begins)
		return i
	}
	if r.joined == begin {
		t.word = hashPair(r.old, r.last) // pairs of letters count as words
	}
	r.joined = i
	return i
}

// beginsLetter reports whether a text begins with a letter; every non-ASCII character counts as one.
func beginsLetter(text string) bool {
	return text != "" && (text[0] >= utf8.RuneSelf || ascii[text[0]]&letters != 0)
}

// beyondASCII returns the traits of the first character of a text, 0 if irrelevant, the character in
// lower case, and its size in bytes.
func beyondASCII(text string) (kind traits, c rune, size int) {
	c, size = utf8.DecodeRuneInString(text)
	switch {
	case c == '’':
		kind = apostrophe
	case isGlyph(c):
		kind = glyph
	case unicode.IsDigit(c):
		kind = digit
	case isBreak(c):
		kind = gap
	case c == '€' || c == '£' || c == '°' || c == '§' || c == '¥' || c == '‰':
		kind = sign
	case unicode.IsUpper(c):
		kind, c = upper, unicode.ToLower(c)
	case c < 0x250 && unicode.IsLetter(c):
		kind = lower
	case unicode.IsLetter(c) || unicode.IsMark(c):
		kind = other
	}
	return kind, c, size
}

// A spelling is the part read so far of a word.
type spelling struct {
	length int
	hash   uint64
	tail   uint64 // of the word after an elided article ("l'échéance"), or 0
}

func (w *spelling) add(c rune) {
	if w.length == 0 {
		w.hash = hashSeed
	}
	w.length++
	w.hash = hashLetter(w.hash, c)
	if w.tail != 0 {
		w.tail = hashLetter(w.tail, c)
	}
}

// elide adds an apostrophe.
func (w *spelling) elide() {
	w.hash = hashLetter(w.hash, '\'')
	if w.length <= 2 {
		w.tail = hashSeed
	}
}

// take adds a letter or digit to a token, and the separators before it.
func (r *reader) take(t *token, i, size int, kind, separators traits, c rune) {
	if kind == digit {
		t.digits++
	}
	if t.from < 0 {
		t.first = kind
	}
	t.sum = hashLetter(t.sum+uint64(separators), c)
	t.traits |= kind | separators
	r.span(t, i, size)
}

// span extends the token to the characters at i.
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

// endWord looks up the word and the phrases that end with it.
func (r *reader) endWord(t *token, w spelling) {
	word := w.hash
	c := r.table.of(word)
	if c == 0 && w.tail != 0 {
		word = w.tail
		c = r.table.of(word)
	}
	if c&endsPhrase != 0 {
		pair := hashPair(r.last, word)
		c |= r.table.of(pair) | r.table.of(hashPair(hashPair(r.old, r.last), word))
	}
	r.old, r.last = r.last, word
	t.classes |= c &^ (endsPhrase | begins)
	t.word = word
	t.words++
}

// isGlyph reports whether a character is a letter of a script without spaces between words: Thai,
// Lao, Burmese, Khmer, Chinese, Japanese.
func isGlyph(c rune) bool {
	switch {
	case c < 0x0E00, c >= 0x0F00 && c < 0x1000, c >= 0x10A0 && c < 0x1780, c >= 0x1800 && c < 0x2E80, c >= 0xAC00 && c < 0xF900, c >= 0xFB00 && c < 0xFF66, c >= 0xFFA0 && c < 0x20000:
		return false
	}
	return unicode.IsLetter(c) || unicode.IsMark(c)
}

// isBreak reports whether a character separates tokens: any space, a dash between clauses, or a
// character of a script without spaces.
func isBreak(c rune) bool {
	switch {
	case isGlyph(c):
		return true
	case c < 0x2000:
		return c == 0xA0 || c == 0x85
	case c < 0x2070:
		return c <= 0x200B || c == '–' || c == '—' || c == '…' || c >= 0x2028 && c <= 0x202F
	default:
		return c >= 0x2E80 && c < 0xAC00 || c >= 0xF900 && c < 0xFB00 || c >= 0xFF00 && c < 0xFF70
	}
}

// maxToken is the maximum length in bytes of a fact: a longer token is a blob.
const maxToken = 160

// weigh returns the worth of a token as a figure or an identifier, 0 if it is neither. first reports
// whether it begins its sentence.
func weigh(text string, t *token, first bool) int {
	size := t.to - t.from
	is := func(all traits) bool { return t.traits&all != 0 }
	switch {
	case size > maxToken && !(is(colon) && strings.Contains(text[t.from:t.to], "://")):
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
