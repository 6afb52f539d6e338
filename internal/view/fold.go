package view

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold writes text with look-alikes, styled letters, stacked marks, and unusual spaces, quotes and
// dashes replaced by plain characters, and without zero-width characters.
func fold(b *builder) {
	text := b.text
	letters := letterOf()
	var word word // the word that contains i, if i < word.end
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r < utf8.RuneSelf && isLetter(byte(r)) || r >= utf8.RuneSelf && classify(r).isWord() {
			if i >= word.end {
				word = wordAt(text, i, word)
			}
			if m := markLen(text[i+n:]); m > 0 && (r < utf8.RuneSelf || classify(r) != mark) && word.latin {
				b.put(unmark(text[i:i+n+m], n), i, i+n+m)
				i += n + m
				continue
			}
		}
		if k := spaceLen(text[i:]); k > 0 {
			b.put(oneSpace(text[i:i+k]), i, i+k)
			i += k
			continue
		}
		if r < utf8.RuneSelf {
			if !isControl(byte(r)) {
				b.keep(i, i+1)
			}
			i++
			continue
		}
		switch c := classify(r); {
		case c == blank, c == selector, c == tag:
		case c == mark && i > 0 && text[i-1] < utf8.RuneSelf: // stacked on a space
		case c == indicator:
			k := indicatorLen(text[i:])
			if isFlags(k) {
				b.keep(i, i+k)
				n = k
				break
			}
			for end := i + k; i < end; i += n {
				r, _ := utf8.DecodeRuneInString(text[i:])
				b.put(string(rune(letters[r])), i, i+n)
			}
			continue
		case c == alike && !word.disguised():
			b.keep(i, i+n)
		default:
			if l, ok := letters[r]; ok && c != latin {
				b.put(string(rune(l)), i, i+n)
			} else if s := plainSign(r); s != "" {
				b.put(s, i, i+n)
			} else if s := norm.NFKC.String(text[i : i+n]); len(s) <= 2*utf8.UTFMax {
				b.put(s, i, i+n)
			} else {
				b.keep(i, i+n)
			}
		}
		i += n
	}
}

// A word is a run of letters and invisible characters.
type word struct {
	end     int
	latin   bool // has unambiguous Latin letters
	alike   int  // letters of other scripts that look Latin
	foreign bool // has letters of other scripts that do not look Latin
	after   bool // follows a Latin word
}

// disguised reports whether the look-alikes in w imitate Latin letters.
func (w word) disguised() bool {
	return w.alike > 0 && (w.latin || !w.foreign && w.after)
}

// wordAt returns the word that begins at text[i]; before is the preceding word.
func wordAt(text string, i int, before word) word {
	w := word{end: i, after: before.latin}
	other := false
	for w.end < len(text) {
		c := text[w.end]
		if c < utf8.RuneSelf {
			if !isLetter(c) {
				break
			}
			w.latin = true
			w.end++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[w.end:])
		k := classify(r)
		if !k.isWord() {
			break
		}
		w.latin = w.latin || k == latin || k == letterlike
		other = other || k == alike
		w.end += n
	}
	if !other || !w.latin && !w.after { // not ambiguous
		return w
	}
	letters := letterOf()
	for _, r := range text[i:w.end] {
		if r < utf8.RuneSelf || classify(r) != alike {
			continue
		}
		if _, ok := letters[r]; ok {
			w.alike++
		} else {
			w.foreign = true
		}
	}
	return w
}

// markLen returns the length of the combining marks at the start of s.
func markLen(s string) int {
	n := 0
	for n < len(s) && s[n] >= utf8.RuneSelf {
		r, k := utf8.DecodeRuneInString(s[n:])
		if classify(r) != mark {
			break
		}
		n += k
	}
	return n
}

// unmark returns the letter for cluster, a letter of n bytes and its marks: the precomposed letter
// if there is one, and otherwise the bare letter.
func unmark(cluster string, n int) string {
	const accented = 3 * utf8.UTFMax // no precomposed letter has more marks
	if len(cluster) <= n+accented {
		if s := norm.NFKC.String(cluster); utf8.RuneCountInString(s) == 1 {
			return s
		}
	}
	r, k := utf8.DecodeRuneInString(norm.NFKD.String(cluster[:n]))
	if k == 0 {
		return ""
	}
	return string(r)
}

// spaceLen returns the length of the white space at the start of s.
func spaceLen(s string) int {
	n := 0
	for n < len(s) {
		if s[n] < utf8.RuneSelf {
			if !isSpace(s[n]) {
				break
			}
			n++
			continue
		}
		r, k := utf8.DecodeRuneInString(s[n:])
		if classify(r) != space {
			break
		}
		n += k
	}
	return n
}

// oneSpace returns the replacement of a run of white space.
func oneSpace(run string) string {
	if strings.ContainsAny(run, "\n\u2028\u2029") {
		return "\n"
	}
	return " "
}

// plainSign returns the ASCII form of a quote or dash, and "" for other characters.
func plainSign(r rune) string {
	switch r {
	case '‘', '’', '‚', '‛', '′', 'ʼ', '´', '＇':
		return "'"
	case '“', '”', '„', '‟', '″', '«', '»', '＂':
		return `"`
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣', '－':
		return "-"
	}
	return ""
}

// indicatorLen returns the length of the regional indicators at the start of s.
func indicatorLen(s string) int {
	n := 0
	for n < len(s) && s[n] == 0xF0 {
		r, k := utf8.DecodeRuneInString(s[n:])
		if classify(r) != indicator {
			break
		}
		n += k
	}
	return n
}

// isFlags reports whether n bytes of regional indicators are flags: an even number of letters, and
// few flags.
func isFlags(n int) bool {
	const letter = 4
	return n%(2*letter) == 0 && n < 6*letter
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isLetter(c) || isDigit(c) }

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// isControl reports whether c is a control character that is not white space.
func isControl(c byte) bool { return c < ' ' && !isSpace(c) || c == 0x7F }
