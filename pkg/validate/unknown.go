package validate

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/nearest"
)

// unknownFormat is the rule of a document that nothing of any format is in.
const unknownFormat = "unknown-format"

// isUnknown reports whether a document, which was to be detected among several formats, has
// nothing of any, so that no schema says what is wrong with it. An empty object is a canonical
// message that is not yet written, as is one with a member that is nearly a canonical one.
func isUnknown(root jsonstream.Value, o Options) bool {
	if len(o.Formats) < 2 || root.Kind() != jsonstream.Array && root.Kind() != jsonstream.Object {
		return false
	}
	if isState(root) {
		return true
	}
	canonical := formats.Named(format.EAAPL)
	for _, mark := range canonical.Marks {
		if root.Get(mark).Exists() {
			return false
		}
	}
	for name := range root.Members() {
		isName := func(known string) bool { return name == known || nearest.Is(name, known) }
		if slices.ContainsFunc(canonical.Members, isName) || slices.ContainsFunc(canonical.Marks, isName) {
			return false
		}
	}
	_, ok := formats.Detect(root)
	return !ok && (root.Kind() == jsonstream.Array || root.Len() > 0)
}

// unknownDocument says that a document is of no format, and what it seems to be.
func unknownDocument(root jsonstream.Value) finding.Finding {
	problem := "the document is in none of the formats that are read: found " + outlineOf(root)
	for _, known := range strangers {
		if known.is(root) {
			return schemaFinding(unknownFormat, problem+", "+known.hint).On(root)
		}
	}
	return schemaFinding(unknownFormat, problem+"; name the format if it is in one of them").On(root)
}

// outlineOf names what a document begins with.
func outlineOf(root jsonstream.Value) string {
	const most = 4
	if root.Kind() == jsonstream.Array {
		first := root.First()
		if !first.Exists() {
			return "an empty array"
		}
		return "an array of which the first element is " + outlineOf(first)
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

// strangers are documents that people have beside messages, and what to do with them.
var strangers = []struct {
	is   func(root jsonstream.Value) bool
	hint string
}{
	{isState, "as an agent state has; handoff build makes a message of it"},
	{func(v jsonstream.Value) bool { return v.Get("choices").First().Get("message").Exists() },
		"as an answer of the Chat Completions API has; take its messages with jq '[.choices[].message]'"},
	{func(v jsonstream.Value) bool { return v.Get("candidates").First().Get("content").Exists() },
		"as an answer of the Gemini API has; take its contents with jq '[.candidates[].content]'"},
	{func(v jsonstream.Value) bool { return v.Get("contents").Kind() == jsonstream.String },
		"as a request of Gemini's SDK has; the API takes contents as an array of turns"},
	{func(v jsonstream.Value) bool {
		return v.Get("skills").Kind() == jsonstream.Array && v.Get("capabilities").Exists()
	},
		"as an A2A AgentCard has; check it with handoff a2a card check"},
	{func(v jsonstream.Value) bool {
		return v.Kind() == jsonstream.Object && conversation.Role(v) != "" && !v.Get("parts").Exists()
	},
		"as a single chat message has; put messages into an array: of JSON Lines, jq -s . makes one"},
	{func(v jsonstream.Value) bool { return isPair(v.First()) || isPair(v.Get("messages").First()) },
		"and pairs of role and text; write each as {\"role\": …, \"content\": …}"},
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
