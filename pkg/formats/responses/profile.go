package responses

import (
	"cmp"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/request"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// members are the request members of the Responses API.
var members = request.Members{Instructions: "instructions", MaxTokens: []string{"max_output_tokens"}}

// Facts are the details of a request body, a response, or an array of items for
// [format.Profile].
type Facts struct {
	*request.Facts
	// Previous is the id of the response that the conversation continues, "" if there is
	// none. The earlier turns are not in the message.
	Previous string         `json:"previous_response_id"`
	Items    []format.Count `json:"items"` // by their types, in order of appearance
}

func profile(doc *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
	root := doc.Root()
	f := &Facts{Facts: request.Read(root, turns, members), Previous: root.Get("previous_response_id").Text(), Items: []format.Count{}}
	at := map[string]int{}
	for _, t := range turns {
		kind := t.Value.Get("type").Text()
		if kind == "" && (t.Role != "" || t.Value.Kind() == jsonstream.String) {
			kind = "message"
		}
		kind = cmp.Or(kind, "item_reference")
		i, known := at[kind]
		if !known {
			i = len(f.Items)
			at[kind] = i
			f.Items = append(f.Items, format.Count{Name: kind})
		}
		f.Items[i].Count++
	}
	p := f.Facts.Profile(f)
	p.Labels = append(p.Labels, format.Label{Name: "previous", Value: f.Previous, Optional: true},
		format.Label{Name: "items", Amounts: format.Amounts(f.Items), Optional: true})
	return p
}
