package sw4rm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

var schemaNames = map[format.Format]string{
	format.SW4RMContext: schemas.SW4RMContext, format.SW4RMRequest: schemas.SW4RMRequest, format.SW4RMResponse: schemas.SW4RMResponse,
}

// violations returns the places where a document breaks the schema of its format.
func violations(t *testing.T, kind format.Format, text string) (places []string) {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	schema, err := validate.EmbeddedSchema(schemaNames[kind])
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range schema.Check(doc.Root()) {
		places = append(places, f.PlacedMessage())
	}
	return places
}

// TestSpecSchemas checks the requirements of "JSON Schema", "HandoffRequest" and "HandoffResponse", the
// members of the wire service, and the place of every violation.
func TestSpecSchemas(t *testing.T) {
	const empty = `{"conversation_history":[],"tool_state":{},"metadata":{}}`
	context := func(entry string) string {
		return strings.Replace(empty, "[]", "["+entry+"]", 1)
	}
	state := func(member string) string {
		return strings.Replace(empty, `"tool_state":{}`, `"tool_state":{`+member+`}`, 1)
	}
	request := func(members string) string {
		return `{"from_agent":"a","to_agent":"b","reason":"r"` + members + `}`
	}
	response := func(members string) string { return `{"accepted":true,"handoff_id":"h"` + members + `}` }
	for _, tt := range []struct {
		name   string
		format format.Format
		in     string
		want   string // the beginning of the only violation, without its colon; "" for none
	}{
		{"an empty context", format.SW4RMContext, empty, ""},
		{"unknown members", format.SW4RMContext, `{"conversation_history":[{"role":"user","content":"x","id":7}],"tool_state":{},"metadata":{},"x":1}`, ""},
		{"conversation_history is required", format.SW4RMContext, `{"tool_state":{},"metadata":{}}`, `the required member "conversation_history" is missing`},
		{"tool_state is required", format.SW4RMContext, `{"conversation_history":[],"metadata":{}}`, `the required member "tool_state" is missing`},
		{"metadata is required", format.SW4RMContext, `{"conversation_history":[],"tool_state":{}}`, `the required member "metadata" is missing`},
		{"role is required", format.SW4RMContext, context(`{"content":"x"}`), "/conversation_history/0"},
		{"content is required", format.SW4RMContext, context(`{"role":"user"}`), "/conversation_history/0"},
		{"content is a string", format.SW4RMContext, context(`{"role":"user","content":["x"]}`), "/conversation_history/0/content"},
		{"a timestamp", format.SW4RMContext, context(`{"role":"user","content":"x","timestamp":"2025-01-15T10:30:00Z"}`), ""},
		{"a timestamp is no integer", format.SW4RMContext, context(`{"role":"user","content":"x","timestamp":1736937000}`), "/conversation_history/0/timestamp"},
		{"a timestamp is a date-time", format.SW4RMContext, context(`{"role":"user","content":"x","timestamp":"yesterday"}`), "/conversation_history/0/timestamp"},
		{"the metadata of a message are an object", format.SW4RMContext, context(`{"role":"user","content":"x","metadata":[]}`), "/conversation_history/0/metadata"},
		{"tool_call_id is a string", format.SW4RMContext, context(`{"role":"tool","content":"x","tool_call_id":1}`), "/conversation_history/0/tool_call_id"},
		{"name is a string", format.SW4RMContext, context(`{"role":"tool","content":"x","name":1}`), "/conversation_history/0/name"},
		{"active_calls is a list", format.SW4RMContext, state(`"active_calls":{}`), "/tool_state/active_calls"},
		{"cached_results is an object", format.SW4RMContext, state(`"cached_results":[]`), "/tool_state/cached_results"},
		{"configurations is an object", format.SW4RMContext, state(`"configurations":[]`), "/tool_state/configurations"},
		{"pending_approvals is a list", format.SW4RMContext, state(`"pending_approvals":{}`), "/tool_state/pending_approvals"},
		{"a request", format.SW4RMRequest, request(""), ""},
		{"a request in full", format.SW4RMRequest, request(`,"context_snapshot":` + empty + `,"preserve_history":false,"capabilities_required":["c"],"metadata":{},"request_id":"q","priority":-5,"timeout":"1.5s","x":1`), ""},
		{"a snapshot in base64", format.SW4RMRequest, request(`,"context_snapshot":"e30="`), ""},
		{"no snapshot", format.SW4RMRequest, request(`,"context_snapshot":null`), ""},
		{"an inline snapshot is a context", format.SW4RMRequest, request(`,"context_snapshot":` + context(`{"role":"user"}`)), "/context_snapshot/conversation_history/0"},
		{"from_agent is required", format.SW4RMRequest, `{"to_agent":"b","reason":"r"}`, `the required member "from_agent" is missing`},
		{"to_agent is required", format.SW4RMRequest, `{"from_agent":"a","reason":"r"}`, `the required member "to_agent" is missing`},
		{"reason is required", format.SW4RMRequest, `{"from_agent":"a","to_agent":"b"}`, `the required member "reason" is missing`},
		{"an empty to_agent is for a router", format.SW4RMRequest, `{"from_agent":"a","to_agent":"","reason":"r"}`, ""},
		{"from_agent is not empty", format.SW4RMRequest, `{"from_agent":"","to_agent":"b","reason":"r"}`, "/from_agent"},
		{"request_id is not empty", format.SW4RMRequest, request(`,"request_id":""`), "/request_id"},
		{"priority is an int32", format.SW4RMRequest, request(`,"priority":2147483648`), "/priority"},
		{"timeout is a duration", format.SW4RMRequest, request(`,"timeout":"1m"`), "/timeout"},
		{"capabilities are strings", format.SW4RMRequest, request(`,"capabilities_required":[1]`), "/capabilities_required/0"},
		{"preserve_history is a boolean", format.SW4RMRequest, request(`,"preserve_history":"yes"`), "/preserve_history"},
		{"a response", format.SW4RMResponse, response(""), ""},
		{"a response in full", format.SW4RMResponse, response(`,"rejection_reason":null,"status":"EXPIRED","metadata":{},"request_id":"q","accepting_agent":"b","x":1`), ""},
		{"accepted is required", format.SW4RMResponse, `{"handoff_id":"h"}`, `the required member "accepted" is missing`},
		{"handoff_id or request_id is required", format.SW4RMResponse, `{"accepted":true}`, `one of the members "handoff_id", "request_id" is required`},
		{"a status", format.SW4RMResponse, response(`,"status":"DONE"`), "/status"},
		{"a status in small letters", format.SW4RMResponse, response(`,"status":"accepted"`), "/status"},
		{"a reason is a string", format.SW4RMResponse, response(`,"rejection_reason":7`), "/rejection_reason"},
	} {
		got := violations(t, tt.format, tt.in)
		ok := len(got) == 0
		if tt.want != "" {
			ok = len(got) == 1 && strings.HasPrefix(got[0], tt.want+": ")
		}
		if !ok {
			t.Errorf("%s: %s\nwant one at %q, got %q", tt.name, tt.in, tt.want, got)
		}
	}
}

// TestExamplesKeepTheSchema checks that the schema does not find the faults in the examples of the
// rules.
func TestExamplesKeepTheSchema(t *testing.T) {
	for _, r := range sw4rm.Rules() {
		for _, text := range []string{r.Bad, r.Good} {
			if text == "" {
				continue
			}
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			kind, _ := formats.Detect(doc.Root())
			if diff := cmp.Diff([]string(nil), violations(t, kind, text)); diff != "" {
				t.Errorf("%s: %s: %s", r.ID, text, diff)
			}
		}
	}
}
