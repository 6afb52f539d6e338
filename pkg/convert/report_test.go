package convert

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/exchange"
	"github.com/eaapl/handoff/pkg/internal/tree"
)

// TestCarriedIsNoTurn checks that data carried for one format does not become a turn of another.
func TestCarriedIsNoTurn(t *testing.T) {
	input := result(t, sample(t, format.EAAPL), format.OpenAI, Options{}).Text
	for _, to := range []format.Format{format.SW4RMContext, format.SW4RMRequest, format.MACP} {
		there := result(t, input, to, Options{})
		m, _ := sideOf(to).read(tree.Of(parsed(t, there.Text)))
		for _, turn := range m.Turns {
			if _, ok := sideOf(format.OpenAI).Unpack(turn); ok {
				t.Errorf("%s has the turn %s", to, turn.Append(nil))
			}
		}
		mustEqual(t, result(t, there.Text, format.OpenAI, Options{}).Text, input)
	}
}

// TestMadeUpCall checks that a result has a call before it, which is made up if it is missing.
func TestMadeUpCall(t *testing.T) {
	source := []byte(`{"conversation_history":[{"role":"tool","name":"search","tool_call_id":"c1","content":"x"},{"role":"tool","tool_call_id":"c1","content":"again"}],"tool_state":{},"metadata":{}}`)
	there := result(t, source, format.OpenAI, Options{})
	const call = `{"type":"function_call","call_id":"c1","name":"search","arguments":"{}"}`
	want := []exchange.MadeUp{{Pointer: "/input_history/0", Value: []byte(call), Rule: "the call of this result is missing", Source: "/conversation_history"}}
	if diff := cmp.Diff(want, there.Report.MadeUp); diff != "" {
		t.Errorf("made up: %s", diff)
	}
	if !strings.Contains(string(there.Text), `"input_history":[`+call+`,{"type":"function_call_output"`) {
		t.Errorf("found %s", there.Text)
	}
	mustEqual(t, result(t, there.Text, format.SW4RMContext, Options{}).Text, source)
	if _, err := Convert(parsed(t, source), format.OpenAI, Options{Strict: true}); !errors.As(err, new(*MadeUpError)) {
		t.Errorf("strict: %v", err)
	}
}

// TestBriefFits checks that a brief that the canonical schema rejects is carried.
func TestBriefFits(t *testing.T) {
	for _, brief := range []string{
		`{"remainingSubtasks":["x"]}`, `{"completedSubtasks":[{"subtaskId":"a","description":"b"},{"subtaskId":"a","description":"c"}]}`,
		`{"relevantContext":[{"source":"s","excerpt":"e","relevanceScore":1.5}]}`, `{"constraints":[1]}`,
		`{"toolCallHistory":[{"tool":"t","calledAt":"yesterday"}]}`, `{"toolCallHistory":[{"tool":"t","calledAt":"2026-06-12T09:30:00Z","inputHash":"sha256:0"}]}`,
		`{"costTracking":{"a":1}}`, `{"costTracking":{"costSpentSoFarUSD":-1,"costBudgetRemainingUSD":0,"tokenSpent":{"prompt":0,"completion":0}}}`,
		`{"costTracking":{"costSpentSoFarUSD":1,"costBudgetRemainingUSD":0,"tokenSpent":{"prompt":0.5,"completion":0}}}`,
	} {
		source := []byte(`{"conversation_history":[],"tool_state":{},"metadata":{"handoff":` + brief + `}}`)
		there := result(t, source, format.EAAPL, Options{})
		if problems := conform(t, format.EAAPL, there.Text); len(problems) > 0 {
			t.Errorf("%s: %s", brief, strings.Join(problems, "\n"))
		}
		mustEqual(t, result(t, there.Text, format.SW4RMContext, Options{}).Text, source)
	}
}

