// Package request reads the bodies of requests to model APIs, except the turns.
package request

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are a summary of a request body.
type Facts struct {
	Model string `json:"model"` // "" for none
	// Instructions is the length of the model's instructions in characters, both outside the turns
	// and in system or developer turns.
	Instructions int             `json:"instructions_characters"`
	Tools        []string        `json:"tools"`      // available tools, by name or type
	MaxTokens    json.RawMessage `json:"max_tokens"` // as in the body, nil for none
}

// Members are the places in the bodies of an API that [Read] reads.
type Members struct {
	Instructions string   // outside the turns; "" if the API has no such member
	MaxTokens    []string // the first one present counts
}

// Read returns the facts of a body, or of an array of turns.
func Read(root jsonstream.Value, turns []conversation.Turn, m Members) *Facts {
	f := &Facts{Model: root.Get("model").Text(), Tools: []string{}}
	if m.Instructions != "" {
		f.Instructions = characters(root.Get(m.Instructions))
	}
	for _, t := range turns {
		if t.IsInstruction() {
			f.Instructions += characters(t.Item().Get("content"))
		}
	}
	for _, list := range []string{"tools", "functions"} {
		for _, tool := range root.Get(list).Elements() {
			f.Tools = append(f.Tools, toolName(tool))
		}
	}
	for _, name := range m.MaxTokens {
		if v := root.Get(name); v.Kind() == jsonstream.Number {
			f.MaxTokens = slices.Clone(json.RawMessage(v.Raw()))
			break
		}
	}
	return f
}

// characters returns the number of characters of a text, or of the texts in an array of parts or
// turns.
func characters(v jsonstream.Value) int {
	n := utf8.RuneCountInString(v.Text())
	if v.Kind() == jsonstream.Array {
		for _, part := range v.Elements() {
			n += characters(part.Get("text")) + characters(part.Get("content"))
		}
	}
	return n
}

// toolName returns the name of an available tool, or its type if it has no name.
func toolName(tool jsonstream.Value) string {
	for _, v := range []jsonstream.Value{tool.Get("name"), tool.Get("function").Get("name"), tool.Get("custom").Get("name")} {
		if name := v.Text(); name != "" {
			return name
		}
	}
	return tool.Get("type").Text()
}

// Profile returns the facts for display. details are for JSON: the facts, or a struct that extends
// them.
func (f *Facts) Profile(details any) format.Profile {
	p := format.Profile{Details: details}
	p.Labels = append(p.Labels, format.Label{Name: "model", Value: f.Model, Optional: true})
	if f.Instructions > 0 {
		p.Labels = append(p.Labels, format.Label{Name: "system", Amounts: []format.Amount{{Count: f.Instructions, Noun: "character"}}})
	}
	for _, name := range f.Tools {
		p.Labels = append(p.Labels, format.Label{Name: "offers", Value: name})
	}
	p.Labels = append(p.Labels, format.Label{Name: "max tokens", Value: string(f.MaxTokens), Optional: true})
	return p
}
