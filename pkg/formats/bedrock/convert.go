package bedrock

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts messages and the instructions next to them.
var codec = (&chat.Form{
	At:          []string{"/messages"},
	System:      "/system",
	ReadSystem:  readSystem,
	WriteSystem: writeSystem,
	Developer:   true,
	Read:        read,
	Write:       write,
}).Codec()

// readSystem returns the texts of system blocks.
func readSystem(value tree.Node) tree.Node {
	var texts []tree.Node
	for _, block := range tree.Elements(value) {
		if text := block.Get("text"); tree.IsString(text) {
			texts = append(texts, text)
		}
	}
	switch len(texts) {
	case 0:
		return tree.None
	case 1:
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = chat.Object("type", tree.String("text"), "text", text)
	}
	return tree.Array(texts...)
}

func writeSystem(content tree.Node) tree.Node {
	if tree.IsString(content) {
		if content.IsBlank() {
			return tree.None
		}
		return tree.Array(textBlock(content))
	}
	blocks, ok := chat.TextBlocks(content)
	if !ok {
		return tree.None
	}
	for i, block := range blocks {
		blocks[i] = textBlock(block.Get("text"))
	}
	return tree.Array(blocks...)
}

// textBlock returns a block with a text.
func textBlock(text tree.Node) tree.Node { return tree.Object(tree.Member{Name: "text", Value: text}) }

// newMessage returns a message with content blocks.
func newMessage(role, content tree.Node) tree.Node {
	return tree.Object(tree.Member{Name: "role", Value: role}, tree.Member{Name: "content", Value: content})
}

func isObject(n tree.Node) bool { return n.Is(jsonstream.Object) }

// read appends the turns of a message. A single text becomes a string rather than a list, because
// the API has no other form for it.
func read(dst []tree.Node, message tree.Node) []tree.Node {
	content := message.Get("content")
	t := chat.Turn{Role: message.Get("role").Text(), Plain: true}
	if !content.Is(jsonstream.Array) || !tree.All(content, isObject) || t.Role == "" {
		return append(dst, message)
	}
	if text := content.Element("0").Get("text"); tree.IsString(text) && content.Length() == 1 && content.Element("0").Length() == 1 {
		return append(dst, newMessage(message.Get("role"), text)) // the common case
	}
	for c := content.Children(); c.Next(); {
		if c.Value.Get("cachePoint") != tree.None {
			continue // it is about the request
		}
		p := readBlock(c.Value, t.Role)
		if !p.JSON {
			t.Parts = append(t.Parts, p)
			continue
		}
		if len(t.Parts) > 0 {
			dst = append(dst, t.Canonical()...)
		}
		of := chat.Turn{Parts: []chat.Part{p}, Further: []tree.Member{{Name: "content_type", Value: tree.String(chat.JSONType)}}}
		dst, t.Parts = append(dst, of.Canonical()...), nil
	}
	if len(t.Parts) == 0 && !content.Empty() {
		return dst
	}
	return append(dst, t.Canonical()...)
}

// readBlock reads a block of a message with the given role. A block has one member, which
// names its type.
func readBlock(block tree.Node, role string) chat.Part {
	other := chat.Part{Kind: chat.Other, Value: block}
	if block.Length() != 1 {
		return other
	}
	c := block.Children()
	c.Next()
	switch v := c.Value; c.Name {
	case "text":
		if tree.IsString(v) {
			return chat.Part{Kind: chat.Text, Text: v}
		}
	case "json": // in a result
		if isObject(v) {
			return chat.Part{Kind: chat.Text, Text: chat.TextOf(v)}
		}
	case "reasoningContent":
		if p, ok := readReasoning(v); ok {
			return p
		}
	case "toolUse":
		if v.Get("type") != tree.None { // the API runs the tool
			return other
		}
		id, name, input := v.Get("toolUseId"), v.Get("name"), v.Get("input")
		if role == "assistant" && tree.IsString(id) && tree.IsString(name) && isObject(input) {
			// Equal objects give equal texts, because turns are matched by their content.
			return chat.Part{Kind: chat.Call, ID: id, Name: name, Arguments: tree.String(string(input.AppendPlain(nil)))}
		}
	case "toolResult":
		if v.Get("type") != tree.None {
			return other
		}
		id, content := v.Get("toolUseId"), v.Get("content")
		if tree.IsString(id) && content.Is(jsonstream.Array) && tree.All(content, isObject) {
			p := chat.Part{Kind: chat.Result, ID: id, Failed: v.Get("status").Text() == "error"}
			for c := content.Children(); c.Next(); {
				p.Output = append(p.Output, readBlock(c.Value, "tool"))
			}
			if len(p.Output) == 0 {
				p.Output = []chat.Part{{Kind: chat.Text, Text: tree.String("")}}
			}
			p.Plain = len(p.Output) == 1 && p.Output[0].Kind == chat.Text
			p.JSON = p.Plain && isObject(content.Element("0").Get("json"))
			return p
		}
	case "guardContent":
		if m, ok := readMedia("image", v.Get("image")); ok {
			return chat.Part{Kind: chat.File, Media: m}
		}
	case "image", "document", "video", "audio":
		if m, ok := readMedia(c.Name, v); ok {
			return chat.Part{Kind: chat.File, Media: m}
		}
	}
	return other
}

// The providers of reasoning. Anthropic's models sign it on every platform.
const (
	anthropic = "anthropic"
	unsigned  = "bedrock"
)

