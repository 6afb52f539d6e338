package provider

import (
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkRequest reports faults of the members beside the turns: calls without definitions of tools, two tools with
// one name, a choice of a tool that is not defined or not allowed, and turns that the model does not take.
func (c *checker) checkRequest() {
	switch c.provider {
	case Anthropic:
		c.checkChoice()
		c.checkToolNames()
	case Gemini:
		c.checkToolNames()
	case BedrockConverse:
		c.checkDefinitions()
		c.checkMixedTurns()
	}
}

// checkDefinitions reports the first call of a whole request, which names its model, without definitions of
// tools.
func (c *checker) checkDefinitions() {
	if !c.request.Get("modelId").Exists() || c.request.Get("toolConfig").Exists() {
		return
	}
	for i := range c.messages {
		for _, p := range c.messages[i].parts {
			if p.Kind == conversation.Call && !p.Hosted {
				c.report("tools", p.Value, "the request has a tool call but no tool definitions; define the tool %s", finding.Quote(p.Tool()))
				return
			}
		}
	}
}

// checkChoice reports a choice of tool that Anthropic does not take.
func (c *checker) checkChoice() {
	choice := c.request.Get("tool_choice")
	kind := choice.Get("type").Text()
	if thinking := c.request.Get("thinking").Get("type").Text(); (kind == "any" || kind == "tool") && (thinking == "enabled" || thinking == "adaptive") {
		c.report("tool-choice", choice, "tool_choice forces a call while thinking is on: found %s; use auto or none, or turn thinking off", finding.QuoteValue(choice.Get("type")))
	}
	if kind != "tool" {
		return
	}
	for _, tool := range c.request.Get("tools").Elements() {
		if tool.Get("name").Text() == choice.Get("name").Text() {
			return
		}
	}
	c.report("tool-choice", choice, "tool_choice names a tool that is not defined: found %s; define it in tools, or choose another", finding.QuoteValue(choice.Get("name")))
}

// checkMixedTurns reports turns with results and other content for models that do not take both.
func (c *checker) checkMixedTurns() {
	model := c.request.Get("modelId").Text()
	if model == "" || strings.Contains(model, "anthropic.") || strings.Contains(model, "amazon.nova") {
		return
	}
	for i := range c.messages {
		m := &c.messages[i]
		if m.role != assistant && m.has(conversation.Result) && !m.onlyResults() {
			c.report("mixed-turn", m.turn.Value, "the turn has results and other content, which some models reject: the model is %s; put the other content into a separate turn after a turn of the assistant", finding.QuoteValue(c.request.Get("modelId")))
		}
	}
}

// checkToolNames reports tools of a request with the name of another one.
func (c *checker) checkToolNames() {
	known := map[string]jsonstream.Value{}
	check := func(name jsonstream.Value) {
		first, again := known[name.Text()]
		if again {
			c.report("repeated-tool", name, "two tools have the same name: found %s, also at %s; remove or rename one", finding.QuoteValue(name), first.Pointer())
		} else if name.Text() != "" {
			known[name.Text()] = name
		}
	}
	for _, tool := range c.request.Get("tools").Elements() {
		if c.provider == Anthropic {
			check(tool.Get("name"))
		}
		for _, list := range []string{"functionDeclarations", "function_declarations"} {
			for _, function := range tool.Get(list).Elements() {
				check(function.Get("name"))
			}
		}
	}
}
