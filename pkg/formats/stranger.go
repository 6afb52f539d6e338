package formats

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Stranger is a document that users mistake for a message, though it is in no format.
type Stranger struct {
	// Is identifies the document and the remedy. It completes a sentence that begins with
	// [Outline].
	Is string
	// Message is set if the document is one or more messages in another form, so that its members
	// need no findings of their own.
	Message bool
}

// A StrangerError reports a document that is a [Stranger].
type StrangerError struct {
	Found string // a description of the document
	Err   error  // the error for a document of no format
}

func (e *StrangerError) Error() string { return "unknown format: found " + e.Found }

func (e *StrangerError) Unwrap() error { return e.Err }

// NoFormat returns err, the error for a document of no format, wrapped in a [*StrangerError] if
// root is a [Stranger].
func NoFormat(root jsonstream.Value, err error) error {
	if s, ok := StrangerOf(root); ok {
		return &StrangerError{Outline(root) + ", " + s.Is, err}
	}
	return err
}

// StrangerOf identifies a document that [Detect] does not recognise. It returns false if the
// document is not a known stranger.
func StrangerOf(root jsonstream.Value) (Stranger, bool) {
	if inSnakeCase(root, 0) {
		return Stranger{"the names of a canonical message in snake_case: write them in camelCase, such as " + camelCased(root), true}, true
	}
	if found := frameworkOf(root); found != "" {
		return Stranger{found, true}, true
	}
	for _, s := range strangers {
		if s.is(root) {
			return s.Stranger, true
		}
	}
	return Stranger{}, false
}

// OneALine is the advice for an array of messages.
const OneALine = "write one message per line, for example with jq -c '.[]'"

var strangers = []struct {
	is func(root jsonstream.Value) bool
	Stranger
}{
	{isEncodedTwice, Stranger{"which contains an encoded JSON document: decode it, for example with jq -r .", true}},
	{isSeveral, Stranger{"that is, an array of messages: " + OneALine, true}},
	{isRejected, Stranger{"like a report of a rejected message: extract the message with jq -c .message", true}},
	{isState, Stranger{"like an agent state: build a message from it with handoff build", true}},
	{func(v jsonstream.Value) bool { return v.Get("choices").First().Get("message").Exists() },
		Stranger{Is: "like a response of the Chat Completions API: extract its messages with jq '[.choices[].message]'"}},
	{func(v jsonstream.Value) bool { return v.Get("candidates").First().Get("content").Exists() },
		Stranger{Is: "like a response of the Gemini API: extract its contents with jq '[.candidates[].content]'"}},
	{func(v jsonstream.Value) bool { return v.Get("contents").Kind() == jsonstream.String },
		Stranger{Is: "like a request of Gemini's SDK: write contents as an array of turns"}},
	{func(v jsonstream.Value) bool {
		return v.Get("skills").Kind() == jsonstream.Array && v.Get("capabilities").Exists()
	},
		Stranger{Is: "like an A2A AgentCard: check it with handoff a2a card check"}},
	{func(v jsonstream.Value) bool {
		return v.Kind() == jsonstream.Object && conversation.Role(v) != "" && !v.Get("parts").Exists()
	},
		Stranger{Is: "like a single chat message: put the messages into an array; for JSON Lines, use jq -s ."}},
	{func(v jsonstream.Value) bool { return isPair(v.First()) || isPair(v.Get("messages").First()) },
		Stranger{Is: "that is, pairs of role and text: write each pair as {\"role\": …, \"content\": …}"}},
}

// isEncodedTwice reports whether a document is a string that holds an object or array.
func isEncodedTwice(v jsonstream.Value) bool {
	if v.Kind() != jsonstream.String {
		return false
	}
	inner, err := jsonstream.Parse(jsonstream.NewRaw([]byte(v.Text())), jsonstream.Limits{})
	return err == nil && (inner.Root().Kind() == jsonstream.Object || inner.Root().Kind() == jsonstream.Array)
}

// isSeveral reports whether a document is an array whose first element is a message.
func isSeveral(v jsonstream.Value) bool {
	if v.Kind() != jsonstream.Array || v.IsLines() || v.First().Kind() != jsonstream.Object {
		return false
	}
	_, ok := Detect(v.First())
	return ok
}

// isRejected reports whether a document is a rejected message with its findings, from a filter of this program.
func isRejected(v jsonstream.Value) bool {
	return v.Get("source").Kind() == jsonstream.String && v.Get("index").Kind() == jsonstream.Number &&
		v.Get("findings").Kind() == jsonstream.Array && v.Get("message").Kind() == jsonstream.Object
}

// isState reports whether a document is an agent state that was not yet made into a message. It
// shares members with messages.
func isState(v jsonstream.Value) bool {
	return v.Get("cost").Kind() == jsonstream.Object && v.Get("cost").Get("tokens").Exists() && !v.Get("schemaVersion").Exists() && !v.Get("costTracking").Exists()
}

// isPair reports whether a value is a message in the form of LangChain's code, which no format
// writes: an array of role and text.
func isPair(v jsonstream.Value) bool {
	return v.Kind() == jsonstream.Array && v.Len() == 2 && v.First().Kind() == jsonstream.String && v.First().Next().Kind() == jsonstream.String
}

// inSnakeCase reports whether v has at least three members of a canonical message in snake_case, and
// more such members than the number more.
func inSnakeCase(v jsonstream.Value, more int) bool {
	const least = 3
	n := 0
	for name := range v.Members() {
		if canonicalName(name) != "" {
			n++
		}
	}
	return n >= least && n > more && !v.Get("schemaVersion").Exists()
}

// camelCased lists the camelCase names of the first such members.
func camelCased(v jsonstream.Value) string {
	const most = 3
	var names []string
	for name := range v.Members() {
		if camel := canonicalName(name); camel != "" && len(names) < most {
			names = append(names, fmt.Sprintf("%q", camel))
		}
	}
	return strings.Join(names, ", ")
}

// canonicalName returns the canonical member name for a snake_case name, "" if there is none.
func canonicalName(snake string) string {
	if strings.IndexByte(snake, '_') < 0 {
		return ""
	}
	d := Named(format.EAAPL)
	for _, names := range [...][]string{d.Marks, d.Members} {
		for _, name := range names {
			if isSnakeOf(snake, name) {
				return name
			}
		}
	}
	return ""
}

// isSnakeOf reports whether snake is the camelCase name camel with an underscore and a small letter in
// place of each capital.
func isSnakeOf(snake, camel string) bool {
	at := 0
	for i := 0; i < len(camel); i, at = i+1, at+1 {
		c := camel[i]
		if c >= 'A' && c <= 'Z' && at < len(snake) && snake[at] == '_' {
			at++
			c += 'a' - 'A'
		}
		if at >= len(snake) || snake[at] != c {
			return false
		}
	}
	return at == len(snake)
}

// Outline describes the beginning of a document, as in: an object with "a", "b", …
func Outline(root jsonstream.Value) string {
	const most = 4
	if root.Kind() == jsonstream.Array {
		first := root.First()
		if !first.Exists() {
			return "an empty array"
		}
		return "an array whose first element is " + Outline(first)
	}
	if root.Kind() != jsonstream.Object {
		return finding.KindName(root.Kind())
	}
	var names []string
	for name := range root.Members() {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		names = append(names, finding.Quote(name))
	}
	return "an object with " + strings.Join(names, ", ")
}
