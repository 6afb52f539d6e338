package safety

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestAllowance(t *testing.T) {
	tests := []struct {
		text, rule, pointer string
		want                bool
	}{
		{"chat-template", "chat-template", "/a", true},
		{"chat-template", "pwned", "/a", false},
		{"/a/b", "pwned", "/a/b", true},
		{"/a/b", "pwned", "/a/b/c", false},
		{"/a/*", "pwned", "/a/b", true},
		{"/a/*", "pwned", "/a", false},
		{"/a/**", "pwned", "/a", true},
		{"/a/**", "pwned", "/a/b/c", true},
		{"/**/text", "pwned", "/a/0/text", true},
		{"/**/x/**/y", "pwned", "/x/x/z/y", true},
		{"/**/x/**/y", "pwned", "/y/x", false},
		{"/a~1b", "pwned", "/a~1b", true},
		{"pwned@/a/*", "pwned", "/a/b", true},
		{"pwned@/a/*", "chat-template", "/a/b", false},
		{"pwned", "safety/pwned", "/a", true},
		{"safety/pwned", "safety/pwned", "/a", true},
		{"safety/pwned@/a/*", "safety/pwned", "/a/b", true},
		{"safety/pwned@/a/*", "safety/pwned", "/b", false},
		{"instruction-override/pwned@/a", "safety/pwned", "/a", true}, // the form of an earlier version
		{"safety/pwned", "safety/chat-template", "/a", false},
	}
	for _, tt := range tests {
		a, err := ParseAllowance(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		tokens, _ := jsonstream.SplitPointer(tt.pointer)
		if got := a.allows(tt.rule, tokens); got != tt.want || a.String() != tt.text {
			t.Errorf("%q of %s at %q: %v", a, tt.rule, tt.pointer, got)
		}
	}
	if (Allowance{}).allows("pwned", nil) {
		t.Error("the zero allowance allows something")
	}
}

func TestAllowanceErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":           "neither a rule",
		"Not A Rule": "neither a rule",
		"@/a":        "no rule before the @",
		"/a~2":       "write ~ as ~0",
		"rule@a":     "neither a rule",
		"a/b/c":      "neither a rule",
	} {
		if _, err := ParseAllowance(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
