package langchain

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// say returns a message that contains text, in the form of like: dumped, stored, with a
// role, or flat.
func say(like jsonstream.Value, role, text string) []byte {
	kind, class := role, ""
	switch role {
	case "user":
		kind, class = "human", "HumanMessage"
	case "assistant":
		kind, class = "ai", "AIMessage"
	case "system":
		class = "SystemMessage"
	}
	switch {
	case like.Get("lc").Exists() && class != "":
		return format.Fill(`{"lc":1,"type":"constructor","id":[`+modulesOf(like)+`%],"kwargs":{"content":%,"type":%}}`, class, text, kind)
	case like.Get("data").Exists():
		return format.Fill(`{"type":%,"data":{"content":%,"type":%}}`, kind, text, kind)
	case like.Get("role").Exists() && !like.Get("type").Exists():
		return format.Fill(`{"role":%,"content":%}`, role, text)
	default:
		return format.Fill(`{"type":%,"content":%}`, kind, text)
	}
}

// modulesOf returns the modules in the id of a dumped message as the beginning of a JSON
// array. LangChain writes them in two forms.
func modulesOf(message jsonstream.Value) string {
	if message.At("/id/0").Text() == "langchain_core" {
		return `"langchain_core","messages",`
	}
	return `"langchain","schema","messages",`
}
