package chat

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Blocks describes the messages of Anthropic's Messages API.
var Blocks = Alternation{Block: blockOf, Pair: pairServerTools, Blank: true, IDs: 128, Names: 128}

// AppendMessage appends the canonical turns of a Messages API message.
func AppendMessage(dst []tree.Node, message tree.Node) []tree.Node {
	content := message.Get("content")
	t := Turn{Role: message.Get("role").Text()}
	switch {
	case !content.Is(jsonstream.Array) || !tree.All(content, isObject) || t.Role == "":
		if message.Length() > 2 && tree.IsString(content) && t.Role != "" {
			return append(dst, Object("role", message.Get("role"), "content", content))
		}
		return append(dst, message)
	case content.Empty():
		return append(dst, t.Canonical()...)
	}
	lists, simple := false, true
	for c := content.Children(); c.Next(); {
		p := blockPart(c.Value, t.Role)
		if p.Kind == Text {
			simple = simple && p.Value.Length() == 2
		} else {
			lists = true // a block other than text, whatever the texts are
		}
		t.Parts = append(t.Parts, p)
	}
	t.Plain = lists && simple
	return append(dst, t.Canonical()...)
}

// blockPart reads a block of a message with a role.
func blockPart(block tree.Node, role string) Part {
	switch block.Get("type").Text() {
	case "text":
		if text := block.Get("text"); tree.IsString(text) {
			return Part{Kind: Text, Text: text, Value: block}
		}
	case "thinking":
		p := Part{Kind: Reasoning, Text: block.Get("thinking"), Signature: stringOr(block.Get("signature")), Provider: tree.String(anthropic)}
		if tree.IsString(p.Text) {
			return p
		}
	case "redacted_thinking":
		if data := block.Get("data"); tree.IsString(data) {
			return Part{Kind: Reasoning, Signature: data, Provider: tree.String(anthropic), Redacted: true}
		}
	case "tool_use":
		id, name, input := block.Get("id"), block.Get("name"), block.Get("input")
		if role == "assistant" && tree.IsString(id) && tree.IsString(name) && isObject(input) {
			// Equal objects have the same text, since turns are compared by their content.
			return Part{Kind: Call, ID: id, Name: name, Arguments: tree.String(string(input.AppendPlain(nil))), Caller: objectOr(block.Get("caller"))}
		}
	case "tool_result":
		id, content := block.Get("tool_use_id"), block.Get("content")
		p := Part{Kind: Result, ID: id, Failed: block.Get("is_error").Is(jsonstream.True)}
		switch {
		case !tree.IsString(id):
		case tree.IsString(content):
			p.Output, p.Plain = []Part{{Kind: Text, Text: content}}, true
			return p
		case content == tree.None, content.Is(jsonstream.Array) && tree.All(content, isObject):
			for c := content.Children(); c.Next(); {
				p.Output = append(p.Output, blockPart(c.Value, "tool"))
			}
			return p
		}
	case "image", "document":
		if m, ok := sourceIn(block); ok {
			return Part{Kind: File, Media: m}
		}
	}
	return Part{Kind: Other, Value: block}
}

// anthropic is the provider of reasoning by Anthropic's models. Bedrock and others serve these
// models too, and accept each other's signatures.
const anthropic = "anthropic"

// IsSigned reports whether reasoning is signed by a model of Anthropic, so that its API accepts it.
func (p Part) IsSigned() bool {
	provider := p.Provider.Text()
	return p.Signature != tree.None && (provider == anthropic || provider == "bedrock")
}

// sourceIn reads the source of an image or a document.
func sourceIn(block tree.Node) (Media, bool) {
	source := block.Get("source")
	m := Media{Type: "image", Name: stringOr(block.Get("title"))}
	if block.Get("type").Text() == "document" {
		m.Type = "file"
	}
	switch source.Get("type").Text() {
	case "base64":
		m.Data, m.MediaType = stringOr(source.Get("data")), stringOr(source.Get("media_type"))
	case "text":
		if data := source.Get("data"); tree.IsString(data) {
			m.Data, m.MediaType = tree.String(base64.StdEncoding.EncodeToString([]byte(data.Text()))), tree.String(plainText)
		}
	case "url":
		m.URL = stringOr(source.Get("url"))
	case "file":
		m.FileID = stringOr(source.Get("file_id"))
	}
	return m, m.Data != tree.None && m.MediaType != tree.None || m.URL != tree.None || m.FileID != tree.None
}

const plainText = "text/plain"

// blockOf returns the block for a part of a message with a role.
func blockOf(role string, p Part) tree.Node {
	switch p.Kind {
	case Text:
		return textBlock(p)
	case Reasoning:
		switch {
		case role != "assistant" || !p.IsSigned():
			return tree.None
		case p.Redacted:
			return Object("type", tree.String("redacted_thinking"), "data", p.Signature)
		case p.Text == tree.None:
			p.Text = tree.String("")
		}
		return Object("type", tree.String("thinking"), "thinking", p.Text, "signature", p.Signature)
	case Call:
		return Object("type", tree.String("tool_use"), "id", p.ID, "name", p.Name, "input", p.Input(), "caller", p.Caller)
	case Result:
		block := Object("type", tree.String("tool_result"), "tool_use_id", p.ID, "content", outputBlocks(p))
		if p.Failed {
			return failedBlock(block)
		}
		return block
	case File:
		if source := sourceOf(p.Media); role == "user" && source != tree.None {
			if p.Media.Type == "image" {
				return Object("type", tree.String("image"), "source", source)
			}
			return Object("type", tree.String("document"), "source", source, "title", p.Media.Name)
		}
	case Other:
		if isOwn(p.Value) {
			return p.Value
		}
		if block := serverBlock(p.Value); block != tree.None && role == "assistant" {
			return block
		}
	}
	return textBlock(Part{Text: NoteOf(p)})
}

