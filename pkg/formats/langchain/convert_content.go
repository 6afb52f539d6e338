package langchain

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// readContent reads content: a text, or blocks, except calls that are listed outside the content, by id.
// These get the caller that only the block has. plain is true for a text.
func readContent(content tree.Node, listed map[string]*chat.Part) (parts []chat.Part, plain bool) {
	if !content.Is(jsonstream.Array) {
		if !tree.IsString(content) {
			content = tree.String(content.Flat())
		}
		return []chat.Part{{Kind: chat.Text, Text: content}}, true
	}
	for c := content.Children(); c.Next(); {
		if c.Value.Get("type").Text() == "input_json_delta" { // of a streamed call, whose arguments are in its chunk
			continue
		}
		p := readBlock(c.Value)
		if call := listed[p.ID.Text()]; p.Kind == chat.Call && call != nil {
			call.Caller = p.Caller
		} else {
			parts = append(parts, p)
		}
	}
	return parts, false
}

// readBlock reads a content block: of LangChain, version 0 or 1, or of a provider.
func readBlock(block tree.Node) chat.Part {
	if tree.IsString(block) {
		return chat.Part{Kind: chat.Text, Text: block}
	}
	if !block.Is(jsonstream.Object) {
		return chat.Part{Kind: chat.Text, Text: tree.String(block.Flat())}
	}
	kind := block.Get("type").Text()
	switch kind {
	case "non_standard": // a block of a provider
		if value := block.Get("value"); tree.IsString(value.Get("type")) && value.Get("type").Text() != kind {
			return readBlock(value)
		}
	case "text", "image_url", "input_audio":
		p := chat.PartOf(block)
		if p.Kind == chat.Text && block.Length() != 2 {
			p.Value = tree.None
		}
		return p
	case "text-plain":
		if text := block.Get("text"); tree.IsString(text) {
			return chat.Part{Kind: chat.Text, Text: text}
		}
	case "thinking", "redacted_thinking", "reasoning", "reasoning_content":
		return readReasoning(block)
	case "tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call":
		return readCall(block)
	case "image", "audio", "video", "file", "document", "media":
		if p := chat.PartOf(block); p.Kind == chat.File { // a file in the form of OpenAI's Chat API
			return p
		}
		if m, ok := readMedia(block); ok {
			return chat.Part{Kind: chat.File, Media: m}
		}
	}
	if !tree.IsString(block.Get("type")) {
		return chat.Part{Kind: chat.Text, Text: tree.String(block.Flat())}
	}
	return chat.Part{Kind: chat.Other, Value: block}
}

// readCall reads a call in a content block of a provider.
func readCall(block tree.Node) chat.Part {
	id, input := block.Get("id"), block.Get("input")
	if call := block.Get("call_id"); tree.IsString(call) { // OpenAI Responses
		id = call
	}
	for _, name := range []string{"args", "arguments"} {
		if v := block.Get(name); input == tree.None {
			input = v
		}
	}
	if !tree.IsString(id) || !tree.IsString(block.Get("name")) {
		return chat.Part{Kind: chat.Other, Value: block}
	}
	switch {
	case input == tree.None:
		input = tree.String("{}")
	case !tree.IsString(input):
		input = chat.TextOf(input)
	}
	p := chat.Part{Kind: chat.Call, ID: id, Name: block.Get("name"), Arguments: input}
	if caller := block.Get("caller"); caller.Is(jsonstream.Object) {
		p.Caller = caller
	}
	return p
}

// first returns the first of the named members that is a string, or nothing.
func first(object tree.Node, names ...string) tree.Node {
	for _, name := range names {
		if v := object.Get(name); tree.IsString(v) {
			return v
		}
	}
	return tree.None
}

