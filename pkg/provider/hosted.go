package provider

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkHosted reports calls to tools that the provider runs without their results, and results without their
// calls.
func (c *checker) checkHosted() {
	switch {
	case c.provider == Anthropic:
		c.checkServerTools()
	case c.provider == OpenAIResponses && c.native:
		c.checkToolSearches()
	case !c.is(BedrockConverse):
		c.checkServed()
	}
}

// checkServed reports calls of the AI SDK to a tool that another provider ran. @ai-sdk/google 4.0.121 sends them without
// their results, and so do the packages for chat completions except @ai-sdk/xai. @ai-sdk/openai 4.0.118 sends the id of
// the call as that of an item that the Responses API stored.
func (c *checker) checkServed() {
	for _, m := range c.messages {
		for _, p := range m.parts {
			if p.Kind != conversation.Call || p.Value.Get("providerExecuted").Kind() != jsonstream.True {
				continue
			}
			if c.provider == Gemini && isGoogleTool(p) || c.provider == OpenAIResponses && !strings.Contains(p.ID.Text(), "toolu_") { // Anthropic's
				continue
			}
			c.reportAs(finding.Warning, "call-without-result", p.ID, "another provider ran the tool, and the AI SDK does not send its result: found the call %s; convert the history to the format of the API, or remove the call and its result", finding.QuoteValue(p.ID))
		}
	}
}

// isGoogleTool reports whether the AI SDK sends a call and its result to Gemini as those of a tool of Google.
func isGoogleTool(call part) bool {
	if call.Tool() == "code_execution" {
		return true
	}
	for _, name := range []string{"providerOptions", "callProviderMetadata"} {
		for _, options := range call.Value.Get(name).Members() {
			if options.Get("serverToolCallId").Exists() {
				return true
			}
		}
	}
	return false
}

// checkServerTools applies the rules of Anthropic: a result follows its call in the message of the call. The
// last message may be paused before its results. If a message also calls tools of the client, the API runs its
// own tools after it has their results: its results are in a later message.
func (c *checker) checkServerTools() {
	waiting := map[string]bool{} // calls that wait for results of the client
	for i := range c.messages {
		m := &c.messages[i]
		open, answered := map[string]part{}, map[string]part{}
		for _, p := range m.parts {
			id := p.ID.Text()
			switch {
			case p.Kind == conversation.Call && p.Hosted && id != "":
				open[id] = p
			case p.Kind == conversation.Result && p.Hosted && id != "":
				call, ok := open[id]
				first, again := answered[id]
				switch {
				case ok && isResultOf(call, p):
					delete(open, id)
					answered[id] = p
				case !ok && waiting[id]:
					delete(waiting, id)
					answered[id] = p
				case again:
					c.report("repeated-result", p.ID, "the call to a server tool has two results: the first result for %s is at %s; keep one of them", finding.QuoteValue(p.ID), first.Value.Pointer())
				default:
					c.report("result-without-call", p.ID, "the tool result has no call: no call to a server tool before it in its message has the id %s; remove it, or fix the history with handoff repair", finding.QuoteValue(p.ID))
				}
			}
		}
		if i == len(c.messages)-1 && !c.stretch.more {
			return
		}
		calls := m.calls()
		for _, p := range m.parts {
			switch id := p.ID.Text(); {
			case p.Kind != conversation.Call || open[id].Value != p.Value:
			case calls:
				waiting[id] = true
			default:
				c.report("call-without-result", p.ID, "the call to a server tool has no result: nothing in its message answers %s; add its result, or fix the history with handoff repair", finding.QuoteValue(p.ID))
			}
		}
	}
}

// isResultOf reports whether a result has the type of the results of a call, in Anthropic's own format.
func isResultOf(call, result part) bool {
	kind := call.Value.Get("type").Text()
	t := conversation.TypeNamed(kind)
	if kind != "server_tool_use" && kind != "mcp_tool_use" || t == nil {
		return true
	}
	got := result.Value.Get("type").Text()
	if want := conversation.ServerToolResult(call.Tool()); conversation.TypeNamed(want) != nil {
		return got == want
	}
	return slices.Contains(strings.Fields(t.Results), got)
}

// checkToolSearches applies the rule of the Responses API: a tool search that the provider runs has no id, and its
// output follows it. Several searches may be followed by their outputs in the same order.
func (c *checker) checkToolSearches() {
	var open []jsonstream.Value      // calls without an output
	searching, found := false, false // whether the last item was a call, an output
	unanswered := func() {
		for _, call := range open {
			c.report("call-without-result", call, "the tool search has no result: no tool_search_output follows it; add its output, or remove the call")
		}
		open = nil
	}
	for i := range c.messages {
		for _, p := range c.messages[i].parts {
			kind, hosted := p.Value.Get("type").Text(), p.Hosted && p.ID.Text() == ""
			switch {
			case kind == "tool_search_call":
				if !searching {
					unanswered()
				}
				if hosted {
					open = append(open, p.Value)
				}
			case kind == "tool_search_output" && !hosted:
			case kind == "tool_search_output" && len(open) > 0:
				open = open[1:]
			case kind == "tool_search_output":
				c.report("result-without-call", p.Value, "the result of a tool search has no call: no tool_search_call precedes it; add the call, or remove the result")
			case found:
				unanswered()
			}
			searching, found = kind == "tool_search_call", kind == "tool_search_output"
		}
	}
	unanswered()
}
