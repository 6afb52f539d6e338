package provider

import (
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// checkMembers reports the members of messages and blocks that Anthropic's API does not know. Agents that store other
// members in their sessions do not send them.
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