// readMedia reads a file in a block of LangChain, version 0 or 1, of Anthropic or of Google.
func readMedia(block tree.Node) (chat.Media, bool) {
	m := chat.Media{Type: block.Get("type").Text(), Name: first(block.Get("metadata"), "filename", "name", "title")}
	if m.Name == tree.None {
		m.Name = first(block, "filename", "title")
	}
	if source := block.Get("source"); source.Is(jsonstream.Object) { // Anthropic
		block = source
	}
	m.MediaType = first(block, "mime_type", "mimeType", "media_type")
	if url := first(block, "url", "file_uri"); url != tree.None {
		m.Address(url)
	} else if data := first(block, "data", "base64"); data != tree.None && block.Get("source_type").Text() != "text" && block.Get("type").Text() != "text" {
		m.Data = data
	} else {
		m.FileID = first(block, "file_id", "fileId")
		if block.Get("source_type").Text() == "id" {
			m.FileID = first(block, "id")
		}
	}
	switch kind, _, _ := strings.Cut(m.MediaType.Text(), "/"); m.Type {
	case "document", "media":
		m.Type = "file"
		if kind == "image" || kind == "audio" || kind == "video" {
			m.Type = kind
		}
	}
	return m, m.Data != tree.None || m.URL != tree.None || m.FileID != tree.None
}

// writeContent writes content as a text or as blocks.
func writeContent(parts []chat.Part, plain bool) tree.Node {
	switch {
	case plain && len(parts) == 1 && parts[0].Kind == chat.Text:
		return parts[0].Text
	case len(parts) == 0:
		return tree.String("")
	}
	blocks := make([]tree.Node, len(parts))
	for i, p := range parts {
		blocks[i] = writeBlock(p)
	}
	return tree.Array(blocks...)
}

func writeBlock(p chat.Part) tree.Node {
	text := p.Text
	switch p.Kind {
	case chat.Text:
		if p.Value.Get("type").Text() == "text" && p.Value.Length() == 2 {
			return p.Value
		}
	case chat.File:
		return writeMedia(p)
	case chat.Reasoning:
		if isSigned(p) {
			return writeThinking(p)
		}
		text = tree.String(chat.Say([]chat.Part{p}))
	case chat.Call:
		return chat.Object("type", tree.String("tool_use"), "id", p.ID, "name", p.Name, "input", p.Value, "caller", p.Caller)
	default:
		// ChatAnthropic returns and sends the blocks of its API; it drops LangChain's own blocks of server tools.
		if block := chat.ServerBlock(p.Value); block != tree.None {
			return block
		}
		text = tree.String(chat.Say([]chat.Part{p}))
	}
	return chat.Object("type", tree.String("text"), "text", text)
}

// writeMedia writes an image in the form that all integrations accept, and other files as LangChain blocks
// of version 1: ChatAnthropic for JavaScript sends blocks of version 0 twice. Python and JavaScript name the
// members of these blocks differently and ignore other names, so that a block has both.
func writeMedia(p chat.Part) tree.Node {
	m := p.Media
	if m.Type == "image" && m.FileID == tree.None {
		if p.Value.Get("type").Text() == "image_url" && p.Value.Length() == 2 && p.Value.At("/image_url/media_type") == tree.None {
			return p.Value
		}
		return chat.Object("type", tree.String("image_url"), "image_url", chat.Media{Type: "image", Data: m.Data, URL: m.URL, MediaType: m.MediaType}.Part().Get("image_url"))
	}
	kind := m.MediaType
	if m.Data != tree.None && kind == tree.None { // required in Python
		if kind = tree.String(m.KnownType()); kind.Empty() {
			kind = tree.String("application/octet-stream")
		}
	}
	block := chat.Object("type", tree.String(m.Type), "mimeType", kind, "mime_type", kind,
		"data", m.Data, "base64", m.Data, "url", m.URL, "fileId", m.FileID, "file_id", m.FileID)
	if m.Name != tree.None {
		block = block.With("metadata", chat.Object("filename", m.Name))
	}
	return block
}

// isStandard reports whether a block is a file of version 1.
func isStandard(block tree.Node) bool { return block.HasAny("data", "url", "fileId") }
