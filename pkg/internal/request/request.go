// Package request reads what the bodies of requests to the APIs of models have beside the turns.
package request

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are what a person wants to know of a body.
type Facts struct {
	Model string `json:"model"` // "" for none
	// Instructions is the length of the instructions to the model, beside the turns and in
	// those of the system or the developer, in characters.
	Instructions int             `json:"instructions_characters"`
	Tools        []string        `json:"tools"`      // those that the model may call, by their names or types
	MaxTokens    json.RawMessage `json:"max_tokens"` // as the body has it, nil for none
}

// Members are where the bodies of an API have what [Read] reads.
type Members struct {
	Instructions string   // beside the turns; "" if the API has no such member
	MaxTokens    []string // the first that is there counts
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

// characters counts those of a text, or of the texts in an array of parts or of turns.
func characters(v jsonstream.Value) int {
	n := utf8.RuneCountInString(v.Text())
	if v.Kind() == jsonstream.Array {
		for _, part := range v.Elements() {
			n += characters(part.Get("text")) + characters(part.Get("content"))
		}
	}
	return n
}

// toolName returns the name of a tool that is offered, or the type of one that has no name.
func toolName(tool jsonstream.Value) string {
	for _, v := range []jsonstream.Value{tool.Get("name"), tool.Get("function").Get("name"), tool.Get("custom").Get("name")} {
		if name := v.Text(); name != "" {
			return name
		}
	}
	return tool.Get("type").Text()
}

// Profile returns the facts as a person reads them. The details are for JSON: the facts, or a
// struct that has more.
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
