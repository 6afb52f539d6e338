package provider

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkReasoning reports reasoning that cannot be sent again, and items that were made with
// reasoning that is gone.
func (c *checker) checkReasoning() {
	switch c.provider {
	case OpenAIResponses:
		if c.native {
			c.checkReasoningItems()
		}
	case Anthropic, BedrockConverse:
		c.checkThinking()
	case Gemini:
		if c.native {
			c.checkThoughtSignatures()
		}
	}
}

// checkReasoningItems applies the rules of the Responses API.
func (c *checker) checkReasoningItems() {
	open := -1 // the reasoning item that waits for what it led to
	var parts []part
	for _, m := range c.messages {
		if len(m.parts) == 0 {
			parts = append(parts, part{turn: m.turn})
			continue
		}
		parts = append(parts, part{m.parts[0].Part, m.turn})
	}
	follows := func(i int) bool { // whether a part is what a model makes
		if i >= len(parts) {
			return false
		}
		p := parts[i]
		return p.Kind == conversation.Call || p.Kind == conversation.Reasoning || p.turn.Role == assistant || p.turn.Role == "" && p.Kind == conversation.Other
	}
	for i, p := range parts {
		item := p.turn.Item()
		if p.Kind == conversation.Reasoning && p.turn.Role == "" {
			open = i
			if !follows(i + 1) {
				c.report("reasoning-without-item", item, "reasoning without what it led to: no item of the model follows it; add the item that followed, or drop the reasoning")
			}
			if !item.Get("encrypted_content").Exists() || item.Get("encrypted_content").Kind() == jsonstream.Null {
				c.report("reasoning-signature", item, "reasoning without encrypted_content: it is looked up by its id, which another account does not find; send it with its encrypted_content, or drop it")
			}
			continue
		}
		id := item.Get("id")
		switch {
		case open >= 0 && follows(i):
			if open == i-1 && !id.Exists() && p.turn.Role == assistant {
				c.report("reasoning-without-item", parts[open].turn.Item(), "reasoning before an item without the id that it had: found %s without an id; give it its id, or drop the reasoning", p.turn.Value.Pointer())
			}
			continue
		case follows(i) && isMade(id.Text()) && (p.Kind == conversation.Call || p.turn.Role == assistant):
			c.report("item-without-reasoning", id, "an item with an id, and no reasoning before it: if its model reasoned, it is refused; leave out the id")
		}
		open = -1
	}
}

// isMade reports whether the id of an item is one that the API gives.
func isMade(id string) bool { return strings.HasPrefix(id, "fc") || strings.HasPrefix(id, "msg") }

// checkThinking applies the rules of Anthropic, also for Bedrock.
func (c *checker) checkThinking() {
	last := -1 // the last message of the assistant with calls
	for i := range c.messages {
		m := &c.messages[i]
		if m.role == assistant && m.has(conversation.Call) {
			last = i
		}
		for _, p := range m.parts {
			if p.Kind == conversation.Reasoning && !isSigned(p.Value) {
				c.report("reasoning-signature", p.Value, "reasoning without its signature: only its model can make one; drop it, or make it a text")
			}
		}
	}
	if last < 0 || !c.stretch.lastCalls {
		return
	}
	for i, p := range c.messages[last].parts {
		if p.Kind == conversation.Reasoning {
			if i > 0 {
				c.report("reasoning-place", p.Value, "reasoning after other content: with thinking on, the last turn with calls begins with it; put it first")
			}
			return
		}
	}
}

// isSigned reports whether reasoning has what proves that a model made it, in the forms of
// Anthropic, Bedrock and the AI SDK.
func isSigned(v jsonstream.Value) bool {
	for _, path := range [][]string{
		{"signature"}, {"data"}, {"reasoningContent", "reasoningText", "signature"}, {"reasoningContent", "redactedContent"},
		{"providerOptions", "anthropic", "signature"}, {"providerOptions", "anthropic", "redactedData"}, {"providerMetadata", "anthropic", "signature"},
		{"providerMetadata", "anthropic", "redactedData"}, {"providerOptions", "bedrock", "signature"}, {"providerMetadata", "bedrock", "signature"},
	} {
		at := v
		for _, name := range path {
			at = at.Get(name)
		}
		if at.Text() != "" {
			return true
		}
	}
	return false
}

// checkThoughtSignatures reports first calls of the current turn that lack the signature of
// the thought that they came with.
func (c *checker) checkThoughtSignatures() {
	begin := 0 // the message after the last one of the user that is no response
	for i := range c.messages {
		if m := &c.messages[i]; m.role != assistant && !m.has(conversation.Result) {
			begin = i + 1
		}
	}
	for i := begin; i < len(c.messages); i++ {
		for _, p := range c.messages[i].parts {
			if p.Kind != conversation.Call {
				continue
			}
			if p.Value.Get("thoughtSignature").Text() == "" && p.Value.Get("thought_signature").Text() == "" {
				c.report("reasoning-signature", p.Value, "a tool call of the current turn without its thoughtSignature, which Gemini 3 asks for; send the one that came with it, or skip_thought_signature_validator")
			}
			break
		}
	}
}
