package openai

import "github.com/eaapl/handoff/pkg/format"

// Format describes the format of a HandoffInputData.
var Format = format.Descriptor{
	Name:   format.OpenAI,
	System: "openai",
	Title:  "OpenAI",

	Marks:   []string{inputHistory, newItems},
	Members: []string{preHandoffItems, inputItems},
	Needs:   listNames,

	Turns: listNames,
}
