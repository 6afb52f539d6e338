package openai

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The lines before the start marker of a summary.
const (
	preamble      = "For context, here is the conversation so far between the user and the previous agent:"
	olderPreamble = "For context, here is the conversation so far:"
)

// noItems is the line of a summary without items.
const noItems = "(no previous turns recorded)"

// markers are the texts around the lines of a summary, and the spelling of its message.
type markers struct {
	start, end string
	*spelling
}

func newMarkers(data jsonstream.Value, start, end string) markers {
	return markers{cmp.Or(start, DefaultStart), cmp.Or(end, DefaultEnd), spellingOf(data)}
}

// A summary collects the lines of a summary message.
type summary struct {
	lines []byte
	items int
}

// add appends the line of an item.
func (s *summary) add(item jsonstream.Value, m markers) {
	s.items++
	s.lines = append(s.lines, '\n')
	s.lines = strconv.AppendInt(s.lines, int64(s.items), 10)
	s.lines = append(s.lines, ". "...)
	s.lines = m.appendLine(s.lines, item)
}

// take appends the summary message as JSON, and empties s.
func (s *summary) take(dst []byte, m markers) []byte {
	if s.items == 0 {
		s.lines = append(s.lines, "\n"+noItems...)
	}
	text := strings.Join([]string{preamble, m.start + string(s.lines), m.end}, "\n")
	s.items, s.lines = 0, s.lines[:0]
	return m.appendMessage(dst, "assistant", "", text)
}

// appendQuoted appends a valid UTF-8 string as JSON.
func appendQuoted(dst []byte, s string) []byte {
	dst, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		panic(err) // impossible: strict JSON is UTF-8, and markers are checked
	}
	return dst
}

// appendLine appends an item as a line of a summary, without its number.
func (m markers) appendLine(dst []byte, item jsonstream.Value) []byte {
	if !m.isOneLine(item) {
		return appendPythonObject(dst, item, m.apart...)
	}
	dst = append(dst, item.Get("role").Text()...)
	if name := item.Get("name").Text(); name != "" {
		dst = append(append(append(dst, " ("...), name...), ')')
	}
	return append(append(dst, ": "...), m.textOf(item).Text()...)
}

// isOneLine reports whether an item is written as ROLE: CONTENT.
func (m markers) isOneLine(item jsonstream.Value) bool {
	if item.Get("role").Kind() != jsonstream.String {
		return false
	}
	content := m.textOf(item)
	switch content.Kind() {
	case jsonstream.Absent, jsonstream.Null:
		return true
	case jsonstream.String:
		return !strings.ContainsAny(content.Text(), "\r\n")
	default:
		return false
	}
}
