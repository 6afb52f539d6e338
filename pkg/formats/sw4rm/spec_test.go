package sw4rm

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The examples of the document "Handoff Context Serialization", each under the
// heading of its section. That of "Trimming Large Contexts" is a test of pkg/trim.

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

func value(t testing.TB, text string) jsonstream.Value {
	t.Helper()
	return parse(t, text).Root()
}

func mustRead(t testing.TB, text string) *Request {
	t.Helper()
	r, problems := ReadRequest(parse(t, text), jsonstream.Limits{})
	if problems != nil {
		t.Fatalf("%+v in %s", problems, text)
	}
	return r
}

func mustAgent(t testing.TB, text string) Agent {
	t.Helper()
	a, problems := ReadAgent(parse(t, text))
	if problems != nil {
		t.Fatalf("%+v in %s", problems, text)
	}
	return a
}

func mustRegistry(t testing.TB, text string) *Registry {
	t.Helper()
	g, problems := ReadRegistry(parse(t, text))
	if problems != nil {
		t.Fatalf("%+v in %s", problems, text)
	}
	return g
}

// "Conversation History Entry" and "Tool State".
const (
	historyExample = `[
  {"role": "user", "content": "Analyze the sales data for Q3", "timestamp": "2025-01-15T10:30:00Z"},
  {"role": "assistant", "content": "I'll analyze the Q3 sales data for you.", "timestamp": "2025-01-15T10:30:01Z"},
  {"role": "tool", "name": "query_database", "tool_call_id": "call_abc123",
   "content": "{\"total_sales\": 1500000, \"growth\": 0.12}", "timestamp": "2025-01-15T10:30:05Z"}
]`
	toolStateExample = `{
  "active_calls": [{"call_id": "call_xyz789", "tool": "long_running_query", "started_at": "..."}],
  "cached_results": {"call_abc123": {"total_sales": 1500000, "growth": 0.12}},
  "configurations": {"database": {"connection_string": "...", "timeout_ms": 30000}}
}`
)

func TestSpecConversationHistoryEntryAndToolState(t *testing.T) {
	c := Context{History: value(t, historyExample), ToolState: value(t, toolStateExample)}
	text := string(c.Serialize())
	if !strings.Contains(text, `"content":"{\"total_sales\": 1500000, \"growth\": 0.12}"`) {
		t.Error("the content of a tool message must be an unchanged string")
	}
	problems := Check(parse(t, text), format.SW4RMContext, jsonstream.Limits{})
	if len(problems) != 1 || problems[0].Rule != "sw4rm/cached-results" {
		t.Errorf("the example keeps all rules but the guidance on size: %+v", problems)
	}
}

func TestSpecSerializeContext(t *testing.T) {
	c := Context{
		History:   value(t, `[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi there!"}]`),
		ToolState: value(t, `{ }`),
		Metadata:  value(t, `{"agent_id": "agent-1"}`),
	}
	want := `{"conversation_history":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi there!"}],"tool_state":{},"metadata":{"agent_id":"agent-1"}}`
	if diff := cmp.Diff(want, string(c.Serialize())); diff != "" {
		t.Error(diff)
	}
	if got := string(Context{}.Serialize()); got != emptyContext {
		t.Errorf("the default factories: %s", got)
	}
}