// failedBlock returns the block of a failed result, given without is_error. The API accepts is_error only with a text and
// nothing else: a block without content gets [conversation.Failed], and one with images gets it in place of is_error.
func failedBlock(block tree.Node) tree.Node {
	content, failed := block.Get("content"), tree.String(conversation.Failed)
	if content == tree.None || tree.IsString(content) && content.Empty() {
		block, content = block.With("content", failed), failed
	}
	for _, inner := range tree.Elements(content) {
		if inner.Get("type").Text() != "text" {
			return block.With("content", tree.Array(append([]tree.Node{Object("type", tree.String("text"), "text", failed)}, tree.Elements(content)...)...))
		}
	}
	return block.With("is_error", tree.Bool(true))
}

// textBlock returns the block of a text, with the members that the API adds to it.
func textBlock(p Part) tree.Node {
	if p.Value.Get("citations") != tree.None {
		p.Text = p.Value.Get("text")
	}
	block := Object("type", tree.String("text"), "text", p.Text, "cache_control", p.Value.Get("cache_control"), "citations", p.Value.Get("citations"))
	if tree.Same(block, p.Value) {
		return p.Value
	}
	return block
}

// TextBlocks returns the blocks of content that is a list of texts; ok is false for other content
// and for a list without a non-empty text. Empty texts are dropped.
func TextBlocks(content tree.Node) (blocks []tree.Node, ok bool) {
	if !content.Is(jsonstream.Array) {
		return nil, false
	}
	for c := content.Children(); c.Next(); {
		switch p := partOf(c.Value); {
		case p.Kind != Text:
			return nil, false
		case !p.Text.IsBlank():
			blocks = append(blocks, textBlock(p))
		}
	}
	return blocks, len(blocks) > 0
}

// outputBlocks returns the content of a result, None if there is none.
func outputBlocks(p Part) tree.Node {
	if p.Plain && len(p.Output) == 1 {
		return p.Output[0].Text
	}
	var blocks []tree.Node
	for _, o := range p.Output {
		if o.Kind == Text && o.Text.Empty() {
			continue
		}
		switch kind := o.Value.Get("type").Text(); {
		case o.Kind != Other || kind == "search_result":
		case kind == "tool_reference" && tree.IsString(o.Value.Get("tool_name")):
			blocks = append(blocks, o.Value)
			continue
		default:
			o = Part{Kind: Text, Text: NoteOf(o)}
		}
		if block := blockOf("user", o); block != tree.None {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 {
		return tree.None
	}
	return tree.Array(blocks...)
}

// imageTypes are the media types of images that the APIs of Anthropic and OpenAI accept.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// sourceOf returns the source of an image or a document, None if the API does not accept it.
func sourceOf(m Media) tree.Node {
	kind := m.KnownType()
	isImage := m.Type == "image"
	switch {
	case !isImage && m.Type != "file":
		return tree.None
	case m.FileID != tree.None:
		if strings.HasPrefix(m.FileID.Text(), "file_") { // other ids belong to other providers' stores
			return Object("type", tree.String("file"), "file_id", m.FileID)
		}
		return tree.None
	case m.URL != tree.None:
		if m.IsOnWeb() {
			return Object("type", tree.String("url"), "url", m.URL)
		}
		return tree.None
	case m.Data == tree.None:
		return tree.None
	case isImage && slices.Contains(imageTypes, kind), !isImage && kind == "application/pdf":
		return Object("type", tree.String("base64"), "media_type", tree.String(kind), "data", m.Data)
	case !isImage && strings.HasPrefix(kind, "text/"):
		text, err := base64.StdEncoding.DecodeString(m.Data.Text())
		if err != nil || !utf8.Valid(text) || len(text) == 0 {
			return tree.None
		}
		return Object("type", tree.String("text"), "media_type", tree.String(plainText), "data", tree.String(string(text)))
	}
	return tree.None
}

// KnownType returns the media type or, if there is none, the type detected from the first bytes of
// the data; "" if unknown.
func (m Media) KnownType() string {
	if kind := m.MediaType.Text(); kind != "" {
		return kind
	}
	for begin, kind := range map[string]string{
		"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp", "JVBERi": "application/pdf",
	} {
		if strings.HasPrefix(m.Data.Text(), begin) {
			return kind
		}
	}
	return ""
}

// isOwn reports whether a part is another kind of block of the API, with its required members.
func isOwn(block tree.Node) bool {
	switch kind := block.Get("type").Text(); kind {
	case "server_tool_use", "mcp_tool_use":
		return tree.IsString(block.Get("id")) && tree.IsString(block.Get("name")) && isObject(block.Get("input"))
	case "search_result":
		return tree.IsString(block.Get("source")) && tree.IsString(block.Get("title")) && block.Get("content").Is(jsonstream.Array)
	case "container_upload":
		return tree.IsString(block.Get("file_id"))
	case "tool_use", "tool_result":
		return false
	default:
		return strings.HasSuffix(kind, "_tool_result") && tree.IsString(block.Get("tool_use_id")) && block.Get("content") != tree.None
	}
}

// MessageOf returns the Messages API message of m.
func MessageOf(m Message) tree.Node {
	if m.Plain != tree.None {
		return m.Plain
	}
	return Object("role", tree.String(m.Role), "content", List(m.Blocks))
}

// List returns the values of blocks as a list.
func List(blocks []Block) tree.Node {
	list := make([]tree.Node, len(blocks))
	for i, b := range blocks {
		list[i] = b.Value
	}
	return tree.Array(list...)
}
