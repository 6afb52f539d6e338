package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
)

// TestSystemTurnByModel: a system turn after a turn of the user is taken by the models that have the role.
func TestSystemTurnByModel(t *testing.T) {
	for _, tt := range []struct {
		model, messages string
		want            bool
	}{
		{"claude-opus-4-8", `{"role":"user","content":"a"},{"role":"system","content":"b"}`, false},
		{"us.anthropic.claude-opus-5-0", `{"role":"user","content":"a"},{"role":"system","content":"b"},{"role":"assistant","content":"c"},{"role":"user","content":"d"}`, false},
		{"claude-opus-4-8", `{"role":"system","content":"b"},{"role":"user","content":"a"}`, true},
		{"claude-opus-4-8", `{"role":"user","content":"a"},{"role":"system","content":"b"},{"role":"user","content":"c"}`, true},
		{"claude-opus-4-1", `{"role":"user","content":"a"},{"role":"system","content":"b"}`, true},
		{"claude-opus-4-20250514", `{"role":"user","content":"a"},{"role":"system","content":"b"}`, true},
	} {
		text := `{"model":"` + tt.model + `","messages":[` + tt.messages + `]}`
		found := found(t, Anthropic, text, format.Anthropic)
		if got := slices.ContainsFunc(found, func(id string) bool { return strings.HasPrefix(id, "anthropic/system-turn ") }); got != tt.want {
			t.Errorf("%s: found %q", text, found)
		}
	}
}
