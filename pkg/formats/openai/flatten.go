package openai

import (
	"iter"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// maxNesting is the maximum depth of nested summaries that are read. Each level doubles the
// backslashes before every line feed of the innermost summary, so only hostile text is
// nested deeper.
const maxNesting = 32

// flatten yields an item, or the listed items if it is a summary message. It returns false
// if yield did.
func (m markers) flatten(item jsonstream.Value, yield func(jsonstream.Value) bool) bool {
	return m.flattenTo(item, maxNesting, yield)
}

func (m markers) flattenTo(item jsonstream.Value, depth int, yield func(jsonstream.Value) bool) bool {
	lines, _, ok := m.lines(item)
	if !ok || depth == 0 {
		return yield(item)
	}
	for _, record := range records(lines) {
		if inner, ok := m.readRecord(record); ok && !m.flattenTo(inner, depth-1, yield) {
			return false
		}
	}
	return true
}

// lines returns the lines of a summary message, each after a line feed, and their offset in
// its [spelling.textOf]. ok is false for other items.
func (m markers) lines(item jsonstream.Value) (lines string, offset int, ok bool) {
	content := m.textOf(item)
	if content.Kind() != jsonstream.String || item.Get("role").Text() != "assistant" {
		return "", 0, false
	}
	text := content.Text()
	rest, ok := strings.CutPrefix(text, preamble+"\n")
	if !ok {
		rest, ok = strings.CutPrefix(text, olderPreamble+"\n")
	}
	if !ok {
		return "", 0, false
	}
	for _, around := range []markers{m, {start: DefaultStart, end: DefaultEnd}} {
		if after, ok := strings.CutPrefix(rest, around.start); ok {
			if lines, ok := strings.CutSuffix(after, "\n"+around.end); ok && (lines == "" || lines[0] == '\n') {
				return lines, len(text) - len(after), true
			}
		}
	}
	return "", 0, false
}

// records yields the records of a summary with their offsets in its lines. A record starts
// at a numbered line and ends before the next one. Text before the first numbered line is
// also a record.
func records(lines string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		from := 0
		for at := 0; at < len(lines); {
			line := at
			if next := strings.IndexByte(lines[at:], '\n'); next >= 0 {
				at += next + 1
			} else {
				at = len(lines)
			}
			if line > from && numberEnd(lines[line:at]) > 0 {
				if !yield(from, lines[from:line]) {
					return
				}
				from = line
			}
		}
		if from < len(lines) {
			yield(from, lines[from:])
		}
	}
}

// numberEnd returns the end of the number and dot at the beginning of a record, or 0.
func numberEnd(line string) int {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits == len(line) || line[digits] != '.' {
		return 0
	}
	return digits + 1
}

// readRecord returns the item in a record. ok is false if there is none.
func (m markers) readRecord(record string) (item jsonstream.Value, ok bool) {
	text := strings.TrimSpace(record[numberEnd(record):])
	if item, ok := parseObject(text); ok {
		return item, true
	}
	head, content, ok := cutHead(text)
	if !ok {
		role, name := cutName(text)
		if !slices.Contains(m.roles, role) {
			return item, false
		}
		return mustParse(m.appendMessage(nil, role, name, "")), true
	}
	role, name := cutName(head)
	if name == "" && !slices.Contains(m.roles, role) {
		if members, ok := parseObject(content); ok {
			return typedItem(role, members), true
		}
	}
	return mustParse(m.appendMessage(nil, role, name, content)), true
}

// cutHead splits a line into ROLE or ROLE (NAME) and the content, without the surrounding
// white space. A name may contain colons.
func cutHead(text string) (head, content string, ok bool) {
	end := strings.IndexByte(text, ':')
	if end < 0 {
		return "", "", false
	}
	if open := strings.Index(text[:end], " ("); open >= 0 && text[end-1] != ')' {
		if last := strings.Index(text[end:], "):"); last >= 0 {
			end += last + len(")")
		}
	}
	return strings.TrimSpace(text[:end]), strings.TrimSpace(text[end+1:]), true
}

// cutName splits ROLE (NAME).
func cutName(head string) (role, name string) {
	if inner, ok := strings.CutSuffix(head, ")"); ok {
		if role, name, ok := strings.Cut(inner, " ("); ok && name != "" {
			return role, name
		}
	}
	return head, ""
}

// typedItem returns the item written in the older form TYPE: {members}.
func typedItem(kind string, members jsonstream.Value) jsonstream.Value {
	text := appendQuoted([]byte(`{"type":`), kind)
	for name, member := range members.Members() {
		if name == "type" {
			continue
		}
		text = append(append(text, ','), member.RawName()...)
		text = append(append(text, ':'), member.Raw()...)
	}
	return mustParse(append(text, '}'))
}

// parseObject parses a text that is an object.
func parseObject(text string) (jsonstream.Value, bool) {
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return jsonstream.Value{}, false
	}
	limits := jsonstream.Unlimited()
	limits.MaxDepth = jsonstream.MaxDepth - 2 // so that it can be in a list of a document
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), limits)
	if err != nil {
		return jsonstream.Value{}, false
	}
	return doc.Root(), true
}

// mustParse parses a text written by this package.
func mustParse(text []byte) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(err)
	}
	return doc.Root()
}
