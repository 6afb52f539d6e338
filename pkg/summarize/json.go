package summarize

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonStart returns the offset of the JSON in a line: 0, or after the name of a called tool.
func jsonStart(line string) (int, bool) {
	at := 0
	if line[0] != '{' && line[0] != '[' {
		at = strings.IndexByte(line[:min(len(line), 80)], ' ') + 1
		if at == 0 || at >= len(line) || line[at] != '{' && line[at] != '[' {
			return 0, false
		}
	}
	rest := strings.TrimLeft(line[at+1:min(len(line), at+400)], " \t")
	if rest == "" {
		return at, true
	}
	if line[at] == '{' {
		return at, rest[0] == '"' || rest[0] == '}'
	}
	return at, rest[0] == '{' || rest[0] == '"' && strings.ContainsAny(rest, ",]") || rest[0] == ']'
}

// maxDepth bounds the nesting that is followed.
const maxDepth = 64

// A walker reads JSON and writes its objects flat, as "path: value; path: value". It accepts damaged
// JSON, up to the damage.
type walker struct {
	s     *splitter
	text  string
	at    int
	path  [maxDepth]string
	depth int
	array [maxDepth]bool
}

// json reads the JSON at the beginning of a text and returns its length.
func (s *splitter) json(text string) int {
	w := walker{s: s, text: text}
	w.walk()
	w.flush()
	return w.at
}

func (w *walker) flush() {
	if w.s.flat.Len() > 0 {
		w.s.pieces(w.s.flat.String(), data)
		w.s.flat.Reset()
	}
}

func (w *walker) walk() {
	name := ""
	for w.at < len(w.text) {
		c := w.text[w.at]
		switch {
		case c <= ' ' || c == ',' || c == ':':
			w.at++
		case c == '{' || c == '[':
			if w.depth == maxDepth {
				return
			}
			if c == '{' && w.depth > 0 && w.array[w.depth-1] {
				w.flush()
			}
			w.path[w.depth], w.array[w.depth] = name, c == '['
			w.depth++
			name = ""
			w.at++
		case c == '}' || c == ']':
			if w.depth == 0 {
				return
			}
			w.depth--
			w.at++
			if c == '}' && w.depth > 0 && w.array[w.depth-1] {
				w.flush()
			}
			if w.depth == 0 {
				return
			}
		case c == '"':
			value, ok := w.quoted()
			if !ok || w.depth == 0 {
				return
			}
			if !w.array[w.depth-1] && w.isName() {
				name = value
				continue
			}
			w.leaf(name, value, true)
			name = ""
		default:
			end := w.at
			for end < len(w.text) && (isWordByte(w.text[end]) || strings.IndexByte("+-.", w.text[end]) >= 0) {
				end++
			}
			if end == w.at || w.depth == 0 || end-w.at > maxUnit {
				return
			}
			w.leaf(name, w.text[w.at:end], false)
			name = ""
			w.at = end
		}
	}
}

// isName reports whether a colon follows.
func (w *walker) isName() bool {
	for i := w.at; i < len(w.text); i++ {
		if c := w.text[i]; c > ' ' {
			return c == ':'
		}
	}
	return false
}

// leaf writes a value with its path. Strings that are sentences become units of their own.
func (w *walker) leaf(name, value string, isString bool) {
	if value == "" || !isString && value == "null" {
		return
	}
	flat := &w.s.flat
	if isString && (len(value) > 200 || strings.IndexByte(value, '\n') >= 0) {
		w.flush()
		w.s.split(value)
		return
	}
	if flat.Len()+len(value) > maxUnit-80 {
		w.flush()
	}
	if flat.Len() > 0 {
		flat.WriteString("; ")
	}
	if name == "" {
		// An element of an array has the array's name.
		for i := w.depth - 1; i >= 0 && name == ""; i-- {
			name = w.path[i]
		}
	} else if w.depth > 1 && !w.array[w.depth-1] {
		if outer := w.path[w.depth-1]; outer != "" && len(outer) < 40 {
			flat.WriteString(outer)
			flat.WriteByte('.')
		}
	}
	if len(name) > 80 {
		name = ""
	}
	if name != "" {
		flat.WriteString(name)
		flat.WriteString(": ")
	}
	flat.WriteString(value)
}

// quoted returns the characters of the string at w.at, and moves past it.
func (w *walker) quoted() (string, bool) {
	i := w.at + 1
	escaped := false
	for {
		n := strings.IndexByte(w.text[i:], '"')
		if n < 0 {
			w.at++
			return "", false
		}
		slashes := 0
		for k := i + n - 1; k >= i && w.text[k] == '\\'; k-- {
			slashes++
		}
		escaped = escaped || slashes > 0 || strings.IndexByte(w.text[i:i+n], '\\') >= 0
		i += n
		if slashes%2 == 0 {
			break
		}
		i++
	}
	value := w.text[w.at+1 : i]
	w.at = i + 1
	if escaped {
		value = unescape(value)
	}
	return value, true
}

func unescape(quoted string) string {
	out := make([]byte, 0, len(quoted))
	for i := 0; i < len(quoted); i++ {
		c := quoted[i]
		if c != '\\' || i+1 == len(quoted) {
			out = append(out, c)
			continue
		}
		i++
		switch quoted[i] {
		case 'n':
			out = append(out, '\n')
		case 't', 'r', 'b', 'f':
			out = append(out, ' ')
		case 'u':
			if i+4 < len(quoted) {
				if unit, err := strconv.ParseUint(quoted[i+1:i+5], 16, 32); err == nil {
					out = utf8.AppendRune(out, rune(unit))
					i += 4
				}
			}
		default:
			out = append(out, quoted[i])
		}
	}
	return string(out)
}
