package chat

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ReadResponse returns the text of a function response in Gemini and ADK, and whether it is an
// error: its only member, or else the JSON text of the object.
func ReadResponse(response tree.Node) (text tree.Node, failed bool) {
	failure := response.Get("error")
	failed = failure != tree.None && !failure.Is(jsonstream.Null)
	if response.Length() == 1 {
		if failed && tree.IsString(failure) {
			return failure, true
		}
		if output := response.Get("output"); tree.IsString(output) {
			return output, false
		}
	}
	if response == tree.None || response.Is(jsonstream.Null) {
		return tree.String(""), false
	}
	return tree.String(string(response.AppendPlain(nil))), failed
}

// TakeResponse sets the output of a result from a function response. The result of an MCP tool, which ADK and the SDK
// store as it came, is its contents; the SDK stores one that failed as the error.
func (p *Part) TakeResponse(response tree.Node) {
	if p.TakeMCPResult(response) {
		return
	}
	if failure := response.Get("error"); response.Length() == 1 && p.TakeMCPResult(failure) {
		p.Failed = true
		return
	}
	text, failed := ReadResponse(response)
	p.Output, p.Plain, p.Failed = []Part{{Kind: Text, Text: text}}, true, failed
}

// WriteResponse is the inverse of [ReadResponse]: the JSON text of an object becomes the object.
func WriteResponse(text string, failed bool) tree.Node {
	if strings.HasPrefix(text, "{") {
		if n, ok := tree.Parse([]byte(text)); ok && n.Is(jsonstream.Object) {
			if again, same := ReadResponse(n); same == failed && again.Text() == text {
				return n
			}
		}
	}
	name := "output"
	if failed {
		name = "error"
	}
	return Object(name, tree.String(text))
}
