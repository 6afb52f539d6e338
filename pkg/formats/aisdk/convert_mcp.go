package aisdk

import (
	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// isMCPResult reports whether the output of a tool is a CallToolResult of the Model Context Protocol, which
// @ai-sdk/mcp stores as it came, and sends as the contents in it.
func isMCPResult(output tree.Node) bool {
	for c := output.Children(); c.Next(); {
		switch c.Name {
		case "content", "structuredContent", "isError", "_meta":
		default:
			return false
		}
	}
	contents := output.Get("content")
	return contents.Is(jsonstream.Array) && !contents.Empty() && tree.All(contents, isMCPContent)
}

func isMCPContent(content tree.Node) bool {
	switch content.Get("type").Text() {
	case "text":
		return tree.IsString(content.Get("text"))
	case "image", "audio":
		return tree.IsString(content.Get("data")) && tree.IsString(content.Get("mimeType"))
	case "resource":
		return content.Get("resource").Is(jsonstream.Object)
	case "resource_link":
		return tree.IsString(content.Get("uri"))
	default:
		return false
	}
}

// mcpResult returns the turn of a result of an MCP tool. Resources are their JSON text, as the SDK sends them.
func mcpResult(p chat.Part, result tree.Node) chat.Turn {
	p.Failed = result.Get("isError").Is(jsonstream.True)
	for c := result.Get("content").Children(); c.Next(); {
		content := c.Value
		switch kind := content.Get("type").Text(); kind {
		case "text":
			p.Output = append(p.Output, chat.Part{Kind: chat.Text, Text: content.Get("text")})
		case "image", "audio":
			p.Output = append(p.Output, chat.Part{Kind: chat.File, Media: chat.Media{Type: kind, Data: content.Get("data"), MediaType: content.Get("mimeType")}})
		default:
			p.Output = append(p.Output, chat.Part{Kind: chat.Text, Text: tree.String(string(content.AppendPlain(nil)))})
		}
	}
	p.Plain = len(p.Output) == 1 && p.Output[0].Kind == chat.Text
	return chat.Turn{Parts: []chat.Part{p}}
}
