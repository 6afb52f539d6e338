package inspect_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/openai"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

const context = `{"conversation_history":[{"role":"user","content":"Review this code"},{"role":"tool","name":"lint","tool_call_id":"c1","content":"ok"}],` +
	`"tool_state":{"active_calls":[],"cached_results":{"c1":1,"c2":2}},"metadata":{"agent_id":"a"}}`

var request = `{"from_agent":"general-agent-1","to_agent":"security-specialist-1","reason":"Needs security","context_snapshot":"` + encoded(context) +
	`","preserve_history":true,"capabilities_required":["security_analysis",7],"metadata":{"urgency":"high"},"request_id":"req-1","priority":5,"timeout":"30s"}`

var transcript = `{"protocol_version":"1.0","mode":"macp.mode.handoff.v1","session_id":"s1","messages":[` +
	envelope("SessionStart", "m1", "alice", `{"intent":"move","participants":["alice","bob"],"mode_version":"1.0.0","configuration_version":"c1","policy_version":"","ttl_ms":60000}`) + `,` +
	envelope("HandoffOffer", "m2", "alice", `{"handoff_id":"h1","target_participant":"bob","scope":"frontend","reason":"moving"}`) + `,` +
	envelope("HandoffContext", "m3", "alice", `{"handoff_id":"h1","content_type":"application/json","context":"`+encoded(`{"conversationHistorySummary":"Zwölf","conversationHistoryVerbatim":[{"role":"user","content":"a"}]}`)+`"}`) + `,` +
	envelope("HandoffAccept", "m4", "bob", `{"handoff_id":"h1","accepted_by":"bob","reason":"ready"}`) + `]}`

func envelope(kind, id, sender, payload string) string {
	return `{"macp_version":"1.0","mode":"macp.mode.handoff.v1","message_type":"` + kind + `","message_id":"` + id +
		`","session_id":"s1","sender":"` + sender + `","timestamp":"2026-06-11T10:15:00Z","payload":` + payload + `}`
}

const handoffInput = `{"input_history":[{"role":"user","content":"hi"},{"role":"assistant","content":"For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n1. user: hi\n</CONVERSATION HISTORY>"}],` +
	`"pre_handoff_items":[{"type":"reasoning"},{"type":"function_call","call_id":"c0","name":"search","arguments":"{}"}],` +
	`"new_items":[{"type":"function_call","call_id":"c1","name":"transfer_to_billing_agent","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"{\"assistant\": \"Billing Agent\"}"}],"input_items":null}`

func factsOf(t *testing.T, text string, f format.Format) inspect.Facts {
	t.Helper()
	return inspect.Of(parse(t, text), f, jsonstream.Limits{})
}

func sw4rmFacts(f inspect.Facts) *sw4rm.Facts { return f.Profile.Details.(*sw4rm.Facts) }

func TestSW4RM(t *testing.T) {
	yes := true
	f := factsOf(t, request, format.SW4RMRequest)
	want := &sw4rm.Facts{
		RequestID: "req-1", Reason: "Needs security", Capabilities: []string{"security_analysis"}, PreserveHistory: &yes,
		Priority: json.RawMessage("5"), Timeout: json.RawMessage(`"30s"`),
		ToolState: []format.Count{{Name: "active_calls"}, {Name: "cached_results", Count: 2}}, Metadata: []string{"urgency"},
	}
	if diff := cmp.Diff(want, f.Profile.Details); diff != "" {
		t.Error(diff)
	}
	if f.HandoffID != "req-1" || f.From.ID != "general-agent-1" || f.To.Type != "security-specialist-1" || f.VerbatimTurns != 2 {
		t.Errorf("%+v", f)
	}
	if diff := cmp.Diff([]inspect.Tool{{Tool: "lint", Calls: 1}}, f.Tools); diff != "" {
		t.Error(diff)
	}
	if f.Context == nil || f.Context.Pointer != "/context_snapshot" || f.Context.Bytes != len(context) || f.Context.Members[0].Name != "conversation_history" {
		t.Errorf("the context is %+v", f.Context)
	}
	f = factsOf(t, context, format.SW4RMContext)
	if f.Context != nil || f.VerbatimTurns != 2 || len(sw4rmFacts(f).ToolState) != 2 || cmp.Diff([]string{"agent_id"}, sw4rmFacts(f).Metadata) != "" {
		t.Errorf("%+v %+v", f, sw4rmFacts(f))
	}
	f = factsOf(t, `{"accepted":false,"handoff_id":"h","rejection_reason":"Agent busy: RUNNING","status":"REJECTED"}`, format.SW4RMResponse)
	if f.HandoffID != "h" || sw4rmFacts(f).Accepted == nil || *sw4rmFacts(f).Accepted || sw4rmFacts(f).Status != "REJECTED" || sw4rmFacts(f).RejectionReason != "Agent busy: RUNNING" {
		t.Errorf("%+v", sw4rmFacts(f))
	}
	if f = factsOf(t, `{"from_agent":"a","context_snapshot":"%"}`, format.SW4RMRequest); f.From.ID != "a" || f.Context != nil || f.VerbatimTurns != 0 {
		t.Errorf("with a snapshot that cannot be read: %+v", f)
	}
}

