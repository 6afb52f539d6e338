package formats

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Stranger is a document of no format that people take for a message.
type Stranger struct {
	// Is says what it is, as the end of a sentence that begins with [Outline], and what to do.
	Is string
	// Message reports that it is a message, or several, in another guise: its members are not to be
	// judged one by one.
	Message bool
}

// A StrangerError reports a document that is a [Stranger].
type StrangerError struct {
	Found string // what it is
	Err   error  // that of a document of no format
}

func (e *StrangerError) Error() string { return "in none of the known formats: found " + e.Found }

func (e *StrangerError) Unwrap() error { return e.Err }

// NoFormat returns err, which reports a document of no format, as a [*StrangerError] where root is
// a [Stranger].
func NoFormat(root jsonstream.Value, err error) error {
	if s, ok := StrangerOf(root); ok {
		return &StrangerError{Outline(root) + ", " + s.Is, err}
	}
	return err
}

// StrangerOf returns what a document is that [Detect] knows no format of, false if it is none of the
// strangers.
func StrangerOf(root jsonstream.Value) (Stranger, bool) {
	if inSnakeCase(root, 0) {
		return Stranger{"as a canonical message has in camelCase: write all its names so, such as " + camelCased(root), true}, true
	}
	for _, s := range strangers {
		if s.is(root) {
			return s.Stranger, true
		}
	}
	return Stranger{}, false
}

// OneALine is the advice for an array of messages.
const OneALine = "give them one a line, as jq -c '.[]' writes them"

var strangers = []struct {
	is func(root jsonstream.Value) bool
	Stranger
}{
	{isEncodedTwice, Stranger{"which is a JSON document itself, encoded twice: decode it once, as jq -r . does", true}},
	{isSeveral, Stranger{"so that it is an array of messages: " + OneALine, true}},
	{isState, Stranger{"as an agent state has; handoff build makes a message of it", true}},
	{func(v jsonstream.Value) bool { return v.Get("choices").First().Get("message").Exists() },
		Stranger{Is: "as an answer of the Chat Completions API has; take its messages with jq '[.choices[].message]'"}},
	{func(v jsonstream.Value) bool { return v.Get("candidates").First().Get("content").Exists() },
		Stranger{Is: "as an answer of the Gemini API has; take its contents with jq '[.candidates[].content]'"}},
	{func(v jsonstream.Value) bool { return v.Get("contents").Kind() == jsonstream.String },
		Stranger{Is: "as a request of Gemini's SDK has; the API takes contents as an array of turns"}},
	{func(v jsonstream.Value) bool {
		return v.Get("skills").Kind() == jsonstream.Array && v.Get("capabilities").Exists()
	},
		Stranger{Is: "as an A2A AgentCard has; check it with handoff a2a card check"}},
	{func(v jsonstream.Value) bool {
		return v.Kind() == jsonstream.Object && conversation.Role(v) != "" && !v.Get("parts").Exists()
	},
		Stranger{Is: "as a single chat message has; put messages into an array: of JSON Lines, jq -s . makes one"}},
	{func(v jsonstream.Value) bool { return isPair(v.First()) || isPair(v.Get("messages").First()) },
		Stranger{Is: "and pairs of role and text; write each as {\"role\": …, \"content\": …}"}},
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

// isState reports whether a document is an agent state, of which a message is still to be made:
// it shares members with that.
func isState(v jsonstream.Value) bool {
	return v.Get("cost").Kind() == jsonstream.Object && v.Get("cost").Get("tokens").Exists() && !v.Get("schemaVersion").Exists() && !v.Get("costTracking").Exists()
}

// isPair reports whether a value is a message as LangChain takes it in code, and no format writes
// it: an array of role and text.
func isPair(v jsonstream.Value) bool {
	return v.Kind() == jsonstream.Array && v.Len() == 2 && v.First().Kind() == jsonstream.String && v.First().Next().Kind() == jsonstream.String
}

// inSnakeCase reports whether an object has more than a number of members of a canonical message, and
// at least three, in snake_case.
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

// camelCased says how the first of those members are written.
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

// canonicalName returns the name of a canonical message's member that a name is in snake_case, "" if
// it is none.
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

// isSnakeOf reports whether a name is one of camelCase, with an underscore and a small letter in place
// of each capital.
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

// Outline names what a document begins with, as in: an object with "a", "b", …
func Outline(root jsonstream.Value) string {
	const most = 4
	if root.Kind() == jsonstream.Array {
		first := root.First()
		if !first.Exists() {
			return "an empty array"
		}
		return "an array of which the first element is " + Outline(first)
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
