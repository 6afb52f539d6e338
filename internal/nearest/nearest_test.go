package nearest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/nearest"
)

func ExampleName() {
	commands := []string{"sign", "scan", "schema", "send"}
	fmt.Println(nearest.Name("shcema", commands))
	fmt.Println(nearest.Suggestion("sgin", commands))
	// Output:
	// schema
	// : did you mean "sign"?
}

func TestSuggestions(t *testing.T) {
	for _, tt := range []struct {
		given string
		want  string
	}{
		{given: "agent_type", want: "agentType"}, {given: "AGENTTYPE", want: "agentType"}, {given: "agnetType", want: "agentType"},
		{given: "agentTypes", want: "agentType"}, {given: "agntTpe", want: "agentType"}, {given: "agent-version", want: "agentVersion"},
		{given: "tool", want: ""}, {given: "agentType", want: ""}, {given: "", want: ""}, {given: strings.Repeat("a", 65), want: ""},
	} {
		got := nearest.Suggestion(tt.given, []string{"agentType", "agentVersion", "to"})
		if want := fmt.Sprintf(": did you mean %q?", tt.want); got != want && (tt.want != "" || got != "") {
			t.Errorf("%q: got %q, want %q", tt.given, got, tt.want)
		}
	}
}