func readReasoning(v tree.Node) (chat.Part, bool) {
	p := chat.Part{Kind: chat.Reasoning, Provider: tree.String(anthropic)}
	if data := v.Get("redactedContent"); tree.IsString(data) {
		p.Signature, p.Redacted = data, true
		return p, true
	}
	thought := v.Get("reasoningText")
	p.Text = thought.Get("text")
	if signature := thought.Get("signature"); tree.IsString(signature) {
		p.Signature = signature
	} else {
		p.Provider = tree.String(unsigned)
	}
	return p, tree.IsString(p.Text)
}

// A writer writes messages.
type writer struct {
	documents int
	names     map[string]int // document names, with the number of the last duplicate
}

func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	b := &writer{names: map[string]int{}}
	how := &chat.Alternation{Block: b.block, IDs: 64, Names: 64}
	messages := how.Messages(turns)
	elements := make([]tree.Node, 0, len(messages)+1)
	user, assistant := tree.String("user"), tree.String("assistant")
	if len(messages) > 0 && messages[0].Role == "assistant" {
		begin := textBlock(tree.String("[the history begins with the assistant]"))
		w.Up(0, "content", tree.Array(begin), "the API requires a first turn of the user")
		elements = append(elements, newMessage(user, tree.Array(begin)))
	}
	for _, m := range messages {
		role := user
		if m.Role == "assistant" {
			role = assistant
		}
		if m.Plain != tree.None {
			elements = append(elements, newMessage(role, tree.Array(textBlock(m.Plain.Get("content")))))
			continue
		}
		content := chat.List(how.Of(m))
		if hasDocument(content) {
			content = tree.Array(append(tree.Elements(content), textBlock(tree.String("[document]")))...)
		}
		elements = append(elements, newMessage(role, content))
	}
	return elements
}

// hasDocument reports whether content has a document but no text, which the API rejects.
func hasDocument(content tree.Node) bool {
	document := false
	for c := content.Children(); c.Next(); {
		if c.Value.Get("text") != tree.None {
			return false
		}
		document = document || c.Value.Get("document") != tree.None
	}
	return document
}

// own are the block members that are kept unchanged.
var own = []string{"cachePoint", "guardContent", "citationsContent", "searchResult"}

// block returns the block for a part of a message with the given role.
func (b *writer) block(role string, p chat.Part) tree.Node {
	switch p.Kind {
	case chat.Text:
		return textBlock(p.Text)
	case chat.Reasoning:
		provider := p.Provider.Text()
		switch {
		case role != "assistant":
			return tree.None
		case p.IsSigned() && p.Redacted:
			if _, err := base64.StdEncoding.DecodeString(p.Signature.Text()); err != nil {
				return tree.None // the API, which has bytes here, would refuse the request
			}
			return chat.Object("reasoningContent", chat.Object("redactedContent", p.Signature))
		case (p.IsSigned() || provider == unsigned) && p.Text != tree.None && !p.Redacted:
			return chat.Object("reasoningContent", chat.Object("reasoningText", chat.Object("text", p.Text, "signature", p.Signature)))
		}
		return tree.None
	case chat.Call:
		return chat.Object("toolUse", chat.Object("toolUseId", p.ID, "name", p.Name, "input", p.Input()))
	case chat.Result:
		result := chat.Object("toolUseId", p.ID, "content", b.output(p))
		if p.Failed {
			result = result.With("status", tree.String("error"))
		}
		return chat.Object("toolResult", result)
	case chat.File:
		if role == "user" {
			if block := b.media(p.Media); block != tree.None {
				return block
			}
		}
	case chat.Other:
		for _, name := range own {
			if p.Value.Length() == 1 && isObject(p.Value.Get(name)) {
				return p.Value
			}
		}
		if isHosted(p.Value) && role == "assistant" {
			return p.Value
		}
	}
	note := chat.NoteOf(p)
	if strings.TrimSpace(note.Text()) == "" {
		return tree.None
	}
	return textBlock(note)
}

// isHosted reports whether a block is a call or result of a tool that the API runs.
func isHosted(block tree.Node) bool {
	h, ok := chat.HostedOf(block)
	switch {
	case !ok || block.Length() != 1 || h.ID == tree.None:
		return false
	case h.Result:
		return h.Value.Is(jsonstream.Array) && tree.All(h.Value, isObject)
	}
	return h.Name != tree.None && isObject(h.Value)
}

// output returns the content of a result, without blank texts.
func (b *writer) output(p chat.Part) tree.Node {
	if p.JSON && len(p.Output) == 1 && p.Output[0].Kind == chat.Text {
		if v := chat.Value(p.Output[0].Text); isObject(v) {
			return tree.Array(chat.Object("json", v))
		}
	}
	var blocks []tree.Node
	for _, o := range p.Output {
		if o.Kind == chat.Text && o.Text.IsBlank() {
			continue
		}
		if o.Kind == chat.Other {
			o = chat.Part{Kind: chat.Text, Text: chat.NoteOf(o)}
		}
		if block := b.block("user", o); block != tree.None {
			blocks = append(blocks, block)
		}
	}
	return tree.Array(blocks...)
}

// name returns a unique document name of characters that the API accepts.
func (b *writer) name(name string) string {
	fit := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-()[]_", r) || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return ' '
	}, name)
	fit = strings.Join(strings.Fields(fit), " ")
	if fit = strings.TrimSpace(fit[:min(len(fit), 180)]); fit == "" {
		fit = "document"
	}
	base := fit
	for b.names[fit] > 0 {
		b.names[base]++
		fit = fmt.Sprintf("%s %d", base, b.names[base])
	}
	b.names[fit]++
	return fit
}