// TestReportPlaces checks that the places in the report exist in the messages.
func TestReportPlaces(t *testing.T) {
	camel := `{"protocolVersion":"1.0","mode":"macp.mode.handoff.v1","sessionId":"s","messages":[` +
		`{"messageType":"SessionStart","messageId":"1","sender":"a","timestampUnixMs":1,"payload":{"modeVersion":"1"}},` +
		`{"messageType":"HandoffOffer","messageId":"2","sender":"a","timestampUnixMs":1700000000123,"payload":{"handoffId":"h","targetParticipant":"b"}}]}`
	tests := []struct {
		name, in string
		to       format.Format
		want     []Mapping
		implied  []string
	}{
		{name: "camel case", in: camel, to: format.SW4RMContext, want: []Mapping{
			{From: "/messages/1/payload/handoffId", To: "/metadata/handoff/handoffId"},
			{From: "/sessionId", To: "/metadata/handoff/taskId"},
			{From: "/messages/1/sender", To: "/metadata/agent_id"},
			{From: "/messages/1/payload/targetParticipant", To: "/metadata/handoff/toAgent/agentType"},
			{From: "/messages/1/timestampUnixMs", To: "/metadata/handoff/timestamp"},
		}, implied: []string{"/protocolVersion", "/mode"}},
		{name: "the receiver in the turns", in: `{"input_history":"x","pre_handoff_items":[],"new_items":[{"type":"function_call","call_id":"c","name":"transfer_to_b","arguments":"{}"}]}`,
			to: format.SW4RMRequest, want: []Mapping{
				{From: "/new_items/0/name", To: "/to_agent"},
				{From: "/input_history", To: "/context_snapshot/conversation_history", Turns: 1},
				{From: "/new_items", To: "/context_snapshot/conversation_history", Turns: 1},
			}, implied: []string{"/pre_handoff_items"}},
		{name: "an identifier in the brief", in: `{"from_agent":"a","to_agent":"b","reason":"r","preserve_history":true,"context_snapshot":{"conversation_history":[],"tool_state":{},"metadata":{"handoff":{"handoffId":"h"}}}}`,
			to: format.OpenAI, want: []Mapping{
				{From: "/context_snapshot/metadata/handoff/handoffId", To: "/input_history/0/content/handoffId"},
				{From: "/from_agent", To: "/input_history/0/content/fromAgent/agentId"},
				{From: "/to_agent", To: "/input_history/0/content/toAgent/agentType"},
				{From: "/reason", To: "/input_history/0/content/taskDescription"},
			}, implied: []string{"/preserve_history"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := result(t, []byte(tt.in), tt.to, Options{Lenient: true}).Report
			if diff := cmp.Diff(tt.want, r.Mapped); diff != "" {
				t.Errorf("mapped: %s", diff)
			}
			if diff := cmp.Diff(tt.implied, r.Implied); diff != "" {
				t.Errorf("implied: %s", diff)
			}
		})
	}
}

func TestStrictSaysWhere(t *testing.T) {
	_, err := Convert(parsed(t, sample(t, format.EAAPL)), format.MACP, Options{Strict: true})
	if err == nil || !strings.Contains(err.Error(), "/messages/0/payload/ttl_ms (the source has no place for it)") {
		t.Errorf("error %v", err)
	}
	_, err = Convert(parsed(t, sample(t, format.SW4RMContext)), format.EAAPL, Options{Strict: true})
	if err == nil || !strings.Contains(err.Error(), "/handoffId (add it at /metadata/handoff/handoffId)") {
		t.Errorf("error %v", err)
	}
}

// TestParts checks that a file in the content of a part does not become text.
func TestParts(t *testing.T) {
	const parts = `[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:x"}}]`
	source := strings.Replace(string(sample(t, format.EAAPL)), `"conversationHistoryVerbatim": [`,
		`"conversationHistoryVerbatim": [{"role":"user","content":`+parts+`},{"role":"tool","tool_call_id":"p","content":[{"type":"text","text":"t"}]},`, 1)
	if there := result(t, []byte(source), format.SW4RMContext, Options{}); !strings.Contains(string(there.Text), `"content":"See\n[image_url]"`) {
		t.Errorf("SW4RM: %s", there.Text)
	}
	if there := result(t, []byte(source), format.OpenAI, Options{}); !strings.Contains(string(there.Text), `"output":[{"type":"input_text","text":"t"}]`) {
		t.Errorf("OpenAI: %s", there.Text)
	}
}
