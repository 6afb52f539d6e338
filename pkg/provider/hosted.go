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
	}
}

// checkServerTools applies the rules of Anthropic: a result follows its call in the message of the call. The
// last message may be paused before its results. If a message also calls tools of the client, the API runs its
// own tools after it has their results: its results are in a later message.
func (c *checker) checkServerTools() {
	waiting := map[string]bool{} // calls that wait for results of the client
	for i := range c.messages {
		m := &c.messages[i]
		open := map[string]part{}
		for _, p := range m.parts {
			id := p.ID.Text()
			switch {
			case p.Kind == conversation.Call && p.Hosted && id != "":
				open[id] = p
			case p.Kind == conversation.Result && p.Hosted && id != "":
				call, ok := open[id]
				switch {
				case ok && isResultOf(call, p):
					delete(open, id)
				case !ok && waiting[id]:
					delete(waiting, id)
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

// checkToolSearches applies the rule of the Responses API: a tool search that the provider runs has no id,
// and its output follows it.
func (c *checker) checkToolSearches() {
	open := jsonstream.Value{}
	unanswered := func() {
		if open.Exists() {
			c.report("call-without-result", open, "the tool search has no result: no tool_search_output follows it; add its output, or remove the call")
		}
		open = jsonstream.Value{}
	}
	for i := range c.messages {
		for _, p := range c.messages[i].parts {
			switch p.Value.Get("type").Text() {
			case "tool_search_call":
				unanswered()
				if p.Hosted && p.ID.Text() == "" {
					open = p.Value
				}
			case "tool_search_output":
				if p.Hosted && p.ID.Text() == "" && !open.Exists() {
					c.report("result-without-call", p.Value, "the result of a tool search has no call: no tool_search_call precedes it; add the call, or remove the result")
				}
				open = jsonstream.Value{}
			}
		}
	}
	unanswered()
}
