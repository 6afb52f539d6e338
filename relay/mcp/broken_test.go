package mcp_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/eaapl/handoff/relay/mcp"
)

// TestBuildProblems builds from the states of the script for the command line, and checks that the tool reports
// the same, with its own arguments instead of flags.
func TestBuildProblems(t *testing.T) {
	script, err := txtar.ParseFile("../../testdata/script/build-mistakes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range script.Files {
		files[f.Name] = string(f.Data)
	}
	asCommand := strings.NewReplacer("or name it with fromAgentId and fromAgentVersion", "or name it with --from ID@VERSION", "or name it with toAgentType", "or name it with --to TYPE")
	rule := regexp.MustCompile(`(?m) \[[a-z]+/[A-Za-z]+\]$`)
	s := connect(t, mcp.Options{})
	for _, name := range []string{"state", "texts", "versions", "empty"} {
		got, failed := call(t, s, "build", `{"stateText":`+quote(files[name+".json"])+`}`)
		want, _, ok := strings.Cut(files[name+".want"], "handoff: hint: ")
		want = regexp.MustCompile(`(?m)^handoff: [a-z.]+:(\d+):(\d+): `).ReplaceAllString(want, "line $1, column $2: ")
		if got = asCommand.Replace(rule.ReplaceAllString(got, "")) + "\n"; !failed || !ok || got != want {
			t.Errorf("of %s.json, the tool says\n%sand the command line\n%s", name, got, want)
		}
	}
	for _, tt := range []struct{ name, arguments, want string }{
		{"without a budget", `{"stateText":` + quote(files["exhausted.json"]) + `,"fromAgentId":"planner","fromAgentVersion":"1.0.0","toAgentType":"scorer"}`,
			"line 2, column 22: /completedSubtasks: no completed .*\nthe budget is exhausted: .*, or hand over anyway with allowExhausted"},
		{"of a bad parent", `{"state":` + files["fixed.json"] + `,"parent":{}}`, "^the parent: line 1, column 1: .*\nthe parent: line 1, column 1: "},
		{"of a parent that is none", `{"state":` + files["fixed.json"] + `,"parentText":"{"}`, "^the parent: "},
		{"rejected", `{"state":` + files["fixed.json"] + `,"toAgentType":"scorer","toAgentVersion":"latest"}`, `^the message would be rejected: SCHEMA_INVALID: /toAgent/agentVersion: .* \[schema/format\]$`},
	} {
		if got, failed := call(t, s, "build", tt.arguments); !failed || !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// TestConvertBroken converts messages that violate the schema of their own format, and checks that all
// violations are reported with their places, even if the conversion would find only some of them.
func TestConvertBroken(t *testing.T) {
	s := connect(t, mcp.Options{})
	for _, tt := range []struct{ name, source, want string }{
		{"missing and of a wrong type", "{\"input_history\":5,\n\"pre_handoff_items\":[],\"new_items\":[7]}",
			"line 1, column 18: /input_history: expected .* \\[schema/[a-zA-Z]+\\]\nline 2, column \\d+: /new_items/0: .*\nfix it, or convert it anyway with lenient$"},
		{"of a wrong type", strings.Replace(example(t, "message"), `"constraints": [`, `"constraints": 7, "x": [`, 1),
			"^line \\d+, column \\d+: /constraints: expected array: found the number 7 \\[schema/type\\]\nfix it"},
		{"a fixture", `{"mode":"macp.mode.handoff.v1","messages":[{"sender":"a","expect":"accept"}]}`, "/messages: a conformance fixture .* \\[schema/fixture\\]$"},
	} {
		got, failed := call(t, s, "convert", `{"text":`+quote(tt.source)+`,"to":"sw4rm-context"}`)
		if !failed || !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