func TestMACP(t *testing.T) {
	f := factsOf(t, transcript, format.MACP)
	p := f.Profile.Details.(*macp.Projection)
	if f.HandoffID != "s1" || f.From.ID != "alice" || f.To.Type != "bob" || f.TaskDescription != "move" || f.Timestamp != "2026-06-11T10:15:00Z" {
		t.Errorf("%+v", f)
	}
	if p.Responsible != "bob" || len(p.Handoffs) != 1 || p.Handoffs[0].Status != macp.Accepted || len(p.TimeLine) != 4 {
		t.Errorf("%+v", p)
	}
	if f.VerbatimTurns != 1 || f.SummaryCharacters != 5 || f.Context == nil || f.Context.Format != format.EAAPL || f.Context.Pointer != "/messages/2/payload/context" {
		t.Errorf("%+v", f.Context)
	}
}

func TestOpenAI(t *testing.T) {
	f := factsOf(t, handoffInput, format.OpenAI)
	want := &openai.Facts{
		Lists: []openai.ItemList{
			{Name: "input_history", Items: 2, Types: []format.Count{{Name: "message", Count: 2}}},
			{Name: "pre_handoff_items", Items: 2, Types: []format.Count{{Name: "reasoning", Count: 1}, {Name: "function_call", Count: 1}}},
			{Name: "new_items", Items: 2, Types: []format.Count{{Name: "function_call", Count: 1}, {Name: "function_call_output", Count: 1}}},
		},
		Transfers: []openai.Transfer{{Tool: "transfer_to_billing_agent", Agent: "Billing Agent"}},
		Nested:    1,
	}
	if diff := cmp.Diff(want, f.Profile.Details, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if f.To.Type != "Billing Agent" || f.VerbatimTurns != 6 {
		t.Errorf("%+v", f)
	}
	if diff := cmp.Diff([]inspect.Tool{{Tool: "search", Calls: 1}, {Tool: "transfer_to_billing_agent", Calls: 1}}, f.Tools); diff != "" {
		t.Error(diff)
	}
}

// The tokens are those of the context, if a message carries one.
func TestCountTokensOfContext(t *testing.T) {
	meter := history.Meter{Count: func(s string) int { return len(s) }}
	m := parse(t, request)
	f := inspect.Of(m, format.SW4RMRequest, jsonstream.Limits{})
	f.CountTokens(m, meter)
	c := parse(t, context)
	alone := inspect.Of(c, format.SW4RMContext, jsonstream.Limits{})
	alone.CountTokens(c, meter)
	if f.SizeTokens == 0 || f.SizeTokens != alone.SizeTokens {
		t.Errorf("%d tokens, alone %d", f.SizeTokens, alone.SizeTokens)
	}
	if diff := cmp.Diff(alone.Members, f.Context.Members); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(alone.Roles, f.Roles); diff != "" {
		t.Error(diff)
	}
}
