package validate

import (
	"strings"
	"testing"
)

// Unknown members are expected from a later minor version: a warning in 2.0 and an error in
// strict mode. Turns, the state and extensions are open.
func TestUnknownMembers(t *testing.T) {
	unknown := func(version string) string {
		return edited(t, exampleText(t), "/schemaVersion", func(root map[string]any, name string) {
			root[name] = version
			root["priority"] = "high"
			root["toAgent"].(map[string]any)["region"] = "eu"
			root["relevantContext"].([]any)[1].(map[string]any)["page"] = 7
			root["conversationHistoryVerbatim"].([]any)[0].(map[string]any)["name"] = "kept"
		})
	}
	for _, tt := range []struct {
		version  string
		strict   bool
		findings int
		valid    bool
	}{
		{version: "2.0", findings: 3, valid: true},
		{version: "2.0", strict: true, findings: 3},
		{version: "2.1", findings: 3, valid: true},
		{version: "2.2", valid: true},
		{version: "2.2", strict: true, valid: true},
	} {
		text := unknown(tt.version)
		r := check(t, parseMessage(t, text), Options{Strict: tt.strict})
		if r.Valid != tt.valid || len(r.Findings) != tt.findings {
			t.Errorf("%s, strict %v: got %+v", tt.version, tt.strict, r)
		}
		for _, f := range r.Findings {
			if f.Rule != "schema/unknown-member" || f.Line != lineOf(t, text, f.Pointer) || !strings.HasPrefix(f.Message, "unknown member ") {
				t.Errorf("got %+v", f)
			}
		}
	}
}

// A misspelt member is one finding, at the member, with a suggestion.
func TestMisspeltMembers(t *testing.T) {
	for right, wrong := range map[string]string{
		"/taskDescription":                       "taskDescripton",
		"/handoffId":                             "handoffID",
		"/traceparent":                           "trace_parent",
		"/costTracking/costBudgetRemainingUSD":   "costBudgetRemainingUsd",
		"/costTracking/tokenSpent/completion":    "completions",
		"/relevantContext/0/excerpt":             "excerp",
		"/conversationHistoryVerbatim/0/content": "contents",
		"/fromAgent/executionId":                 "exectuionId",
		"/conversationHistorySummary":            "conversation_history_summary",
		"/remainingSubtasks/1/subtaskId":         "subTaskId",
	} {
		text := edited(t, exampleText(t), right, func(parent map[string]any, name string) {
			parent[wrong] = parent[name]
			delete(parent, name)
		})
		holder, name := right[:strings.LastIndexByte(right, '/')], right[strings.LastIndexByte(right, '/')+1:]
		r := check(t, parseMessage(t, text), Options{})
		if len(r.Findings) != 1 || r.Reason != SchemaInvalid {
			t.Errorf("%s: got %+v, want one finding", wrong, r)
			continue
		}
		want := `the required member "` + name + `" is missing; found "` + wrong + `": did you mean "` + name + `"?`
		if f := r.Findings[0]; f.Message != want || f.Pointer != holder+"/"+wrong || f.Line != lineOf(t, text, holder+"/"+wrong) {
			t.Errorf("got %+v, want %s", f, want)
		} else if f.Missing != name || f.Meant != name {
			t.Errorf("%s: %q is missing, %q is meant, want %s", wrong, f.Missing, f.Meant, name)
		}
	}
	r := check(t, with(t, "/signatureKeyID", `"k"`), Options{})
	if want := `unknown member "signatureKeyID": did you mean "signatureKeyId"?`; len(r.Findings) != 1 || r.Findings[0].Message != want || r.Findings[0].Meant != "signatureKeyId" {
		t.Errorf("got %+v, want %s", r, want)
	}
}
