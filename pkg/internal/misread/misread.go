// Package misread names what a text is that was taken for JSON and is not: a page of a web
// server, YAML, what Python or JavaScript print, JSON in a Markdown fence or in prose.
//
// It is asked once a text has failed to parse, so that JSON costs nothing, and it looks at no
// more than 4 KiB of the beginning, and as many after the fault.
package misread

import (
	"bytes"
	"fmt"
	"strings"
)

// window is how many bytes are looked at.
const window = 4 << 10

// A Quote writes a piece of a text, shortened and safe to print.
type Quote func(piece []byte) string

// Cause says what a text is that is not JSON from an offset on, and what to do, and where that
// begins. problem is "" if the text looks like JSON with a slip in it.
func Cause(text []byte, offset int, quote Quote) (problem string, at int) {
	begin := len(text) - len(bytes.TrimLeft(text, space))
	head := text[begin:min(len(text), begin+window)]
	if offset > begin && opensJSON(head) || isOneWord(head) {
		return slip(text[:offset], text[offset:min(len(text), offset+window)], quote), offset
	}
	return stranger(head, quote), begin
}

// IsAround reports whether a text is what people and models write before and after JSON: prose, or
// the fence of a block of code.
func IsAround(text []byte) bool {
	head := bytes.TrimLeft(text, space)
	head = head[:min(len(head), window)]
	if len(head) == 0 || opensJSON(head) {
		return false
	}
	kind, _ := kindOf(head)
	return kind == fence || kind == prose
}

const space = " \t\r\n"

// opensJSON reports whether a text begins as an object, an array or a string does.
func opensJSON(head []byte) bool {
	return len(head) > 0 && strings.IndexByte(`{["`, head[0]) >= 0 && !isTag(firstLine(head))
}

// isOneWord reports whether a text is no more than a word.
func isOneWord(head []byte) bool { return len(wordAt(head)) == len(bytes.TrimRight(head, space)) }

// stranger says what a text is that does not begin as JSON.
func stranger(head []byte, quote Quote) string {
	kind, found := kindOf(head)
	if kind.problem == "" {
		return ""
	}
	return fmt.Sprintf("%s: found %s; %s", kind.problem, quote(found), kind.remedy)
}

// slip says in which other notation a text goes on that began as JSON, given what is before and
// after the fault.
func slip(before, rest []byte, quote Quote) string {
	last := bytes.TrimRight(before, space)
	atName := len(last) > 0 && (last[len(last)-1] == '{' || last[len(last)-1] == ',')
	word := wordAt(rest)
	switch string(word) {
	case "None", "True", "False":
		return fmt.Sprintf("found %s, as Python writes it: JSON has null, true and false; write it with json.dumps instead of str or repr", word)
	case "undefined":
		return "found undefined, as JavaScript has it: JSON has null; write it with JSON.stringify, or leave the member out"
	}
	switch {
	case atName && rest[0] == '\'':
		return "found a name in single quotes, as Python's repr and JavaScript have it: JSON has double quotes; write it with json.dumps or JSON.stringify"
	case atName && len(word) > 0 && bytes.HasPrefix(bytes.TrimLeft(rest[len(word):], space), []byte(":")):
		return fmt.Sprintf("found the name %s without quotes, as in JavaScript: JSON has names in double quotes; write it with JSON.stringify", quote(word))
	default:
		return ""
	}
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimRight(line, space)
}

// wordAt returns the identifier that a text begins with.
func wordAt(text []byte) []byte {
	n := 0
	for n < len(text) && (isLetter(text[n]) || n > 0 && isDigit(text[n])) {
		n++
	}
	return text[:n]
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
