package aisdk

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// codec converts messages. New messages are ModelMessages.
var codec = (&chat.Form{
	At:          []string{"/messages"},
	System:      "/system",
	ReadSystem:  readSystem,
	WriteSystem: writeSystem,
	Developer:   true,
	Style:       style,
	Reading:     func() func(dst []tree.Node, message tree.Node) []tree.Node { return (&reader{}).read },
	Write:       write,
}).Codec()

// The styles of messages, other than the default.
const (
	styleUI    = "ui"    // UIMessages
	styleImage = "image" // images are image parts rather than file parts
)

func style(message tree.Node) string {
	if message.Get("parts").Is(jsonstream.Array) {
		return styleUI
	}
	for parts := message.Get("content").Children(); parts.Next(); {
		if parts.Value.Get("type").Text() == "image" {
			return styleImage
		}
	}
	return ""
}

// readSystem returns the text of the SDK's system option: a text, a system message or several.
func readSystem(value tree.Node) tree.Node {
	if tree.IsString(value) {
		return value
	}
	messages := []tree.Node{value}
	if value.Is(jsonstream.Array) {
		messages = tree.Elements(value)
	}
	var texts []string
	for _, m := range messages {
		if !tree.IsString(m.Get("content")) {
			return tree.None
		}
		texts = append(texts, m.Get("content").Text())
	}
	if texts == nil {
		return tree.None
	}
	return tree.String(strings.Join(texts, "\n"))
}

// writeSystem is the inverse of readSystem: the option is a text.
func writeSystem(content tree.Node) tree.Node {
	if tree.IsString(content) {
		return content
	}
	if text := content.Flat(); text != "" {
		return tree.String(text)
	}
	return tree.None
}

func write(turns []tree.Node, w *chat.Writing) []tree.Node {
	if len(turns) == 0 {
		empty := exchange.UserMessage(tree.String(""))
		w.Up(0, "content", empty.Get("content"), "the SDK does not accept an empty list")
		turns = []tree.Node{empty}
	}
	turns = inTime(withoutSystem(turns))
	if w.Style == styleUI {
		return writeUI(turns, w)
	}
	return writeModel(turns, w)
}

// withoutSystem makes the instructions among the turns, which the SDK refuses, turns of the user. Leading
// instructions stay: they come from a list, which has no other place for them.
func withoutSystem(turns []tree.Node) []tree.Node {
	begun := false
	return exchange.Each(turns, func(turn tree.Node) tree.Node {
		role := turn.Get("role").Text()
		if role != "system" && role != "developer" {
			begun = true
			return turn
		}
		if !begun {
			return turn
		}
		return exchange.UserMessage(tree.String("[" + role + "] " + chat.Say(chat.Of(turn).Parts)))
	})
}

// A reasoner holds a provider's names for the proof of a model's reasoning, in the SDK's
// providerOptions and providerMetadata.
type reasoner struct {
	name                    string
	provider                string // see [chat.Part]
	id, signature, redacted string
}

// reasoners are the providers whose models require a proof. Redacted reasoning has its data in
// place of a signature. Of the names of one provider, the first is written.
var reasoners = []reasoner{
	{name: "anthropic", provider: "anthropic", signature: "signature", redacted: "redactedData"},
	{name: "bedrock", provider: "bedrock", signature: "signature", redacted: "redactedContent"},
	{name: "bedrock", provider: "bedrock", redacted: "redactedData"}, // of @ai-sdk/amazon-bedrock before redactedContent
	{name: "amazonBedrock", provider: "bedrock", signature: "signature", redacted: "redactedContent"},
	{name: "openai", provider: "openai", id: "itemId", signature: "reasoningEncryptedContent"},
	{name: "google", provider: chat.Gemini, signature: thoughtSignature},
	{name: "googleVertex", provider: chat.Gemini, signature: thoughtSignature},
	{name: "vertex", provider: chat.Gemini, signature: thoughtSignature},
}

const thoughtSignature = "thoughtSignature"

// readReasoning reads a part of either kind of message. name is the member with the provider
// data.
func readReasoning(part tree.Node, name string) chat.Part {
	p := chat.Part{Kind: chat.Reasoning, Text: part.Get("text")}
	if !tree.IsString(p.Text) {
		return chat.Part{Kind: chat.Other, Value: part}
	}
	for _, r := range reasoners {
		data := part.Get(name).Get(r.name)
		if id := data.Get(r.id); r.id != "" && tree.IsString(id) {
			p.ID = id
		}
		switch signature, redacted := data.Get(r.signature), data.Get(r.redacted); {
		case r.signature != "" && tree.IsString(signature):
			p.Signature = signature
		case r.redacted != "" && tree.IsString(redacted):
			p.Signature, p.Redacted = redacted, true
		case p.ID == tree.None:
			continue
		}
		p.Provider = tree.String(r.provider)
		break
	}
	return p
}

