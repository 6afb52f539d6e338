package sign

import (
	"testing"
)

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"planner", "planner", true},
		{"planner", "planner-2", false},
		{"planner", "a-planner", false},
		{"planner", "Planner", false},
		{"*", "", true},
		{"*", "anyone", true},
		{"planner-*", "planner-eu", true},
		{"planner-*", "planner-", true},
		{"planner-*", "planner", false},
		{"*@eu", "planner@eu", true},
		{"*@eu", "planner@eu.example.com", false},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"a*a", "a", false},
		{"a**a", "aa", true},
		{"*ab*ab*", "abab", true},
		{"*ab*ab*", "aba", false},
		{"[a-z].?", "b.c", false},
		{"[a-z].?", "[a-z].?", true},
		{"", "", true},
		{"", "a", false},
	} {
		if got := matches(tt.pattern, tt.text); got != tt.want {
			t.Errorf("matches(%q, %q) = %v", tt.pattern, tt.text, got)
		}
	}
}

// An empty Trust differs from a nil one, and a binding of an unknown key has no effect.
func TestWithTrust(t *testing.T) {
	v, k := verifier(t)
	signed := parse(t, mustSign(t, `{"fromAgent":{"agentId":"a"}}`, k))
	if _, err := v.Verify(signed); err != nil {
		t.Error(err)
	}
	for _, trust := range []Trust{{}, {{KeyID: "", Agents: []string{"*"}}}, {{KeyID: "other", Agents: []string{"*"}}}} {
		if _, err := v.WithTrust(trust).Verify(signed); err == nil {
			t.Errorf("a key without a binding is trusted: %+v", trust)
		}
	}
	if !v.HasKey("k") || v.HasKey("") || v.HasKey("absent") {
		t.Error("HasKey is wrong")
	}
}
