package provider

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// textOf returns the string with the text of a part.
func textOf(p part) jsonstream.Value {
	if p.Value.Kind() == jsonstream.String {
		return p.Value
	}
	if isOfPydanticAI(p) {
		return p.Value.Get("content")
	}
	for _, name := range []string{"text", "refusal", "thinking"} {
		if v := p.Value.Get(name); v.Kind() == jsonstream.String {
			return v
		}
	}
	return jsonstream.Value{}
}

// isOfPydanticAI reports whether a part is a text, or a list of texts and media, in a message of Pydantic AI.
func isOfPydanticAI(p part) bool { return p.Value.Get("part_kind").Exists() }

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// checkContent reports turns and parts without content.
func (c *checker) checkContent() {
	for i := range c.messages {
		m := &c.messages[i]
		switch c.provider {
		case OpenAIChat:
			c.checkSilent(m)
		case Anthropic:
			c.checkBlocks(m)
		case Gemini:
			c.checkParts(m)
		case BedrockConverse:
			c.checkConverse(m)
		}
	}
}

// checkSilent reports a message of the Chat API without content, or with an empty list of parts.
func (c *checker) checkSilent(m *message) {
	item := m.turn.Item()
	content := item.Get("content")
	switch {
	case !c.native || m.turn.Role == "" || m.turn.Value.Kind() != jsonstream.Object:
	case content.Kind() == jsonstream.Array && content.Len() == 0:
		c.report("empty-content", content, "the turn has an empty list of parts; give it a text, which may be empty")
	case content.Exists() && content.Kind() != jsonstream.Null || m.has(conversation.Call) || item.Get("audio").Exists() || item.Get("refusal").Exists():
	default:
		c.report("empty-content", orItem(content, m.turn.Value), "the turn has neither content nor tool_calls; give it a text, which may be empty")
	}
}

// checkBlocks reports content that is empty for the Messages API.
func (c *checker) checkBlocks(m *message) {
	blank, spoken, unsent := jsonstream.Value{}, false, false
	for _, p := range m.parts {
		text := textOf(p)
		switch {
		case p.Kind != conversation.Said || text.Kind() != jsonstream.String:
			spoken = true
		case text.Text() == "" && isOfPydanticAI(p):
			unsent = true
		case text.Text() == "" && c.client.OmitsEmpty && !hasOptions(p):
			if m.role == user {
				blank = text
			}
		case text.Text() == "" && p.Value.Kind() == jsonstream.Object:
			c.report("empty-content", text, "the text is empty; remove the part, or give it a text")
			return
		case isBlank(text.Text()):
			blank = text
		default:
			spoken = true
		}
	}
	switch {
	case spoken || m.role == system:
	case blank.Exists():
		c.report("empty-content", blank, "the turn has no text except white space; remove it, or give it a text")
	case m.role == user && !unsent:
		c.report("empty-content", m.turn.Value, "the turn of the user is empty; remove it, or give it a text")
	}
}

// hasOptions reports whether a text of the AI SDK has options of a provider, such as a cache mark: then it is sent
// even if it is empty.
func hasOptions(p part) bool {
	return p.Value.Get("providerOptions").Exists() || p.Value.Get("providerMetadata").Exists()
}

// checkParts reports content that is empty for the Gemini API.
func (c *checker) checkParts(m *message) {
	for _, p := range m.parts {
		if c.native && p.Value.Kind() == jsonstream.Object && p.Value.Len() == 0 {
			c.report("empty-content", p.Value, "the part is empty; remove it, or give it a text")
			return
		}
		if text := textOf(p); p.Kind != conversation.Said || text.Kind() == jsonstream.Array || text.Text() != "" {
			return
		}
	}
	if m.role != system {
		c.report("empty-content", m.turn.Value, "the turn is empty; remove it, or give it a text")
	}
}

// checkConverse reports content, including results, that is empty for Bedrock.
func (c *checker) checkConverse(m *message) {
	spoken := false
	for _, p := range m.parts {
		switch text := textOf(p); {
		case p.Kind == conversation.Said && text.Kind() == jsonstream.String && isBlank(text.Text()): // not a text with citations
			if c.client.OmitsBlank && m.role == assistant {
				continue
			}
			c.report("empty-content", text, "the text is blank; remove the part, or give it a text")
			return
		case p.Kind == conversation.Result:
			if blank, ok := blankResult(p); ok {
				c.report("empty-content", blank, "the result has a blank text; give it a text, such as [empty]")
				return
			}
		}
		spoken = true
	}
	if !spoken && m.role != system {
		c.report("empty-content", m.turn.Value, "the turn is empty; remove it, or give it a text")
	}
}

// blankResult returns a text of a result that is blank.
func blankResult(p part) (jsonstream.Value, bool) {
	result := p.Value
	if inner := result.Get("toolResult"); inner.Exists() {
		result = inner
	}
	for _, name := range []string{"content", "output", "result"} {
		content := result.Get(name)
		for _, wrapped := range []string{"value", "text"} { // of the AI SDK, of the OpenAI Agents SDK for JavaScript
			if v := content.Get(wrapped); v.Exists() && content.Get("type").Exists() {
				content = v
			}
		}
		if content.Kind() == jsonstream.String && isBlank(content.Text()) {
			return content, true
		}
		for _, v := range content.Elements() {
			if text := v.Get("text"); text.Kind() == jsonstream.String && isBlank(text.Text()) {
				return text, true
			}
		}
	}
	return jsonstream.Value{}, false
}
