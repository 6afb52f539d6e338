package gemini

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// say returns a content that contains text, or an event if like is one.
func say(like jsonstream.Value, role, text string) []byte {
	if role == "assistant" {
		role = "model"
	}
	author := like.Get("author").Text()
	switch {
	case author == "":
		return format.Fill(`{"role":%,"parts":[{"text":%}]}`, role, text)
	case role == "user":
		author = "user"
	case author == "user": // no agent can have that name
		author = "model"
	}
	return format.Fill(`{"author":%,"content":{"role":%,"parts":[{"text":%}]}}`, author, role, text)
}
