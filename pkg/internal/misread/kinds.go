package misread

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A kind is a kind of text other than JSON, with its remedy.
type kind struct{ problem, remedy string }

var (
	fence  = kind{"JSON in a Markdown code fence", "remove the fence and the text around it"}
	html   = kind{"an HTML page, as servers and proxies send for an error", "check its source"}
	markup = kind{"XML, or another markup language", "convert it to JSON"}
	events = kind{"a stream of server-sent events", "give the JSON that follows each data:"}
	yaml   = kind{"YAML", "convert it to JSON, for instance with yq -o json"}
	log    = kind{"a line of a log", "write the log elsewhere, for instance to stderr"}
	prose  = kind{"text where JSON is expected", "give the JSON alone"}
	zeros  = kind{"zero bytes, as a power failure leaves them", "remove them"}
	record = kind{"a JSON text sequence (RFC 7464)", `remove its separators, for instance with tr -d '\036'`}
	binary = kind{"binary data where JSON is expected", "check its source; gzip and zstd data is decompressed"}
)

// kindOf returns the kind of a text that does not begin as JSON, and the part of it to show. The
// kind is empty if unknown.
func kindOf(head []byte) (k kind, found []byte) {
	line := firstLine(head)
	switch {
	case len(line) > 0 && len(bytes.Trim(line, "\x00")) == 0:
		return zeros, line[:min(len(line), 8)]
	case line[0] == 0x1e:
		return record, line[:1]
	case isBinary(line):
		return binary, line[:min(len(line), 8)]
	case fenceIn(head) != nil:
		return fence, fenceIn(head)
	case isHTML(head) && titleOf(head) != nil:
		return html, titleOf(head)
	case isHTML(head):
		return html, line
	case line[0] == '<':
		return markup, line
	case isEvents(head):
		return events, line
	case isYAML(head):
		return yaml, line
	case isLog(line):
		return log, line
	case isLetter(line[0]), line[0] >= 0x80, strings.IndexByte("#*>-=([", line[0]) >= 0:
		return prose, line
	default:
		return kind{}, nil
	}
}

// isBinary reports whether more than a fifth of the beginning of a line are control characters or invalid
// UTF-8: text in an older encoding has fewer.
func isBinary(line []byte) bool {
	line = line[:min(len(line), 64)]
	bad := 0
	for rest := line; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 && utf8.FullRune(rest) || r < ' ' && r != '\t' && r != '\r' && r != 0x1b || r == 0x7f {
			bad++
		}
		rest = rest[size:]
	}
	return bad > len(line)/5
}

// fenceIn returns the line of a Markdown fence in the text before the JSON, or directly after it;
// nil if there is none.
func fenceIn(head []byte) []byte {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		switch {
		case bytes.HasPrefix(line, []byte("```")), bytes.HasPrefix(line, []byte("~~~")):
			return line
		case opensJSON(line):
			return nil
		}
	}
	return nil
}

func isHTML(head []byte) bool {
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body", "<h1", "<title"} {
		if len(head) >= len(tag) && strings.EqualFold(string(head[:len(tag)]), tag) {
			return true
		}
	}
	return false
}

// titleOf returns the title of an HTML page.
func titleOf(head []byte) []byte {
	_, title, _ := bytes.Cut(head, []byte("<title>"))
	title, _, closed := bytes.Cut(title, []byte("</"))
	if !closed {
		return nil
	}
	return bytes.TrimSpace(title)
}

// isEvents reports whether a text is a stream of server-sent events, as APIs send partial answers.
func isEvents(head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	if bytes.HasPrefix(line, []byte("event:")) {
		line = rest
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	return ok && opensJSON(bytes.TrimLeft(data, space))
}

// isYAML reports whether a text begins with a YAML document marker, with two members, or with one
// member and its nested content.
func isYAML(head []byte) bool {
	members := 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, space)
		switch {
		case len(line) == 0, line[0] == '#':
		case members == 0 && string(line) == "---":
			return true
		case members == 1 && (line[0] == ' ' || line[0] == '-'):
			return isMember(bytes.TrimLeft(line, " -"))
		case !isMember(line):
			return false
		default:
			if members++; members == 2 {
				return true
			}
		}
	}
	return false
}

// isMember reports whether a line is a name, a colon, and a value on it or below. A log level is
// not a name.
func isMember(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte(":"))
	return ok && len(name) > 0 && len(wordAt(name)) == len(name) && !isLevel(name) && (len(value) == 0 || value[0] == ' ')
}

// isLevel reports whether a word is a log level.
func isLevel(word []byte) bool {
	switch strings.ToLower(string(word)) {
	case "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "critical", "panic":
		return true
	default:
		return false
	}
}

// isLog reports whether a line begins with a time or a level, as in a log. A level that is not in
// capitals must be followed by a colon or a bracket, since it may be a word of prose.
func isLog(line []byte) bool {
	text := bytes.TrimLeft(line, "[(")
	word := wordAt(text)
	after := text[len(word):]
	switch {
	case isTime(text):
		return true
	case len(after) == 0:
		return false
	case isLevel(word):
		return strings.IndexByte(":]|", after[0]) >= 0 || bytes.Equal(word, bytes.ToUpper(word))
	default: // logfmt
		return after[0] == '=' && slices.Contains([]string{"level", "lvl", "time", "ts", "msg"}, string(word))
	}
}

// isTime reports whether a text begins with a date or a time of day, such as 2026-06-12, 2026/06/12
// or 09:30.
func isTime(text []byte) bool {
	digits := 0
	for digits < len(text) && isDigit(text[digits]) {
		digits++
	}
	rest := text[digits:]
	if len(rest) < 3 || !isDigit(rest[1]) || !isDigit(rest[2]) {
		return false
	}
	return digits == 4 && (rest[0] == '-' || rest[0] == '/') || digits == 2 && rest[0] == ':'
}

// isTag reports whether a line begins with a time or a level in brackets, as in a log.
func isTag(line []byte) bool { return len(line) > 0 && line[0] == '[' && isLog(line) }
