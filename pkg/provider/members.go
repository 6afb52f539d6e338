package provider

import (
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkMembers reports the members of messages and blocks that Anthropic's API does not know. The programs that
// store a message in several lines send only its content.
func (c *checker) checkMembers(turns []conversation.Turn) {
	if c.provider != Anthropic || !c.native || c.divided {
		return
	}
	for _, t := range turns {
		c.checkKnown(t.Item(), []string{"role", "content"})
		for _, block := range t.Item().Get("content").Elements() {
			c.checkKnown(block, blockMembers(block.Get("type").Text()))
			for _, inner := range block.Get("content").Elements() {
				c.checkKnown(inner, blockMembers(inner.Get("type").Text()))
			}
		}
	}
}

// blockMembers returns the names of the members of a type of block, in the types of @anthropic-ai/sdk 1.14.0; nil for a
// type that may have others.
func blockMembers(kind string) []string {
	switch kind {
	case "text":
		return []string{"type", "text", "cache_control", "citations"}
	case "image":
		return []string{"type", "source", "cache_control", "transformations"}
	case "document":
		return []string{"type", "source", "cache_control", "citations", "context", "title"}
	case "thinking":
		return []string{"type", "thinking", "signature"}
	case "redacted_thinking":
		return []string{"type", "data"}
	case "tool_use":
		return []string{"type", "id", "name", "input", "cache_control", "caller", "toolset_name"}
	case "tool_result":
		return []string{"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"}
	}
	return nil
}

func (c *checker) checkKnown(v jsonstream.Value, known []string) {
	if known == nil || v.Kind() != jsonstream.Object {
		return
	}
	for name, member := range v.Members() {
		if !slices.Contains(known, name) && name != "cache_control" { // see cache-point
			c.report("extra-member", member, "the API does not accept the member %s; remove it", finding.Quote(name))
		}
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
