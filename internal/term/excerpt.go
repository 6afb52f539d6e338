package term

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/secrets"
)

// excerptReach is the number of bytes before and after a place to examine: more than is shown, so that a
// credential that begins earlier is recognised.
const excerptReach = 4 << 10

// Excerpt returns the text around a place in a JSON text, visible and without credentials: its line, without
// indentation, or as much of it as fits the columns. The value or word at the place has width columns from
// column caret on.
func Excerpt(text []byte, at, columns int) (line string, caret, width int) {
	from, to := max(at-excerptReach, 0), min(at+excerptReach, len(text))
	from += bytes.LastIndexByte(text[from:at], '\n') + 1
	if end := bytes.IndexByte(text[at:to], '\n'); end >= 0 {
		to = at + end
	}
	for from < at && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && to > at && !utf8.RuneStart(text[to]) {
		to--
	}
	shown := secrets.HideJSON(string(text[from:to]))
	before, after := shown[:at-from], shown[at-from:]
	marked := after[:tokenLength(text[at:to])]
	after = after[len(marked):]

	head, mark, tail := visible(strings.TrimLeft(before, " \t")), visible(marked), visible(strings.TrimRight(after, " \t\r"))
	begun := from > 0 && text[from-1] != '\n'
	ends := to < len(text) && text[to] != '\n'

	needed := Width(mark) + Width(tail)
	if room := max(columns/3, columns-needed); begun || Width(head) > room {
		head = "…" + ending(head, room-1)
	}
	caret = Width(head)
	rest, whole := cut(mark+tail, columns-caret)
	if !whole || ends {
		rest, _ = cut(mark+tail, columns-caret-1)
		rest += "…"
	}
	return head + rest, caret, max(min(Width(mark), Width(rest)), 1)
}

// tokenLength returns the length of the string, number, word or character at the beginning of a text.
func tokenLength(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	if text[0] == '"' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	}
	n := 0
	for n < len(text) && (isWord(text[n]) || text[n] >= utf8.RuneSelf) {
		n++
	}
	if n == 0 {
		_, n = utf8.DecodeRune(text)
	}
	return n
}

func isWord(c byte) bool {
	return c-'0' < 10 || c|0x20-'a' < 26 || strings.IndexByte("+-._", c) >= 0
}
