package macp

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestIsCamel compares the comparison of spellings with the spelling itself.
func TestIsCamel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-c]{1,2}(_[a-c]{1,2}){0,3}`).Draw(t, "name")
		text := rapid.OneOf(rapid.Just(name), rapid.Just(camel(name)), rapid.StringMatching(`[a-cA-C_]{0,6}`)).Draw(t, "text")
		want := strings.Contains(name, "_") && text == camel(name)
		if got := isCamel(text, name); got != want {
			t.Errorf("isCamel(%q, %q) = %v, want %v", text, name, got, want)
		}
	})
}
