// Package misread identifies text that was expected to be JSON and is not: an HTML page, YAML, the
// output of Python or JavaScript, JSON in a Markdown fence or in prose.
//
// It is used only after a parse error, so valid JSON costs nothing, and examines at most 4 KiB at
// the beginning of the text and 4 KiB after the error.
package misread

import (
	"bytes"
	"fmt"
	"strings"
)

// window is the maximum number of bytes examined.
const window = 4 << 10

// A Quote returns a piece of a text, shortened and safe to print.
type Quote func(piece []byte) string

// Cause describes the kind of a text that is not JSON from an offset on, with the remedy, and
// returns its offset. problem is "" if the text looks like JSON with a mistake.
func Cause(text []byte, offset int, quote Quote) (problem string, at int) {
	begin := len(text) - len(bytes.TrimLeft(text, space))
	head := text[begin:min(len(text), begin+window)]
	if offset > begin && opensJSON(head) || isOneWord(head) {
		return slip(text[:offset], text[offset:min(len(text), offset+window)], quote), offset
	}
	return stranger(head, quote), begin
}

// IsAround reports whether text is typical of the text before and after JSON: prose, or the fence
// of a code block.
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

// opensJSON reports whether a text begins like an object, an array or a string.
func opensJSON(head []byte) bool {
	return len(head) > 0 && strings.IndexByte(`{["`, head[0]) >= 0 && !isTag(firstLine(head))
}

// isOneWord reports whether a text is a single word.
func isOneWord(head []byte) bool { return len(wordAt(head)) == len(bytes.TrimRight(head, space)) }

// stranger describes the kind of a text that does not begin as JSON.
func stranger(head []byte, quote Quote) string {
	kind, found := kindOf(head)
	if kind.problem == "" {
		return ""
	}
	return fmt.Sprintf("%s: found %s; %s", kind.problem, quote(found), kind.remedy)
}

// slip describes the notation of a text that begins as JSON and continues otherwise, given the text
// before and after the error.
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

// wordAt returns the identifier at the start of a text.
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
