package openai

import (
	"github.com/eaapl/handoff/pkg/format"
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

	Turns:   listNames,
	Profile: profile,
}
