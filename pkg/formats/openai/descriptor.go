package openai

import (
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the HandoffInputData of the SDK for Python.
var Format = format.Descriptor{
	Name:   format.OpenAI,
	System: "openai",
	Title:  "OpenAI",
	Kind:   "OpenAI handoff input",

	Marks:   []string{"input_history", "new_items"},
	Members: []string{"pre_handoff_items", "input_items"},
	Needs:   pythonSpelling.lists,

	Schema:  schemas.OpenAIInputData,
	Rules:   Rules,
	Reasons: []finding.Reason{InvalidRequest},
	Check: func(doc *jsonstream.Document, _ jsonstream.Limits) []finding.Finding {
		return Check(doc, CheckOptions{})
	},

	Notes:    "extensions",
	Provider: "openai-responses",
	Divided:  true,
	Turns:    pythonSpelling.lists,
	Sections: true,
	Exchange: &codec,
	Profile:  profile,
}

// JavaScriptFormat describes the HandoffInputData of the SDK for JavaScript, with the rules of [Format],
// and the lists of its items.
var JavaScriptFormat = format.Descriptor{
	Name:   format.OpenAIJS,
	System: "openai",
	Title:  "OpenAI, JavaScript",
	Kind:   "OpenAI handoff input of JavaScript",

	Marks:   []string{"inputHistory", "newItems"},
	Members: []string{"preHandoffItems"},
	Known:   &format.Elements{List: itemsIn, Fit: fitItem},
	Needs:   javaScriptSpelling.lists,

	Schema: schemas.OpenAIJSInputData,
	Check: func(doc *jsonstream.Document, limits jsonstream.Limits) []finding.Finding {
		if itemsIn(doc.Root()).Exists() { // which a handoff has not nested
			return nil
		}
		return Format.Check(doc, limits)
	},

	Notes:    "extensions",
	Divided:  true,
	Turns:    javaScriptLists,
	Sections: true,
	Exchange: javaScriptCodec,
	Say:      say,
	Profile:  profile,
}

// say returns a message that contains text, as JavaScript writes it, or a run item if like
// is one.
func say(like jsonstream.Value, role, text string) []byte {
	message := javaScriptSpelling.appendMessage(nil, role, "", strings.ToValidUTF8(text, "\ufffd"))
	if !like.Get(javaScriptSpelling.rawItem).Exists() {
		return message
	}
	return append(append([]byte(`{"type":"message_output_item","rawItem":`), message...), '}')
}
