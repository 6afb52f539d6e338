package anthropic

import (
	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/request"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// members are the request members of the Messages API.
var members = request.Members{Instructions: "system", MaxTokens: []string{"max_tokens"}}

func profile(doc *jsonstream.Document, _ jsonstream.Value, turns []conversation.Turn) format.Profile {
	f := request.Read(doc.Root(), turns, members)
	return f.Profile(f)
}
