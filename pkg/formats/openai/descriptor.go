package openai

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes the format of a HandoffInputData.
var Format = format.Descriptor{
	Name:   format.OpenAI,
	System: "openai",
	Title:  "OpenAI",
	Kind:   "OpenAI handoff input",

	Marks:   []string{inputHistory, newItems},
	Members: []string{preHandoffItems, inputItems},
	Needs:   listNames,

	Schema:  schemas.OpenAIInputData,
	Rules:   Rules,
	Reasons: []finding.Reason{InvalidRequest},
	Check: func(doc *jsonstream.Document, _ jsonstream.Limits) []finding.Finding {
		return Check(doc, CheckOptions{})
	},

	Notes:    "extensions",
	Provider: "openai-responses",
	Divided:  true,
	Turns:    listNames,
	Sections: true,
	Exchange: &codec,
	Profile:  profile,
}
