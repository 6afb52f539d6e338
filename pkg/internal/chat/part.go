package chat

import (
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// PartOf reads a part of canonical content: a part of OpenAI's Chat or Responses API. Any other
// value is Other.
func PartOf(n tree.Node) Part { return partOf(n) }

// JSONType is the content_type of a canonical tool turn whose content is JSON text, in formats that
// distinguish it from other text.
const JSONType = "application/json"

// IsJSON reports whether the content of a tool turn is JSON text according to its source format.
func (t Turn) IsJSON() bool {
	for _, m := range t.Further {
		if m.Name == "content_type" {
			return m.Value.Text() == JSONType
		}
	}
	return false
}

// Value returns the JSON value of a text written by [TextOf]. It returns the string itself if that
// is not JSON or nests too deep to be read in place of the text.
func Value(text tree.Node) tree.Node {
	if v, ok := tree.Parse([]byte(text.Text())); ok && !v.DeeperThan(exchange.MaxDepth-maxAbove) {
		return v
	}
	return text
}

// maxAbove is greater than the number of objects and arrays around a part's value in any format.
const maxAbove = 16

// TextOf is the inverse of [Value]: it returns a JSON value as compact text, with unchanged
// numbers, and a string that is not JSON unchanged. Equal values have the same text, whatever the
// order of their members, since turns are compared by their content.
func TextOf(value tree.Node) tree.Node {
	if value.Is(jsonstream.String) {
		if _, ok := tree.Parse([]byte(value.Text())); !ok {
			return value
		}
	}
	return tree.String(string(value.AppendPlain(nil)))
}
