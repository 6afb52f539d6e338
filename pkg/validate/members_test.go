package validate

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
)

const (
	zero32 = "00000000000000000000000000000000"
	zero16 = "0000000000000000"
	hex64  = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

// The rules of the members: each value put into the example message, and the keyword of its
// only finding, "" for none.
func TestMemberRules(t *testing.T) {
	type row struct {
		value string // JSON
		want  string // keyword
		says  string // in the finding's message
	}
	for pointer, rows := range map[string][]row{
		"/handoffId": {
			{value: `"6e7f936b-cafd-4624-8754-0bafc4e8acb3"`},
			{value: `"6E7F936B-CAFD-4624-B754-0BAFC4E8ACB3"`}, // RFC 9562, section 4: read in either case
			{value: `"6e7f936b-cafd-1624-8754-0bafc4e8acb3"`, want: "pattern", says: "UUID version 4"},
			{value: `"0190b5c1-7b1a-7cc3-98c4-dc0c0c07398f"`, want: "pattern", says: "UUID version 4"}, // version 7
			{value: `"6e7f936b-cafd-4624-7754-0bafc4e8acb3"`, want: "pattern"},                         // another variant
			{value: `"6e7f936bcafd462487540bafc4e8acb3"`, want: "pattern"},
			{value: `"{6e7f936b-cafd-4624-8754-0bafc4e8acb3}"`, want: "pattern"},
			{value: `"urn:uuid:6e7f936b-cafd-4624-8754-0bafc4e8acb3"`, want: "pattern"},
			{value: `"6e7f936b-cafd-4624-8754-0bafc4e8acb3\n"`, want: "pattern"},
			{value: `"00000000-0000-0000-0000-000000000000"`, want: "pattern"},
			{value: `""`, want: "pattern"},
		},
		"/taskId":                {{value: `"contract-17"`, want: "pattern", says: `write it like "6f9619ff-`}},
		"/fromAgent/executionId": {{value: `"run 1"`, want: "pattern"}},
		"/parentHandoffId": {
			{value: `null`},
			{value: `"6e7f936b-cafd-4624-8754-0bafc4e8acb3"`},
			{value: `"6e7f936b-cafd-1624-8754-0bafc4e8acb3"`, want: "pattern", says: "UUID version 4 or null"},
			{value: `""`, want: "pattern"},
		},
		"/fromAgent/agentId":   {{value: `"a"`}, {value: `""`, want: "minLength", says: "must not be empty"}},
		"/toAgent/agentType":   {{value: `""`, want: "minLength"}},
		"/taskDescription":     {{value: `"INITIAL"`}, {value: `""`, want: "minLength"}},
		"/constraints/0":       {{value: `"a:b"`}, {value: `1`, want: "type"}, {value: `null`, want: "type"}},
		"/currentState":        {{value: `{}`}, {value: `{"any":[{"thing":1e400}]}`}, {value: `[]`, want: "type"}},
		"/signatureKeyId":      {{value: `"k1"`}, {value: `1`, want: "type"}},
		"/extensions":          {{value: `{"a":{"b":[]}}`}, {value: `"x"`, want: "type"}},
		"/personalDataPayload": {{value: `{"name":"A. N. Other"}`}, {value: `[]`, want: "type"}},
		"/fromAgent/agentVersion": { // Semantic Versioning 2.0.0
			{value: `"0.0.0"`}, {value: `"1.2.3-alpha.1+build.5"`}, {value: `"1.0.0--"`}, {value: `"99999999999999999999.0.0"`},
			{value: `"1.2"`, want: "pattern", says: `not a valid semantic version: found "1.2"; write it like "2.1.0"`},
			{value: `"v1.2.3"`, want: "pattern"}, {value: `"01.2.3"`, want: "pattern"}, {value: `"1.2.3-01"`, want: "pattern"},
			{value: `"1.2.3-"`, want: "pattern"}, {value: `"latest"`, want: "pattern"}, {value: `""`, want: "pattern"},
		},
		"/toAgent/agentVersion": { // a range that parses
			{value: `">=1.5.0"`}, {value: `"^2"`}, {value: `"1.x"`}, {value: `">=1.2 <3 || 4.0.0"`}, {value: `"~1.2.3"`},
			{value: `"1.2.3"`}, {value: `"1.2 - 2.3.4"`}, {value: `"*"`}, {value: `">=1.0.0-alpha, <2"`}, {value: `"!=1.3.0"`},
			{value: `"latest"`, want: "format", says: `not a valid semantic-version range: found "latest"; write it like ">=1.5.0"`},
			{value: `""`, want: "format"}, {value: `" "`, want: "format"}, {value: `">=1.5.0 <"`, want: "format"},
			{value: `">=1.5.0 ||"`, want: "format"}, {value: `">=1.5.0 new"`, want: "format"}, {value: `"1.2.3.4"`, want: "format"},
		},
		"/timestamp": { // RFC 3339, section 5.6 and 5.7
			{value: `"2026-06-12T09:30:00Z"`}, {value: `"2026-06-12T09:30:00.123456789+05:30"`}, {value: `"2026-06-12t09:30:00z"`},
			{value: `"2016-12-31T23:59:60Z"`}, {value: `"1990-12-31T15:59:60-08:00"`}, // leap seconds
			{value: `"2026-06-12T09:30:60Z"`, want: "format"}, // not a leap second
			{value: `"2026-06-12T09:30:00"`}, {value: `"2026-06-12"`, want: "format", says: "RFC 3339 date-time with offset"},
			{value: `"2026-06-12"`, want: "format"}, {value: `"2026-06-12 09:30:00Z"`, want: "format"},
			{value: `"2026-02-30T09:30:00Z"`, want: "format"}, {value: `"2026-06-12T24:00:00Z"`, want: "format"},
			{value: `"2026-06-12T09:30:00+0530"`}, {value: `"2026-06-12T9:30:00Z"`, want: "format"},
			{value: `"yesterday"`, want: "format"}, {value: `""`, want: "format"}, {value: `1781256600`, want: "type"},
		},
		"/completedSubtasks/0/completedAt": {{value: `"soon"`, want: "format"}},
		"/toolCallHistory/0/calledAt":      {{value: `"soon"`, want: "format"}},
		"/completedSubtasks/0/subtaskId":   {{value: `""`, want: "minLength"}},
		"/completedSubtasks/0/description": {{value: `""`}},
		"/completedSubtasks/0/result":      {{value: `null`}, {value: `0.10`}, {value: `[[{}]]`}},
		"/completedSubtasks/-": {
			{value: `{"subtaskId":"s9","description":"d"}`},
			{value: `{"subtaskId":"s1","description":"d"}`, want: "uniqueKeys", says: `subtaskId "s1" is also used by /completedSubtasks/0`},
		},
		"/remainingSubtasks/-": {
			{value: `{"subtaskId":"S2","description":"d"}`},
			{value: `{"subtaskId":"s2","description":"d"}`, want: "uniqueKeys", says: `also used by /remainingSubtasks/0`},
			{value: `{"subtaskId":"\u0073\u0032","description":"d"}`, want: "uniqueKeys"},
		},
		"/relevantContext/0/relevanceScore": {
			{value: `0`}, {value: `1`}, {value: `1.0`}, {value: `0.5e0`}, {value: `1e-300`},
			{value: `1.0000000000000000000000000001`, want: "maximum", says: "must be at most 1"},
			{value: `-1e-300`, want: "minimum", says: "must be at least 0"},
			{value: `"0.9"`, want: "type"}, {value: `null`, want: "type"},
		},
		"/costTracking/costSpentSoFarUSD":     {{value: `0`}, {value: `-0`}, {value: `0.10`}, {value: `-0.01`, want: "minimum"}},
		"/costTracking/tokenSpent/prompt":     {{value: `0`}, {value: `4200.0`}, {value: `1e3`}, {value: `-1`, want: "minimum"}, {value: `0.5`, want: "type", says: "expected integer"}},
		"/toolCallHistory/0/outputTokens":     {{value: `0`}, {value: `-1`, want: "minimum"}, {value: `1.5`, want: "type"}},
		"/conversationHistoryVerbatim/0":      {{value: `{"role":"user","content":"x","name":"n","anything":{}}`}},
		"/conversationHistoryVerbatim/0/role": {{value: `"critic"`}, {value: `""`, want: "minLength"}},
		"/conversationHistoryVerbatim/0/content": {
			{value: `""`}, {value: `[]`}, {value: `[{"type":"text","text":"x"}]`},
			{value: `["x"]`, want: "type", says: "expected object"}, {value: `null`, want: "type", says: "expected string or array"},
		},
		"/toolCallHistory/0/inputHash": {
			{value: `"sha256:` + hex64 + `"`},
			{value: `"sha256:` + strings.ToUpper(hex64) + `"`, want: "pattern", says: "64 lower-case hexadecimal digits"},
			{value: `"` + hex64 + `"`, want: "pattern"}, {value: `"sha256:` + hex64 + `0"`, want: "pattern"}, {value: `"md5:0"`, want: "pattern"},
		},
		"/signature": {
			{value: `"hmac-sha256:` + hex64 + `"`},
			{value: `"hmac-sha256:` + strings.ToUpper(hex64) + `"`, want: "pattern"},
			{value: `"ed25519:` + strings.Repeat("-_Az09", 14) + `AQ"`}, {value: `"ed25519:` + strings.Repeat("A", 85) + `w"`},
			{value: `"ed25519:` + strings.Repeat("A", 85) + `B"`, want: "pattern", says: "86 characters of base64url"},
			{value: `"ed25519:` + strings.Repeat("A", 86) + `=="`, want: "pattern"}, {value: `"ed25519:` + strings.Repeat("A", 85) + `"`, want: "pattern"},
			{value: `"ed25519:` + hex64 + hex64 + `"`, want: "pattern"}, {value: `"hmac-sha256:` + strings.Repeat("A", 86) + `"`, want: "pattern"},
			{value: `"sha256:` + hex64 + `"`, want: "pattern"}, {value: `""`, want: "pattern"}, {value: `null`, want: "type"},
		},
		"/receiverList": {
			{value: `[{"agentType":"a"},{"agentType":"b","agentVersion":"^2"}]`},
			{value: `[]`, want: "minItems", says: "at least 1 element: found 0"},
			{value: `["a"]`}, {value: `[1]`, want: "type"}, {value: `[""]`, want: "minLength"}, {value: `{"agentType":"a"}`, want: "type"},
			{value: `[{"agentVersion":"1.x"}]`, want: "required"},
			{value: `[{"agentType":"a","agentVersion":"new"}]`, want: "format"},
		},
		"/traceparent": { // W3C Trace Context, section 3.2
			{value: `"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`},
			{value: `"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"`},
			{value: `"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff"`},
			{value: `"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like"`},
			{value: `"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x"`, want: "not", says: "version 00 has exactly four fields"},
			{value: `"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.x"`, want: "pattern"},
			{value: `"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`, want: "not", says: "version ff is invalid"},
			{value: `"00-` + zero32 + `-00f067aa0ba902b7-01"`, want: "not", says: "an all-zero trace-id is invalid"},
			{value: `"00-4bf92f3577b34da6a3ce929d0e0e4736-` + zero16 + `-01"`, want: "not", says: "an all-zero parent-id is invalid"},
			{value: `"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"`, want: "pattern", says: "W3C traceparent"},
			{value: `"00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01"`, want: "pattern"},
			{value: `"4bf92f3577b34da6a3ce929d0e0e4736"`, want: "pattern"}, {value: `""`, want: "pattern"},
		},
		"/schemaVersion": {
			{value: `"2.0"`}, {value: `"2.1"`}, {value: `"2.17"`},
			{value: `"3.0"`, want: "schema-version", says: "schema version 3.0, but this receiver reads 2.x"},
			{value: `"1.9"`, want: "schema-version", says: "1.9"}, {value: `"20.0"`, want: "schema-version"}, {value: `"99999999999999999999.0"`, want: "schema-version"},
			{value: `"2"`, want: "pattern", says: `write it like "2.0"`}, {value: `"2.01"`, want: "pattern"}, {value: `"02.0"`, want: "pattern"},
			{value: `"2.0.0"`, want: "pattern"}, {value: `"v2.0"`, want: "pattern"}, {value: `"2."`, want: "pattern"}, {value: `2.0`, want: "type"},
		},
	} {
		for _, tt := range rows {
			t.Run(pointer+" "+tt.value, func(t *testing.T) {
				r := check(t, with(t, pointer, tt.value), Options{Layers: []finding.Layer{finding.Schema}})
				var got []string
				for _, f := range r.Findings {
					got = append(got, ruleName(f)+": "+f.Message)
				}
				switch {
				case tt.want == "" && len(got) > 0, tt.want != "" && len(got) != 1:
					t.Errorf("got %q, want %q", got, tt.want)
				case tt.want != "" && (ruleName(r.Findings[0]) != tt.want || !strings.Contains(got[0], tt.says)):
					t.Errorf("got %q, want %s: …%s…", got, tt.want, tt.says)
				case tt.want != "" && !strings.HasPrefix(r.Findings[0].Pointer, strings.TrimSuffix(pointer, "/-")):
					t.Errorf("at %s, want %s", r.Findings[0].Pointer, pointer)
				}
			})
		}
	}
}

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
		{version: "2.1", valid: true},
		{version: "2.1", strict: true, valid: true},
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
