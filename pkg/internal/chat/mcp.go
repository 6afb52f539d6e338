package chat

import (
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// readMCPResult returns the parts of a CallToolResult of the Model Context Protocol, and whether the tool failed; ok
// is false for any other value. Some SDKs store the result of a tool as it came from the server. Resources are their
// JSON text, as @ai-sdk/mcp sends them.
func readMCPResult(result tree.Node) (output []Part, failed, ok bool) {
	contents := result.Get("content")
	if !contents.Is(jsonstream.Array) || contents.Empty() {
		return nil, false, false
	}
	for c := result.Children(); c.Next(); {
		switch c.Name {
		case "content", "structuredContent", "isError", "_meta", "meta": // the last of Python
		default:
			return nil, false, false
		}
	}
	for c := contents.Children(); c.Next(); {
		p, ok := mcpPart(c.Value)
		if !ok {
			return nil, false, false
		}
		output = append(output, p)
	}
	return output, result.Get("isError").Is(jsonstream.True), true
}

func mcpPart(content tree.Node) (p Part, ok bool) {
	switch kind := content.Get("type").Text(); kind {
	case "text":
		return Part{Kind: Text, Text: content.Get("text")}, tree.IsString(content.Get("text"))
	case "image", "audio":
		m := Media{Type: kind, Data: content.Get("data"), MediaType: content.Get("mimeType")}
		return Part{Kind: File, Media: m}, tree.IsString(m.Data) && tree.IsString(m.MediaType)
	case "resource":
		ok = content.Get("resource").Is(jsonstream.Object)
	case "resource_link":
		ok = tree.IsString(content.Get("uri"))
	}
	if !ok {
		return Part{}, false
	}
	return Part{Kind: Text, Text: tree.String(string(content.AppendPlain(nil)))}, true
}

// TakeMCPResult sets the output of a result from a CallToolResult, and reports whether it is one.
func (p *Part) TakeMCPResult(result tree.Node) bool {
	output, failed, ok := readMCPResult(result)
	if ok {
		p.Output, p.Failed = output, failed
		p.Plain = len(output) == 1 && output[0].Kind == Text
	}
	return ok
}
