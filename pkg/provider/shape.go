package provider

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkShape reports missing members, and members of a wrong type. In formats other than the provider's
// own, it reports only faults that their conversion cannot repair.
func (c *checker) checkShape(turns []conversation.Turn) {
	for _, t := range turns {
		item := t.Item()
		if calls := item.Get("tool_calls"); c.provider == OpenAIChat && c.native && calls.Kind() == jsonstream.Array && calls.Len() == 0 {
			c.report("shape", calls, "the list of calls is empty; leave out the member")
		}
		if c.native && c.provider == OpenAIResponses {
			c.checkItem(t)
		}
		if c.native {
			c.checkPartTypes(t)
		}
		for p := range conversation.Parts(t.Value) {
			c.checkPart(t, p)
		}
	}
}

func (c *checker) checkPart(t conversation.Turn, p conversation.Part) {
	switch p.Kind {
	case conversation.Call:
		if c.native || !isListed(t, p) {
			c.checkArguments(p)
		}
		if c.native && c.is(Anthropic, BedrockConverse, Gemini) && t.Role == user {
			c.report("shape", p.Value, "the tool call is in a turn of the user; move it to a turn of the assistant")
		}
	case conversation.Result:
		if c.native && c.provider == OpenAIChat && !p.ID.Exists() && t.Role == tool {
			c.report("shape", p.Value, "the tool message has no tool_call_id; add the id of the call that it answers")
		}
		if c.native && c.is(Anthropic, BedrockConverse, Gemini) && t.Role == assistant && !p.Hosted {
			c.report("shape", p.Value, "the tool result is in a turn of the assistant; move it to a turn of the user")
		}
		if response := p.Value.Get("functionResponse").Get("response"); c.provider == Gemini && response.Exists() && response.Kind() != jsonstream.Object {
			c.report("shape", response, "the response of a function must be an object: found %s; put it into an object", finding.KindName(response.Kind()))
		}
		for _, v := range p.Value.Get("toolResult").Get("content").Elements() {
			if v := v.Get("json"); c.provider == BedrockConverse && v.Exists() && v.Kind() != jsonstream.Object {
				c.report("shape", v, "the json of a result must be an object: found %s; put it into an object, or convert it to a text", finding.KindName(v.Kind()))
			}
		}
	}
}

// isListed reports whether a call in the content of a turn is also in its tool_calls, from which LangChain sends
// the arguments. Arguments in the content may be pieces of a stream.
func isListed(t conversation.Turn, p conversation.Part) bool {
	if p.Value.Parent().Name() != "content" {
		return false
	}
	for _, call := range t.Item().Get("tool_calls").Elements() {
		if call.Get("id").Text() == p.ID.Text() && call.Get("args").Kind() == jsonstream.Object {
			return true
		}
	}
	return false
}

// checkArguments reports arguments of a call with a wrong type: the provider requires an object, OpenAI a
// string.
func (c *checker) checkArguments(p conversation.Part) {
	function, name := p.Value, "input"
	switch {
	case p.Value.Get("function").Exists():
		function, name = p.Value.Get("function"), "arguments"
	case p.Value.Get("functionCall").Exists():
		function, name = p.Value.Get("functionCall"), "args"
	case p.Value.Get("toolUse").Exists():
		function = p.Value.Get("toolUse")
	case p.Value.Get("type").Text() == "function_call":
		name = "arguments"
	}
	arguments, kind := function.Get(name), p.Value.Get("type").Text()
	if raw := p.Value.Get("rawInput"); !arguments.Exists() && raw.Exists() { // the AI SDK sends it instead
		arguments, name = raw, "rawInput"
	}
	switch {
	case c.wrapsInput(kind) && arguments.Kind() == jsonstream.String:
	case !arguments.Exists() && (kind == "tool_use" || kind == "tool-call" || strings.HasPrefix(kind, "tool-") && p.Value.Get("state").Text() != "input-streaming"):
		c.report("shape", p.Value, "the tool call has no %s; add it, as an empty object if the tool has no parameters", name)
	case !arguments.Exists() || name == "input" && !c.native && c.is(OpenAIChat, OpenAIResponses) && arguments.Kind() == jsonstream.Object:
	case name == "arguments" && arguments.Kind() == jsonstream.Object && p.Value.Parent().Name() == "contents": // Agent Framework sends its text
	case name == "arguments" && arguments.Kind() != jsonstream.String:
		c.report("shape", arguments, "the arguments of a call must be a string of JSON: found %s; convert them", finding.KindName(arguments.Kind()))
	case name != "arguments" && arguments.Kind() != jsonstream.Object && p.Value.Get("type").Text() != "custom_tool_call":
		c.report("shape", arguments, "the %s of a call must be an object: found %s; convert it", name, finding.KindName(arguments.Kind()))
	}
}

// wrapsInput reports whether the AI SDK sends a text in the place of a call's input as the provider requires it, if
// the model wrote no JSON: its providers for OpenAI, Anthropic and Bedrock do (@ai-sdk/anthropic 4.0.105:
// rawInvalidInput), the one for Google does not.
func (c *checker) wrapsInput(kind string) bool {
	isCall := kind == "tool-call" || kind == "dynamic-tool" || strings.HasPrefix(kind, "tool-")
	return isCall && c.provider != Gemini
}

// checkItem reports members missing from items of the Responses API.
func (c *checker) checkItem(t conversation.Turn) {
	item := t.Item()
	switch item.Get("type").Text() {
	case "reasoning":
		if !item.Get("summary").Exists() {
			c.report("shape", item, "the reasoning has no summary; add one, which may be empty")
		}
	case "function_call_output":
		if output := item.Get("output"); output.Kind() != jsonstream.String && output.Kind() != jsonstream.Array {
			c.report("shape", orItem(output, item), "the output of a call must be a string or a list of parts: found %s; convert it", finding.KindName(output.Kind()))
		}
	}
	if calls := item.Get("tool_calls"); calls.Len() > 0 && t.Role == assistant {
		c.report("shape", calls, "the turn has calls in the form of the Chat API; make each a function_call item")
	}
}

// checkFailed reports failed results without a text, or with other content than text.
func (c *checker) checkFailed(turns []conversation.Turn) {
	if c.provider != Anthropic || !c.native {
		return
	}
	for _, t := range turns {
		for _, block := range t.Item().Get("content").Elements() {
			if block.Get("type").Text() != "tool_result" || block.Get("is_error").Kind() != jsonstream.True {
				continue
			}
			if content := block.Get("content"); content.Len() == 0 && content.Text() == "" {
				c.report("failed-result", block, "a result with is_error has no content; add a text that says what failed")
			}
			for _, part := range block.Get("content").Elements() {
				if kind := part.Get("type"); kind.Text() != "text" {
					c.report("failed-result", part, "a result with is_error has other content than text: found %s; move it behind the result", finding.QuoteValue(kind))
				}
			}
		}
	}
}
