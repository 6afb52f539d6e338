package openai

import (
	"slices"

	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A spelling describes how one of the SDKs writes a HandoffInputData.
type spelling struct {
	sdk tool.SDK
	// lists are the members that hold items, in conversation order, by place. The SDK for
	// JavaScript has no list that replaces the new items.
	lists []string

	rawItem string   // the member of a run item with the model's item
	callID  string   // the member with the id that a call shares with its result
	result  string   // the type of the result of a function
	roles   []string // of messages
	noted   []string // members that the SDK adds for its sessions and does not send to models
	apart   []string // members omitted from summaries
}

// Places of the lists.
const (
	inHistory = iota
	beforeTurn
	inTurn
	insteadOfTurn
)

var pythonSpelling = spelling{
	sdk:     tool.Python,
	lists:   []string{"input_history", "pre_handoff_items", "new_items", "input_items"},
	rawItem: "raw_item",
	callID:  "call_id",
	result:  "function_call_output",
	roles:   []string{"assistant", "user", "system", "developer"},
	noted:   []string{"_agents_tool_title", "_agents_tool_description"},
	apart:   []string{"provider_data", "_agents_tool_title", "_agents_tool_description"},
}

var javaScriptSpelling = spelling{
	sdk:     tool.JavaScript,
	lists:   []string{"inputHistory", "preHandoffItems", "newItems"},
	rawItem: "rawItem",
	callID:  "callId",
	result:  "function_call_result",
	roles:   []string{"assistant", "user", "system"},
	apart:   []string{"providerData"},
}

// spellingOf returns the spelling with more lists in data, or Python's if there are equally
// many.
func spellingOf(data jsonstream.Value) *spelling {
	python, javaScript := 0, 0
	for name := range data.Members() {
		switch {
		case slices.Contains(pythonSpelling.lists, name):
			python++
		case slices.Contains(javaScriptSpelling.lists, name):
			javaScript++
		}
	}
	if javaScript > python {
		return &javaScriptSpelling
	}
	return &pythonSpelling
}

// list returns the list of data with a place, absent if the SDK has none.
func (s *spelling) list(data jsonstream.Value, place int) jsonstream.Value {
	if place >= len(s.lists) {
		return jsonstream.Value{}
	}
	return data.Get(s.lists[place])
}

// placeOf returns the place of a list by its name in any SDK, or -1.
func placeOf(name string) int {
	if place := slices.Index(pythonSpelling.lists, name); place >= 0 {
		return place
	}
	return slices.Index(javaScriptSpelling.lists, name)
}

// appendMessage appends a message as JSON, with a name unless it is "". In JavaScript, messages of
// the assistant have parts and a status.
func (s *spelling) appendMessage(dst []byte, role, name, content string) []byte {
	isJavaScript := s.sdk == tool.JavaScript
	dst = append(dst, '{')
	if isJavaScript {
		dst = append(dst, `"type":"message",`...)
	}
	dst = appendQuoted(append(dst, `"role":`...), role)
	if name != "" {
		dst = appendQuoted(append(dst, `,"name":`...), name)
	}
	if isJavaScript && role == "assistant" {
		dst = append(dst, `,"status":"completed","content":[{"type":"output_text","text":`...)
		return append(appendQuoted(dst, content), `}]}`...)
	}
	return append(appendQuoted(append(dst, `,"content":`...), content), '}')
}

// textOf returns the content of a message, or the text of its only part, which the SDK for JavaScript
// uses for messages of the assistant.
func (s *spelling) textOf(item jsonstream.Value) jsonstream.Value {
	content := item.Get("content")
	if s.sdk != tool.JavaScript || item.Get("role").Text() != "assistant" || content.Kind() != jsonstream.Array || content.Len() != 1 {
		return content
	}
	for _, part := range content.Elements() {
		if text := part.Get("text"); part.Get("type").Text() == "output_text" && text.Kind() == jsonstream.String {
			return text
		}
	}
	return content
}

// callID returns the id that a call shares with its result, in either spelling.
func callID(item jsonstream.Value) jsonstream.Value {
	if id := item.Get(pythonSpelling.callID); id.Exists() {
		return id
	}
	return item.Get(javaScriptSpelling.callID)
}

// isResult reports whether an item is a function's output.
func isResult(item jsonstream.Value) bool {
	kind := item.Get("type").Text()
	return kind == pythonSpelling.result || kind == javaScriptSpelling.result
}

// outputText returns a function's text output, also in the form of the SDK for JavaScript: {"type":
// "text", "text": "…"}.
func outputText(item jsonstream.Value) string {
	output := item.Get("output")
	if output.Get("type").Text() == "text" {
		output = output.Get("text")
	}
	return output.Text()
}