// providerData returns the provider data of a reasoning part, or nothing if the provider
// requires none.
func providerData(p chat.Part) tree.Node {
	for _, r := range reasoners {
		if r.provider != p.Provider.Text() {
			continue
		}
		var data []tree.Member
		if r.id != "" && p.ID != tree.None {
			data = append(data, tree.Member{Name: r.id, Value: p.ID})
		}
		switch {
		case p.Signature == tree.None:
		case p.Redacted && r.redacted != "":
			data = append(data, tree.Member{Name: r.redacted, Value: p.Signature})
		default:
			data = append(data, tree.Member{Name: r.signature, Value: p.Signature})
		}
		if len(data) > 0 {
			return chat.Object(r.name, tree.Object(data...))
		}
	}
	return tree.None
}

// withProof returns a text or call with the proof of its origin in the provider data of its part.
func withProof(p chat.Part, data tree.Node) chat.Part {
	for _, r := range reasoners {
		if signature := data.Get(r.name).Get(thoughtSignature); r.provider == chat.Gemini && tree.IsString(signature) {
			p.Signature = signature
			break
		}
	}
	if caller := data.At("/anthropic/caller"); p.Kind == chat.Call && tree.IsString(caller.Get("type")) {
		p.Caller = chat.Object("type", caller.Get("type"), "tool_id", caller.Get("toolId"))
	}
	return p
}

// proofOf returns the provider data of a text or call, None if it has no proof of its origin.
func proofOf(p chat.Part) tree.Node {
	var data []any
	if p.Caller != tree.None {
		data = append(data, "anthropic", chat.Object("caller", chat.Object("type", p.Caller.Get("type"), "toolId", p.Caller.Get("tool_id"))))
	}
	if p.Signature != tree.None {
		data = append(data, "google", chat.Object(thoughtSignature, p.Signature))
	}
	if data == nil {
		return tree.None
	}
	return chat.Object(data...)
}

// writeReasoning writes a reasoning part. name is the member for the provider data.
func writeReasoning(p chat.Part, name string) tree.Node {
	text := p.Text
	if text == tree.None {
		text = tree.String("")
	}
	return chat.Object("type", tree.String("reasoning"), "text", text, name, providerData(p))
}

// toolResult returns the turn of a result: a text or, with chat.JSONType, another value.
func toolResult(part chat.Part, text, value tree.Node) chat.Turn {
	t := chat.Turn{Parts: []chat.Part{part}}
	switch {
	case tree.IsString(text):
		t.Parts[0].Output = []chat.Part{{Kind: chat.Text, Text: text}}
	case value != tree.None:
		t.Parts[0].Output = []chat.Part{{Kind: chat.Text, Text: tree.String(string(value.AppendPlain(nil)))}}
		t.Further = []tree.Member{{Name: "content_type", Value: tree.String(chat.JSONType)}}
	default:
		t.Parts[0].Output = []chat.Part{{Kind: chat.Text, Text: tree.String("")}}
	}
	t.Parts[0].Plain = true
	return t
}

// outputText returns the output of a result as one text.
func outputText(p chat.Part) tree.Node {
	if p.Plain && len(p.Output) == 1 {
		return p.Output[0].Text
	}
	return tree.String(chat.Say(p.Output))
}

// said returns a text part in place of a part that has no counterpart.
func said(p chat.Part) tree.Node {
	text := p.Text
	if p.Kind != chat.Text {
		text = tree.String(chat.Say([]chat.Part{p}))
	}
	return textPart(text)
}

func textPart(text tree.Node) tree.Node {
	return chat.Object("type", tree.String("text"), "text", text)
}

// readText reads a text part of either kind of message. name is the member with the provider data.
func readText(part tree.Node, name string) (chat.Part, bool) {
	text := part.Get("text")
	if !tree.IsString(text) {
		return chat.Part{}, false
	}
	p := withProof(chat.Part{Kind: chat.Text, Text: text}, part.Get(name))
	if part.Length() == 2 {
		p.Value = part // same as the canonical part
	}
	return p, true
}