func TestSpecDeserializeContext(t *testing.T) {
	data := `{"conversation_history":[],"tool_state":{},"metadata":{}}`
	c, problems := ReadContext(value(t, data))
	if problems != nil || string(c.Serialize()) != data {
		t.Errorf("%s, %+v", c.Serialize(), problems)
	}
	// "Raises ValueError: invalid JSON, invalid UTF-8 encoding, missing required
	// fields."
	for name, tt := range map[string]struct{ data, rule string }{
		"invalid JSON":     {data[:len(data)-1], "snapshot-json"},
		"invalid UTF-8":    {`{"conversation_history":[],"tool_state":{},"metadata":{"a":"` + "\xff" + `"}}`, "snapshot-json"},
		"missing history":  {`{"tool_state":{},"metadata":{}}`, "context-member"},
		"missing state":    {`{"conversation_history":[],"metadata":{}}`, "context-member"},
		"missing metadata": {`{"conversation_history":[],"tool_state":{}}`, "context-member"},
	} {
		_, problems := ReadRequest(parse(t, snapshot(tt.data)), jsonstream.Limits{})
		if len(problems) != 1 || problems[0].Rule != "sw4rm/"+tt.rule {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// TestSpecOnHandoffRequest checks "on_handoff_request(request)" with the agent of the example.
func TestSpecOnHandoffRequest(t *testing.T) {
	const capabilities = `["code_review", "security_analysis"]`
	for _, tt := range []struct{ name, state, required, want string }{
		{"accepted", "RUNNABLE", `["security_analysis"]`,
			`{"accepted":true,"handoff_id":"h","rejection_reason":null,"status":"ACCEPTED","metadata":{"capabilities":["code_review","security_analysis"]},"accepting_agent":"s"}`},
		{"nothing is required", "RUNNABLE", `[]`,
			`{"accepted":true,"handoff_id":"h","rejection_reason":null,"status":"ACCEPTED","metadata":{"capabilities":["code_review","security_analysis"]},"accepting_agent":"s"}`},
		{"missing capability", "RUNNABLE", `["translation"]`,
			`{"accepted":false,"handoff_id":"h","rejection_reason":"Missing capability: translation","status":"REJECTED","metadata":{}}`},
		{"the first missing one in the request's order", "RUNNABLE", `["code_review","b","a"]`,
			`{"accepted":false,"handoff_id":"h","rejection_reason":"Missing capability: b","status":"REJECTED","metadata":{}}`},
		{"busy", "RUNNING", `["code_review"]`,
			`{"accepted":false,"handoff_id":"h","rejection_reason":"Agent busy: RUNNING","status":"REJECTED","metadata":{}}`},
		{"capabilities come before the state", "RUNNING", `["a"]`,
			`{"accepted":false,"handoff_id":"h","rejection_reason":"Missing capability: a","status":"REJECTED","metadata":{}}`},
	} {
		a := mustAgent(t, `{"agent_id":"s","capabilities":`+capabilities+`,"state":"`+tt.state+`"}`)
		r := mustRead(t, `{"from_agent":"g","to_agent":"s","reason":"r","capabilities_required":`+tt.required+`}`)
		if diff := cmp.Diff(tt.want, string(Respond(a, r, "h").Append(nil))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	if id := NewID(); !uuid4.MatchString(id) || id == NewID() {
		t.Errorf("str(uuid.uuid4()): got %s", id)
	}
}

func TestSpecBasicHandoffWithHistoryPreservation(t *testing.T) {
	context := Context{
		History: value(t, `[{"role":"user","content":"Review this code for security issues"},{"role":"assistant","content":"I'll need to hand this off to a specialist."}]`),
		// The metadata of the example.
		Metadata: value(t, `{"original_request_id":"req-123"}`),
	}
	request := Draft{
		From: "general-agent-1", To: "security-specialist-1", Reason: "Task requires specialized security analysis capabilities",
		Context: &context, Capabilities: []string{"security_analysis"}, Metadata: value(t, `{"urgency":"high"}`),
	}
	text := string(request.Append(nil))
	want := `{"from_agent":"general-agent-1","to_agent":"security-specialist-1","reason":"Task requires specialized security analysis capabilities","context_snapshot":"` +
		base64.StdEncoding.EncodeToString(context.Serialize()) + `","preserve_history":true,"capabilities_required":["security_analysis"],"metadata":{"urgency":"high"}}`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	r := mustRead(t, text)
	if diff := cmp.Diff(string(context.Serialize()), string(r.Context.Raw())); diff != "" {
		t.Error(diff)
	}
	specialist := mustAgent(t, `{"agent_id":"security-specialist-1","capabilities":["code_review","security_analysis"],"state":"RUNNABLE"}`)
	if response := Respond(specialist, r, NewID()); !response.Accepted {
		t.Errorf("%+v", response)
	}
}

// TestSpecHandoffRequestFields checks the defaults of the dataclass HandoffRequest and the members of
// the wire service.
func TestSpecHandoffRequestFields(t *testing.T) {
	want := `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":null,"preserve_history":true,"capabilities_required":[],"metadata":{}}`
	if got := string(Draft{From: "a", To: "b", Reason: "r"}.Append(nil)); got != want {
		t.Error(got)
	}
	priority := int32(-3)
	d := Draft{From: "a", To: "b", Reason: "r", DropHistory: true, Context: &Context{History: value(t, `[1]`)}, ID: "q", Priority: &priority, Timeout: 1500 * time.Millisecond}
	want = `{"from_agent":"a","to_agent":"b","reason":"r","context_snapshot":"` + base64.StdEncoding.EncodeToString([]byte(emptyContext)) +
		`","preserve_history":false,"capabilities_required":[],"metadata":{},"request_id":"q","priority":-3,"timeout":"1.5s"}`
	if got := string(d.Append(nil)); got != want {
		t.Error(got)
	}
}

const agents = `[
  {"agent_id":"writer","capabilities":["writing"],"state":"RUNNABLE","region":"eu"},
  {"agent_id":"busy","capabilities":["code_review","security_analysis"],"state":"RUNNING"},
  {"agent_id":"first","capabilities":["code_review","security_analysis"],"state":"RUNNABLE"},
  {"agent_id":"second","capabilities":["security_analysis","code_review","writing"],"state":"RUNNABLE"}
]`

// TestSpecCapabilityBasedRouting checks "Capability-Based Routing": find_capable_agent and
// route_handoff.
func TestSpecCapabilityBasedRouting(t *testing.T) {
	for _, tt := range []struct{ name, registry, to, required, target, reason string }{
		{"the first in the registry's order", agents, "", `["security_analysis"]`, "first", ""},
		{"in an object", `{"agents":` + agents + `}`, "", `["security_analysis"]`, "first", ""},
		{"all capabilities", agents, "", `["writing","code_review"]`, "second", ""},
		{"one required twice", agents, "", `["writing","writing"]`, "writer", ""},
		{"nothing required", agents, "", `[]`, "writer", ""},
		{"none has it", agents, "", `["translation"]`, "", "No capable agent available"},
		{"no agents", `[]`, "", `[]`, "", "No capable agent available"},
		{"to_agent is asked", agents, "second", `["code_review"]`, "second", ""},
		{"to_agent rejects, though others could", agents, "busy", `["code_review"]`, "busy", "Agent busy: RUNNING"},
		{"to_agent is not there", agents, "nobody", `[]`, "nobody", "Unknown agent: nobody"},
	} {
		r := mustRead(t, `{"from_agent":"a","to_agent":"`+tt.to+`","reason":"r","capabilities_required":`+tt.required+`}`)
		got := mustRegistry(t, tt.registry).Route(r, nil, "h")
		if got.Target != tt.target || got.Response.RejectionReason != tt.reason || got.Response.Accepted != (tt.reason == "") {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// TestSpecHandoffRejectionHandling checks "Handoff Rejection Handling": initiate_handoff_with_fallback.
func TestSpecHandoffRejectionHandling(t *testing.T) {
	g := mustRegistry(t, agents)
	r := mustRead(t, `{"from_agent":"a","to_agent":"","reason":"Task delegation","capabilities_required":["code_review"],"request_id":"q"}`)
	got := g.Route(r, []string{"writer", "busy", "second", "first"}, "h")
	if got.Target != "second" || !got.Response.Accepted || got.Response.RequestID != "q" || got.Response.AcceptingAgent != "second" {
		t.Errorf("%+v", got)
	}
	want := []Rejection{{"writer", "Missing capability: code_review"}, {"busy", "Agent busy: RUNNING"}}
	if diff := cmp.Diff(want, got.Rejections); diff != "" {
		t.Error(diff)
	}
	got = g.Route(r, []string{"busy", "nobody"}, "h")
	want = []Rejection{{"busy", "Agent busy: RUNNING"}, {"nobody", "Unknown agent: nobody"}}
	if diff := cmp.Diff(Routing{Response: Response{HandoffID: "h", RejectionReason: "All preferred agents unavailable", Status: Rejected, RequestID: "q"}, Rejections: want}, got); diff != "" {
		t.Error(diff)
	}
}

// TestStatusRules checks the statuses of the specification and the rules of the reference service.
func TestStatusRules(t *testing.T) {
	type step struct {
		action   Action
		to, want string // want is the new status, or the code of the rejection
	}
	submit := step{Submit, "b", "PENDING"}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"accepted and completed", []step{submit, {Accept, "", "ACCEPTED"}, {Complete, "", "COMPLETED"}}},
		{"accepted and expired", []step{submit, {Accept, "", "ACCEPTED"}, {Expire, "", "EXPIRED"}}},
		{"rejected is the end", []step{submit, {Reject, "", "REJECTED"}, {Accept, "", "FAILED_PRECONDITION"}, {Complete, "", "FAILED_PRECONDITION"}, {Expire, "", "FAILED_PRECONDITION"}}},
		{"accepted once", []step{submit, {Accept, "", "ACCEPTED"}, {Accept, "", "FAILED_PRECONDITION"}, {Reject, "", "FAILED_PRECONDITION"}, {Complete, "", "COMPLETED"}}},
		{"answered before it ends", []step{submit, {Complete, "", "FAILED_PRECONDITION"}, {Accept, "", "ACCEPTED"}}},
		{"expired without an answer", []step{submit, {Expire, "", "EXPIRED"}, {Accept, "", "FAILED_PRECONDITION"}}},
		{"ended once", []step{submit, {Accept, "", "ACCEPTED"}, {Expire, "", "EXPIRED"}, {Complete, "", "FAILED_PRECONDITION"}, {Expire, "", "FAILED_PRECONDITION"}}},
		{"requested once", []step{submit, {Submit, "b", "ALREADY_EXISTS"}}},
		{"never requested", []step{{Accept, "", "NOT_FOUND"}}},
		{"to nobody", []step{{Submit, "", "INVALID_ARGUMENT"}, {Accept, "", "NOT_FOUND"}}},
		{"no action", []step{submit, {"forget", "", "INVALID_ARGUMENT"}}},
	} {
		var l Ledger
		for i, s := range tt.steps {
			_, to, err := l.Apply(Event{s.action, "q", "a", s.to})
			got := string(to)
			if err != nil {
				got = string(err.(*TransitionError).Code)
			}
			if got != s.want {
				t.Errorf("%s: step %d, %s: got %s, want %s", tt.name, i, s.action, got, s.want)
			}
		}
	}
	var l Ledger
	for _, e := range []Event{{Submit, "", "a", "b"}, {Submit, "q", "", "b"}, {Submit, "q", "a", ""}, {Accept, "", "", ""}} {
		if _, _, err := l.Apply(e); err == nil || err.(*TransitionError).Code != InvalidArgument {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if _, to, err := l.Apply(Event{Submit, "q", "a", "b"}); to != Pending || err != nil {
		t.Errorf("a rejected event changed the status: %s, %v", to, err)
	}
}
