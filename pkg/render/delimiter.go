package render

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/view"
)

// A word is the read part of a name, at most len(letters) bytes.
type word struct {
	letters [48]byte
	n       int
}

// add adds a character, and reports whether there was space for it.
func (w *word) add(c byte) bool {
	if w.n == len(w.letters) {
		return false
	}
	w.letters[w.n] = c
	w.n++
	return true
}

func (w *word) String() string { return string(w.letters[:w.n]) }

// delimiters returns the edits that break up the marks of chat templates: in any case, with look-alike
// letters and signs, with invisible characters, and with escapes; marks with bars and the names of speakers
// also with white space.
func delimiters(text string) (edits []edit) {
	lineStart := true
	for i := 0; i < len(text); {
		if lineStart {
			lineStart = false
			if at := speaker(text, i); at >= 0 {
				edits = append(edits, edit{at, 0, Quoted})
			}
		}
		if !mayMark[text[i]] { // nearly always
			i++
			continue
		}
		c, n := signAt(text, i)
		rest := text[i+n:]
		switch c {
		case '<':
			if isTag(rest) || slices.ContainsFunc(foreignTags, func(name string) bool { return startsWith(rest, name, '>') >= 0 }) {
				edits = append(edits, edit{i + n, 0, Quoted})
			}
		case '[':
			if isBracket(rest) || isLiteral(c, rest) {
				edits = append(edits, edit{i + n, 0, Quoted})
			}
		case ']':
			if isLiteral(c, rest) {
				edits = append(edits, edit{i + n, 0, Quoted})
			}
		case '#':
			var at int
			if at, n = heading(text, i); at >= 0 {
				edits = append(edits, edit{at, 0, Quoted})
			}
		case ':':
			if endsTurn(text[:i]) {
				edits = append(edits, edit{i, 0, Quoted})
			}
		case '\n':
			lineStart = true
		case '\\': // in a text inside of the text
			if rest != "" && (rest[0] == 'n' || rest[0] == 'r') {
				lineStart = true
				n++
			}
		}
		i += n
	}
	return edits
}

// mayMark has the first bytes of marks, escapes and lines.
var mayMark = func() (all [256]bool) {
	for i := range all {
		all[i] = i >= utf8.RuneSelf || strings.IndexByte("<[]#:&%\\\n\r\v\f", byte(i)) >= 0
	}
	return all
}()

