package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Quoted is inserted into text that looks like a border of a prompt, to break it up. It is also
// inserted into every Quoted of the original text: removing the insertions restores the text.
const Quoted = open + "quoted›"

// open begins all insertions. If the original text has it
// before an element of reserved, a [Quoted] is inserted between them.
const open = "‹"

var reserved = []string{"quoted›", "U+"}

// A place is the context of a shown text.
type place int

const (
	inText place = iota // in lines of its own
	inJSON              // in a JSON string, where ASCII's control characters are escaped
)

// An edit replaces a number of bytes of a text.
type edit struct {
	at, remove int
	insert     string
}

// neutral appends a text and breaks up everything in it that looks like a border of a prompt: the label, the
// lines around the data, the delimiters of chat templates. Characters that are invisible or change the
// direction of writing are written as ‹U+200B› unless they are needed ([isNeeded]), and Windows line breaks
// in lines of text as line feeds.
func neutral(dst []byte, text string, where place) []byte {
	if isHarmless(text) {
		return append(dst, text...)
	}
	edits := append(labels(text), delimiters(text)...)
	return apply(dst, text, oddities(edits, text, where))
}

// isHarmless reports whether a text, as most names of members, is too short for one of our borders and has
// none of the first characters of other borders.
func isHarmless(text string) bool {
	if len(text) >= len("handedoverdata") {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == ' ' || c == '_' || c == '-' || c == '.') {
			return false
		}
	}
	return true
}

// apply appends a text with edits. Where several edits insert at the same place, the first one counts.
func apply(dst []byte, text string, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.remove, b.remove)) })
	done := 0
	last := -1
	for _, e := range edits {
		if e.at == last && e.remove == 0 {
			continue
		}
		dst = append(dst, text[done:e.at]...)
		dst = append(dst, e.insert...)
		done, last = e.at+e.remove, e.at
	}
	return append(dst, text[done:]...)
}

// borders returns the data and breaks up look-alikes of borders that consist of several values
// of the message.
func borders(data []byte) []byte {
	text := string(data)
	edits := labels(text)
	if len(edits) == 0 {
		return data
	}
	return apply(nil, text, edits)
}

// oddities adds the edits for invisible characters and for text that looks like an edit.
func oddities(edits []edit, text string, where place) []edit {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case ' ' <= c && c < 0x7F, c == '\n', c == '\t':
			i++
			continue
		case c < ' ' && where == inJSON:
			i++
			continue
		case c == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			edits = append(edits, edit{i, 1, ""})
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isHidden(r) && !isNeeded(text, i, r, n):
			edits = append(edits, edit{i, n, fmt.Sprintf(open+"U+%04X›", r)})
		case r == '‹' && slices.ContainsFunc(reserved, func(s string) bool { return strings.HasPrefix(text[i+n:], s) }):
			edits = append(edits, edit{i + n, 0, Quoted})
		}
		i += n
	}
	return edits
}
