package chat

import (
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// PartOf reads a part of canonical content: one of OpenAI's Chat or Responses API. What is none
// is Other.
func PartOf(n tree.Node) Part { return partOf(n) }

// JSONType is the member content_type of a canonical turn of a tool whose content is the text of a
// JSON value, in formats that tell it from other text.
const JSONType = "application/json"

// IsJSON reports whether the content of a turn of a tool is the text of a JSON value, as the format
// that it was read from tells.
func (t Turn) IsJSON() bool {
	for _, m := range t.Further {
		if m.Name == "content_type" {
			return m.Value.Text() == JSONType
		}
	}
	return false
}

// Value returns the JSON value that a text has, as [TextOf] writes it: the string itself if it is
// no JSON, or nests deeper than what can be read in the place of the text.
func Value(text tree.Node) tree.Node {
	if v, ok := tree.Parse([]byte(text.Text())); ok && !v.DeeperThan(exchange.MaxDepth-maxAbove) {
		return v
	}
	return text
}

// maxAbove is more than the objects and arrays that any format has around a value of a part.
const maxAbove = 16

// TextOf is the inverse of [Value]: it returns a JSON value as compact text, with numbers as they are,
// and a string that is no JSON as it is. Values that are equal have the same text, whatever the
// order of their members: a turn that has it is found again by what it says.
func TextOf(value tree.Node) tree.Node {
	if value.Is(jsonstream.String) {
		if _, ok := tree.Parse([]byte(value.Text())); !ok {
			return value
		}
	}
	return tree.String(string(value.AppendPlain(nil)))
}
