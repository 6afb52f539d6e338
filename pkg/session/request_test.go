package session

import "testing"

// TestRequest checks which texts in the user's name are the user's: an element with a name that the agent does not use
// is.
func TestRequest(t *testing.T) {
	for text, want := range map[string]struct{ claude, codex bool }{
		"Fix the lamp.":                                     {true, true},
		"<div>Why is this empty?</div>":                     {true, true},
		"<task>Fix the lamp.</task>":                        {true, true},
		"<command-name>/clear</command-name>":               {false, true},
		"\n<local-command-stdout></local-command-stdout>":   {false, true},
		"<channel source=\"chat\">Hello</channel>":          {false, true},
		"<channels are blocked":                             {true, true},
		"[Request interrupted by user]":                     {false, true},
		"<environment_context>\n</environment_context>":     {true, false},
		"# AGENTS.md instructions for /work\n\nUse no tabs": {true, false},
		"# AGENTS.md is missing":                            {true, true},
		" ":                                                 {false, false},
	} {
		if got := isRequest(text); got != want.claude {
			t.Errorf("Claude Code: %q: got %v, want %v", text, got, want.claude)
		}
		if got := isCodexText(text); got != want.codex {
			t.Errorf("Codex: %q: got %v, want %v", text, got, want.codex)
		}
	}
}
