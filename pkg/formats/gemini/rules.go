package gemini

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/rulebook"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// InvalidArgument is the status with which the API rejects invalid contents.
const InvalidArgument finding.Reason = "INVALID_ARGUMENT"

// rules are the rules of the API's contents and of ADK's events.
var rules = rulebook.Book{Reason: InvalidArgument, Rules: []rulebook.Rule{
	{Rule: finding.Rule{
		ID:      "gemini/part-content",
		Summary: "A part has several content members, such as a text and a function call.",
		Why:     "A part must have only one, or the API rejects it. Make a separate part of each. Members that describe a content, such as thought and thoughtSignature, do not count.",
		Bad:     `[{"role": "model", "parts": [{"text": "One moment.", "functionCall": {"name": "find_order", "args": {}}}]}]`,
		Good:    `[{"role": "model", "parts": [{"text": "One moment."}, {"functionCall": {"name": "find_order", "args": {}}}]}]`,
	}, Check: checkParts},
	{Rule: finding.Rule{
		ID:      "gemini/repeated-id",
		Summary: "Two events or two function calls have the same id.",
		Why:     "ADK finds the event of a call by the call's id, and uses the last one. Partial events are ignored, because a later event with the same call completes them.",
		Bad:     `{"events": [{"id": "e1", "author": "user", "content": {"role": "user", "parts": [{"text": "Refund my order."}]}}, {"id": "e1", "author": "refunds", "content": {"role": "model", "parts": [{"text": "One moment."}]}}]}`,
		Good:    `{"events": [{"id": "e1", "author": "user", "content": {"role": "user", "parts": [{"text": "Refund my order."}]}}, {"id": "e2", "author": "refunds", "content": {"role": "model", "parts": [{"text": "One moment."}]}}]}`,
	}, Check: checkIDs},
}}

// contents are the content members of a part, in camelCase.
var contents = map[string]bool{
	"text": true, "functionCall": true, "functionResponse": true, "inlineData": true, "fileData": true, "executableCode": true, "codeExecutionResult": true,
	"toolCall": true, "toolResponse": true,
}

func checkParts(root jsonstream.Value, report rulebook.Report) {
	for _, turn := range turnsIn(root).Elements() {
		for _, part := range conversation.Item(turn).Get("parts").Elements() {
			var found []string
			for name, v := range part.Members() {
				if v.Kind() != jsonstream.Null && contents[camel(name)] {
					found = append(found, name)
				}
			}
			if len(found) > 1 {
				report(part, "the part has several content members: found %s; make a separate part of each", strings.Join(found, ", "))
			}
		}
	}
}

// camel converts a snake_case name to camelCase.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

func checkIDs(root jsonstream.Value, report rulebook.Report) {
	events, calls := rulebook.IDs{}, rulebook.IDs{}
	for _, turn := range turnsIn(root).Elements() {
		if turn.Get("partial").Kind() == jsonstream.True {
			continue
		}
		if turn.Get("author").Exists() {
			events.Add(turn.Get("id"), "events", report)
		}
		for part := range conversation.Parts(turn) {
			if part.Kind == conversation.Call {
				calls.Add(part.ID, "function calls", report)
			}
		}
	}
}
