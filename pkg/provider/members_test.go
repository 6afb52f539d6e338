package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
)

// TestBlockMembers compares the members of blocks with the types of the SDK.
func TestBlockMembers(t *testing.T) {
	if !tier.Full() {
		t.Skip("needs the SDK: set FULL_TESTS=1")
	}
	types, err := os.ReadFile(filepath.Join(filepath.Dir(oracle.Install(t)), "node_modules/@anthropic-ai/sdk/resources/messages/messages.d.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for kind, name := range map[string]string{
		"text": "TextBlockParam", "image": "ImageBlockParam", "document": "DocumentBlockParam", "thinking": "ThinkingBlockParam",
		"redacted_thinking": "RedactedThinkingBlockParam", "tool_use": "ToolUseBlockParam", "tool_result": "ToolResultBlockParam",
	} {
		declaration := regexp.MustCompile(`(?s)export interface ` + name + ` \{\n(.*?)\n\}`).FindSubmatch(types)
		if declaration == nil {
			t.Errorf("%s is not in the types", name)
			continue
		}
		var want []string
		for _, member := range regexp.MustCompile(`(?m)^    (\w+)\??:`).FindAllSubmatch(declaration[1], -1) {
			want = append(want, string(member[1]))
		}
		have := blockMembers(kind)
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("%s has the members %q, and the SDK %q", kind, have, want)
		}
	}
}
