package provider

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
)

// TestPartTypes checks that a part type of another API is a fault, and that a part type of no known API is not.
func TestPartTypes(t *testing.T) {
	tests := []struct {
		p          Provider
		role, kind string
		rejected   bool
	}{
		{OpenAIChat, "user", "text", false}, {OpenAIChat, "user", "image_url", false}, {OpenAIChat, "user", "input_text", true},
		{OpenAIChat, "user", "image", true}, {OpenAIChat, "user", "tool_use", true}, {OpenAIChat, "assistant", "thinking", true},
		{OpenAIChat, "assistant", "image_url", true}, {OpenAIChat, "system", "image_url", true}, {OpenAIChat, "developer", "text", false},
		{OpenAIChat, "user", "hologram", false}, {OpenAIChat, "assistant", "refusal", false},
		{OpenAIResponses, "user", "input_text", false}, {OpenAIResponses, "user", "text", true}, {OpenAIResponses, "assistant", "text", true},
		{OpenAIResponses, "assistant", "output_text", false}, {OpenAIResponses, "user", "output_text", true}, {OpenAIResponses, "user", "image_url", true},
		{Anthropic, "user", "image_url", true}, {Anthropic, "user", "input_text", true}, {Anthropic, "user", "hologram", false},
		{Anthropic, "assistant", "tool-call", true}, {Anthropic, "user", "search_result", false},
	}
	for _, tt := range tests {
		text := `[{"role":"user","content":"Hello?"},{"role":"` + tt.role + `","content":[{"type":"` + tt.kind + `","text":"Hello?"}]}]`
		rejected := false
		for _, id := range found(t, tt.p, text, format.Format(tt.p)) {
			rejected = rejected || strings.HasPrefix(id, string(tt.p)+"/shape /1/content/0/type")
		}
		if rejected != tt.rejected {
			t.Errorf("%s, a %s of the %s: rejected is %v", tt.p, tt.kind, tt.role, rejected)
		}
	}
}

// TestInputText checks that an input string is accepted as a turn of the user.
func TestInputText(t *testing.T) {
	if got := found(t, OpenAIResponses, `{"model":"gpt-5","input":"Hello?"}`, ""); got != nil {
		t.Errorf("found %q", got)
	}
}