// signAt returns the [sign] of the character, or of the escaped character, at text[i], and its length.
func signAt(text string, i int) (c byte, n int) {
	if r, n := unescaped(text[i:]); n > 0 {
		return sign(r), n
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return sign(r), n
}

// plainAt returns the ASCII character that the character at text[i] resembles, 0 if it has no
// width, '?' if it resembles none, and its length.
func plainAt(text string, i int) (c byte, n int) {
	r, n := rune(text[i]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(text[i:])
	} else if escape, length := unescaped(text[i:]); length > 0 {
		r, n = escape, length
	}
	switch c := sign(r); {
	case c != 0:
		return c, n
	case r == '\t':
		return ' ', n
	case r < ' ' || r == 0x7F || isHidden(r):
		return 0, n
	case 'A' <= r && r <= 'Z':
		return byte(r) | 0x20, n
	case r < utf8.RuneSelf:
		return byte(r), n
	}
	s := strings.ToLower(view.Skeleton(r))
	switch {
	case s != "":
		return s[0], n
	case view.Blank(r):
		return 0, n
	}
	return '?', n
}

// sign returns the ASCII character of delimiters that r is or resembles; a line feed for all
// line breaks; 0 for other characters.
func sign(r rune) byte {
	switch r {
	case '<', '＜', '﹤', '‹', '〈', 0x2329, '⟨', '❮', '❬', '❰', 'ᐸ', '˂', '≺', '«', '《', '⟪', '⧼':
		return '<'
	case '>', '＞', '﹥', '›', '〉', 0x232A, '⟩', '❯', '❭', '❱', 'ᐳ', '˃', '≻', '»', '》', '⟫', '⧽':
		return '>'
	case '|', '｜', '¦', '￤', '│', '┃', '❘', '❙', '❚', '∣', 'ǀ', '︱', '︳', '￨', '⏐', '▏', '▕', '⎮', '⼁':
		return '|'
	case '[', '［', '【', '〔', '〖', '〚', '⟦', '﹝', '❲', '⦋':
		return '['
	case ']', '］', '】', '〕', '〗', '〛', '⟧', '﹞', '❳', '⦌':
		return ']'
	case '/', '／', '∕', '⁄', '⧸', '╱', '⟋':
		return '/'
	case ':', '：', '﹕', '︓', '∶', '꞉', 'ː', '˸', '։', '׃', '܃', '܄', '᛬', '⁚', '︰':
		return ':'
	case '_', '＿', '▁', '﹍', '﹎', '﹏':
		return '_'
	case '#', '＃', '﹟', '♯':
		return '#'
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return '\n'
	case '\\', '＼', '﹨':
		return '\\'
	}
	return 0
}

// isTag reports whether the text after a "<" makes it a delimiter: |name|>, with at least one
// of the bars, or a tag, perhaps with attributes.
func isTag(text string) bool {
	var name word
	element := "" // the name up to white space
	bar, closing := false, false
	for i := 0; i < len(text); {
		c, n := plainAt(text, i)
		i += n
		switch {
		case c == 0, c == '/' && name.n == 0:
		case c == '>':
			return bar && name.n > 0 || isTagName(name.String())
		case c == '=':
			return isTagName(element) || isTagName(name.String()) || element == "" && isAssigned(name.String())
		case c == '|':
			bar, closing = true, name.n > 0
		case c == '/':
			return isTagName(name.String())
		case c == ' ', c == '\n':
			if element == "" {
				element = name.String()
			}
		case closing || !isName(c) || !name.add(c):
			return false
		}
	}
	return false
}

// isBracket reports whether the text after a "[" makes it a mark: |name|], or a name.
func isBracket(text string) bool {
	var name word
	opened, closed := false, false // by bars
	for i := 0; i < len(text); {
		c, n := plainAt(text, i)
		i += n
		switch {
		case c == 0, c == ' ', c == '\n', c == '/' && name.n == 0:
		case c == ']':
			return opened && closed || isBracketName(name.String())
		case c == '|' && name.n == 0:
			opened = true
		case c == '|':
			closed = true
		case closed || !isName(c) || !name.add(c):
			return false
		}
	}
	return false
}

// isLiteral reports whether a sign and the text after it are one of [literals].
func isLiteral(c byte, rest string) bool {
	return slices.ContainsFunc(literals, func(mark string) bool {
		return mark[0] == c && startsWith(rest, mark[1:len(mark)-1], mark[len(mark)-1]) >= 0
	})
}

// startsWith returns the index of a sign after a word, in small letters, at the start of a text, -1 if there
// is none. Invisible characters, and white space before the sign, may be between.
func startsWith(text, word string, end byte) int {
	for i := 0; i < len(text); {
		c, n := plainAt(text, i)
		if c == 0 {
			i += n
			continue
		}
		want, length := utf8.DecodeRuneInString(word)
		r, _ := utf8.DecodeRuneInString(text[i:])
		switch {
		case length > 0 && unicode.ToLower(r) == want:
			word = word[length:]
		case length > 0:
			return -1
		case c == end:
			return i
		case c != ' ' && c != '*':
			return -1
		}
		i += n
	}
	return -1
}

func isName(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == ':' || c == '.'
}

// speaker returns the index of the colon after a speaker's name at the start of a line, -1 if
// there is none. Quote signs, bullets and marks of headings and of emphasis may be around the
// name.
func speaker(text string, start int) int {
	heading := false
	for i := start; i < len(text); {
		c, n := plainAt(text, i)
		switch {
		case c == 0, strings.IndexByte(" *_>|-\"'", c) >= 0:
		case c == '#':
			heading = true
		default:
			for _, name := range foreignSpeakers {
				if at := startsWith(text[i:], name, ':'); at >= 0 {
					return i + at
				}
			}
			return named(text, i, heading)
		}
		i += n
	}
	return -1
}

// named returns the index of the colon after a speaker's name, -1 if there is none. The words of the name are
// separated by white space, and marks of emphasis may be around the name. A name with an underscore, such as
// system_prompt, does not count: it is one of programs.
func named(text string, start int, heading bool) int {
	var name word
	parted, ended := false, false
	for i := start; i < len(text); {
		c, n := plainAt(text, i)
		switch {
		case c == 0:
		case c == ':':
			if isSpeaker(name.String(), heading) {
				return i
			}
			return -1
		case c == ' ':
			parted = name.n > 0
		case c == '*', c == '_':
			ended = ended || name.n > 0
		case ended:
			return -1
		case c < '0' || c > '9' && c < 'a' || c > 'z', parted && !name.add(' '), !name.add(c):
			return -1
		default:
			parted = false
		}
		i += n
	}
	return -1
}

// heading returns the index of the colon after a speaker's name that follows two or more "#" anywhere in a
// line, -1 if there is none, and the length of the signs.
func heading(text string, start int) (at, n int) {
	signs := 0
	for i := start; i < len(text); {
		c, length := plainAt(text, i)
		switch c {
		case '#':
			signs++
		case 0, ' ', '*':
		default:
			if signs < 2 {
				return -1, i - start
			}
			return named(text, i, true), i - start
		}
		i += length
	}
	return -1, len(text) - start
}

// endsTurn reports whether a text before a colon ends with a speaker of Vicuna, whose turns share one line:
// "USER: … ASSISTANT: …".
func endsTurn(text string) bool {
	const longest = 64
	name := ""
	for read := 0; text != "" && read < longest; {
		r, n := utf8.DecodeLastRuneInString(text)
		switch {
		case view.Ignorable(r), r == ' ' && name == "":
		case 'A' <= r && r <= 'Z':
			name = string(r) + name
		default:
			return r == ' ' && isTurn(name)
		}
		text, read = text[:len(text)-n], read+n
	}
	return false // [speaker] handles the start of a line
}

func isTurn(name string) bool { return name == "USER" || name == "ASSISTANT" }
