package aisdk

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Facts are the details of AI SDK messages for [format.Profile].
type Facts struct {
	Kind  string         `json:"kind"`  // UIMessage or ModelMessage, of the first message
	Parts []format.Count `json:"parts"` // by their types, in order of appearance
	Tools []format.Count `json:"tools"` // tool parts of UIMessages, by their states
}

func profile(_ *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
	f := &Facts{Kind: "ModelMessage", Parts: []format.Count{}, Tools: []format.Count{}}
	if len(turns) > 0 && isUI(turns[0].Value) {
		f.Kind = "UIMessage"
	}
	for _, t := range turns {
		for _, list := range []jsonstream.Value{t.Value.Get("content"), t.Value.Get("parts")} {
			for _, part := range list.Elements() {
				f.Parts = format.Counted(f.Parts, part.Get("type").Text())
				if state := part.Get("state").Text(); part.Get("toolCallId").Exists() && state != "" {
					f.Tools = format.Counted(f.Tools, state)
				}
			}
		}
	}
	return format.Profile{Details: f, Labels: []format.Label{
		{Name: "messages", Value: f.Kind},
		{Name: "parts", Amounts: format.Amounts(f.Parts), Optional: true},
		{Name: "tools", Amounts: format.Amounts(f.Tools), Optional: true},
	}}
}
