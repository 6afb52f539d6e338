package provider

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A form is the syntax of a provider's ids or names.
type form struct {
	characters *regexp.Regexp // matches valid texts; nil allows all characters
	max        int            // characters; 0 if there is no limit
	says       string         // description for people
}

// A naming has the forms of a provider.
type naming struct{ callID, tool form }

var namings = sync.OnceValue(func() map[Provider]naming {
	word := regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	return map[Provider]naming{
		OpenAIChat:      {form{nil, 40, "1 to 40 characters"}, form{word, 64, "1 to 64 letters, digits, _ or -"}},
		OpenAIResponses: {form{nil, 64, "1 to 64 characters"}, form{word, 64, "1 to 64 letters, digits, _ or -"}},
		Anthropic:       {form{word, 0, "letters, digits, _ or -"}, form{word, 128, "1 to 128 letters, digits, _ or -"}},
		Gemini:          {form{}, form{regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]*$`), 128, "a letter or _, then up to 127 letters, digits, _, ., : or -"}},
		BedrockConverse: {form{regexp.MustCompile(`^[a-zA-Z0-9_.:-]+$`), 64, "1 to 64 letters, digits, _ or -"}, form{word, 64, "1 to 64 letters, digits, _ or -"}},
	}
})

func (f form) fits(text string) bool {
	return (f.characters == nil || f.characters.MatchString(text)) && (f.max == 0 || utf8.RuneCountInString(text) <= f.max)
}

// FitsCallID reports whether the provider accepts the id of a call. If it does not, says describes the
// valid form.
func (p Provider) FitsCallID(id string) (says string, ok bool) {
	f := namings()[p].callID
	return f.says, id != "" && f.fits(id) && (p != BedrockConverse || !strings.ContainsAny(id, ".:"))
}

// FitsTool reports whether the provider accepts the name of a tool. If it does not, says describes the
// valid form.
func (p Provider) FitsTool(name string) (says string, ok bool) {
	f := namings()[p].tool
	return f.says, name != "" && f.fits(name)
}

// checkIDs reports ids and names of tools that the provider does not accept.
func (c *checker) checkIDs(turns []conversation.Turn) {
	reported := map[string]bool{} // ids
	for _, m := range c.messages {
		for _, p := range m.parts {
			if p.Kind != conversation.Call && p.Kind != conversation.Result || p.Hosted {
				continue
			}
			if id := p.ID; id.Exists() && !reported[id.Text()] {
				reported[id.Text()] = true
				c.checkCallID(id)
			}
			if p.Kind == conversation.Call || c.provider == Gemini && c.native {
				c.checkTool(p)
			}
		}
	}
	switch {
	case c.provider == OpenAIResponses && c.native:
		c.checkItemIDs(turns)
	case c.provider == OpenAIChat && c.native:
		c.checkNames(turns)
	}
}

func (c *checker) checkCallID(id jsonstream.Value) {
	says, ok := c.provider.FitsCallID(id.Text())
	switch {
	case ok, c.provider == Gemini:
	case c.provider == BedrockConverse && namings()[c.provider].callID.fits(id.Text()):
		c.reportAs(finding.Warning, "call-id", id, "the id of the call has characters that Claude rejects: found %s; use %s", finding.QuoteValue(id), says)
	default:
		c.report("call-id", id, "the id of the call is invalid for the API: found %s, %s; use %s, in the call and in its result", finding.QuoteValue(id), lengthOf(id.Text()), says)
	}
}

func (c *checker) checkTool(p part) {
	if says, ok := c.provider.FitsTool(p.Tool()); !ok && (p.Name.Exists() || c.native && p.Kind == conversation.Call && isFunction(p)) {
		c.report("tool-name", orItem(p.Name, p.Value), "the name of the tool is invalid for the API: found %s, %s; use %s", finding.Quote(p.Tool()), lengthOf(p.Tool()), says)
	}
}

// checkNames reports names of message authors that the Chat API does not accept.
func (c *checker) checkNames(turns []conversation.Turn) {
	for _, t := range turns {
		name := t.Value.Get("name")
		if name.Kind() != jsonstream.String || t.Role == tool || t.Role == "function" {
			continue
		}
		if !conversation.IsName(name.Text()) {
			c.report("message-name", name, "the name of the message is invalid for the API: found %s, %s; use 1 to %d characters without spaces and < | \\ / >", finding.QuoteValue(name), lengthOf(name.Text()), conversation.LongestName)
		}
	}
}

// isFunction reports whether a call is a function call, which has a name.
func isFunction(p part) bool {
	kind := p.Value.Get("type").Text()
	return kind == "" || kind == "function" || kind == "function_call" || kind == "tool_use"
}

func lengthOf(text string) string {
	n := utf8.RuneCountInString(text)
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

// itemPrefixes are the prefixes of ids of Responses API items, by item type.
var itemPrefixes = map[string]string{
	"message": "msg", "function_call": "fc", "reasoning": "rs", "web_search_call": "ws", "file_search_call": "fs", "computer_call": "cu",
	"code_interpreter_call": "ci", "image_generation_call": "ig", "mcp_call": "mcp", "mcp_list_tools": "mcpl", "mcp_approval_request": "mcpr",
	"custom_tool_call": "ctc", "local_shell_call": "lsh",
}

// maxItemID is the maximum length of an item's id, in characters.
const maxItemID = 64

var itemID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]+$`) })

// checkItemIDs reports ids of Responses API items that are not unique or have the prefix of another type.
func (c *checker) checkItemIDs(turns []conversation.Turn) {
	first := map[string]conversation.Turn{}
	for _, t := range turns {
		item := t.Item()
		id, kind := item.Get("id"), item.Get("type").Text()
		if id.Kind() != jsonstream.String || kind == "item_reference" {
			continue
		}
		if kind == "" && t.Role != "" {
			kind = "message"
		}
		text := id.Text()
		earlier, again := first[text]
		if !again {
			first[text] = t
		}
		prefix, known := itemPrefixes[kind]
		switch {
		case again && text != "":
			c.report("repeated-item-id", id, "the id is already used by another item: found %s at %s; remove this item if both are equal, otherwise leave out its id", finding.QuoteValue(id), earlier.Value.Pointer())
		case text == "" || utf8.RuneCountInString(text) > maxItemID || !itemID().MatchString(text):
			c.report("item-id", id, "the id of the item is invalid for the API: found %s, %s; leave it out, or use 1 to %d letters, digits, _ or -", finding.QuoteValue(id), lengthOf(text), maxItemID)
		case known && (kind != "message" || t.Role == assistant) && !strings.HasPrefix(text, prefix):
			c.report("item-id", id, "the id belongs to another type of item: found %s for a %s; leave it out, or use the id that begins with %s", finding.QuoteValue(id), kind, prefix)
		}
	}
}
