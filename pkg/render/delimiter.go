package render

import (
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/view"
)

// isTagName reports whether a name in small letters makes a delimiter of chat templates, or of
// the prompts of tools, in angle brackets, as in <s> and </tool_call>. Any <|name|> is one.
func isTagName(name string) bool {
	switch name {
	case "s", "bos", "eos", "pad", "unk", "sop", "eop", "sys",
		"start_of_turn", "end_of_turn", "start_of_image", "begin_of_text", "end_of_text",
		"system", "system_prompt", "system-prompt", "system-reminder", "developer", "assistant", "human",
		"think", "thinking", "tools", "tool_call", "tool_calls", "tool_response", "tool_responses", "tool_result", "tool_results",
		"function_call", "function_calls", "function_result", "function_results", "invoke",
		"antml:function_calls", "antml:invoke", "antml:parameter", "antml:thinking":
		return true
	}
	return false
}

// isBracketName is [isTagName] for square brackets, as in [INST] and [/INST].
func isBracketName(name string) bool {
	switch name {
	case "inst", "sys", "gmask", "system_prompt", "available_tools", "tool_calls", "tool_results", "tool_content", "model_settings":
		return true
	}
	return false
}

// isSpeaker reports whether a word in small letters and a colon at the start of a line makes
// a delimiter, as "Human:" does, or after the signs of a heading, as "### Response:".
func isSpeaker(word string, heading bool) bool {
	switch word {
	case "human", "user", "assistant", "system", "developer", "ai":
		return true
	case "instruction", "instructions", "response", "input":
		return heading
	}
	return false
}

// A word is what is read of a name; what is longer is none.
type word struct {
	letters [48]byte
	n       int
}

// add adds a character, and reports whether there is room for it.
func (w *word) add(c byte) bool {
	if w.n == len(w.letters) {
		return false
	}
	w.letters[w.n] = c
	w.n++
	return true
}

func (w *word) String() string { return string(w.letters[:w.n]) }

// delimiters returns the edits that break up the delimiters of chat templates. They are
// found whatever their case is, with look-alike letters and signs, and with characters that do
// not show; those with bars and the names of speakers also with white space in them.
func delimiters(text string) (edits []edit) {
	lineStart := true
	for i := 0; i < len(text); {
		if lineStart {
			lineStart = false
			if at := speaker(text, i); at >= 0 {
				edits = append(edits, edit{at, 0, Quoted})
			}
		}
		if c := text[i]; c < utf8.RuneSelf && c != '<' && c != '[' && c != '\\' && (c < '\n' || c > '\r') { // nearly always
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch sign(r) {
		case '<':
			if isTag(text[i+n:]) {
				edits = append(edits, edit{i + n, 0, Quoted})
			}
		case '[':
			if isBracket(text[i+n:]) {
				edits = append(edits, edit{i + n, 0, Quoted})
			}
		case '\n':
			lineStart = true
		case '\\': // in a text inside of the text
			if next := text[i+n:]; next != "" && (next[0] == 'n' || next[0] == 'r') {
				lineStart = true
				n++
			}
		}
		i += n
	}
	return edits
}

// plainAt returns the ASCII character that the one at text[i] can be taken for, 0 if it
// takes no room, and its length. What looks like no ASCII character is '?'.
func plainAt(text string, i int) (c byte, n int) {
	r, n := rune(text[i]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(text[i:])
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

// sign returns the ASCII character that r is or looks like, of those that delimiters have; a
// line feed for all that breaks lines; 0 for others.
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

// isTag reports whether what follows a "<" makes a delimiter of it: |name|>, with a bar on
// one side at least, or a tag, perhaps with attributes.
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
			return isTagName(element) || isTagName(name.String())
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

// isBracket reports whether what follows a "[" makes a delimiter of it.
func isBracket(text string) bool {
	var name word
	for i := 0; i < len(text); {
		c, n := plainAt(text, i)
		i += n
		switch {
		case c == 0, c == ' ', c == '\n', c == '/' && name.n == 0:
		case c == ']':
			return isBracketName(name.String())
		case !isName(c) || !name.add(c):
			return false
		}
	}
	return false
}

func isName(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == ':' || c == '.'
}

// speaker returns where the colon is after a speaker's name at the start of a line, -1 if
// there is none. Quote signs, bullets and marks of headings and of emphasis may be around
// the name.
func speaker(text string, start int) int {
	var name word
	heading, ended := false, false
	for i := start; i < len(text); {
		c, n := plainAt(text, i)
		switch {
		case c == 0:
		case c == ':':
			if isSpeaker(name.String(), heading) {
				return i
			}
			return -1
		case c == '#' && name.n == 0:
			heading = true
		case strings.IndexByte(" *_", c) >= 0:
			ended = ended || name.n > 0
		case strings.IndexByte(`>|-"'`, c) >= 0 && name.n == 0:
		case c < 'a' || c > 'z' || ended || !name.add(c):
			return -1
		}
		i += n
	}
	return -1
}
