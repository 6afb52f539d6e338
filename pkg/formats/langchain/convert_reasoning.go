package langchain

import (
	"strings"

	"github.com/eaapl/handoff/pkg/internal/chat"
	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// readReasoning reads a reasoning block of a provider or of LangChain.
func readReasoning(block tree.Node) chat.Part {
	p := chat.Part{Kind: chat.Reasoning}
	switch block.Get("type").Text() {
	case "thinking":
		p.Text = first(block, "thinking")
		p.Signature = first(block, "signature")
	case "redacted_thinking":
		p.Signature, p.Redacted = first(block, "data"), true
	case "reasoning_content": // Bedrock
		p.Text = first(block.Get("reasoning_content"), "text")
		if p.Signature = first(block.Get("reasoning_content"), "signature"); p.Signature != tree.None {
			p.Provider = tree.String("bedrock")
		}
		return p
	case "reasoning":
		if block.Get("summary") != tree.None || block.Get("encrypted_content") != tree.None {
			return readItem(block)
		}
		p.Text = first(block, "reasoning", "text")
		if p.Signature = first(block, "signature"); p.Signature == tree.None { // Python
			p.Signature = first(block.Get("extras"), "signature")
		}
	}
	if p.Signature != tree.None {
		p.Provider = tree.String("anthropic")
	}
	return p
}

// writeThinking writes the reasoning of an Anthropic model in the form of its API.
func writeThinking(p chat.Part) tree.Node {
	if p.Redacted {
		return chat.Object("type", tree.String("redacted_thinking"), "data", p.Signature)
	}
	text := p.Text
	if text == tree.None {
		text = tree.String("")
	}
	return chat.Object("type", tree.String("thinking"), "thinking", text, "signature", p.Signature)
}

// readItem reads a reasoning item of the Responses API.
func readItem(item tree.Node) chat.Part {
	p := chat.Part{Kind: chat.Reasoning, ID: first(item, "id"), Signature: first(item, "encrypted_content"), Provider: tree.String("openai")}
	if summary := item.Get("summary"); summary.Is(jsonstream.Array) {
		p.Text = tree.String(summary.Flat())
	}
	return p
}

// readThoughts reads reasoning outside the content: the member reasoning is an item of the
// Responses API, and reasoning_content the text of other providers.
func readThoughts(kwargs tree.Node) (parts []chat.Part) {
	if item := kwargs.Get("reasoning"); item.Is(jsonstream.Object) {
		parts = append(parts, readItem(item))
	}
	if text := kwargs.Get("reasoning_content"); tree.IsString(text) {
		parts = append(parts, chat.Part{Kind: chat.Reasoning, Text: text})
	}
	return parts
}

// writeThoughts is the inverse of readThoughts. No integration rejects unknown members there.
func writeThoughts(parts []chat.Part) tree.Node {
	var kwargs tree.Node
	var texts []string
	for _, p := range parts {
		switch {
		case p.Provider.Text() == "openai" && kwargs == tree.None && (p.ID != tree.None || p.Signature != tree.None):
			summary := tree.Array()
			if p.Text != tree.None && !p.Text.Empty() {
				summary = tree.Array(chat.Object("type", tree.String("summary_text"), "text", p.Text))
			}
			kwargs = chat.Object("reasoning", chat.Object("type", tree.String("reasoning"), "id", p.ID, "summary", summary, "encrypted_content", p.Signature))
		case p.Text.Text() != "":
			texts = append(texts, p.Text.Text())
		}
	}
	if len(texts) > 0 {
		kwargs = kwargs.With("reasoning_content", tree.String(strings.Join(texts, "\n\n")))
	}
	return kwargs
}
