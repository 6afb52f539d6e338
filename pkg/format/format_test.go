package format

import (
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Most of a message's members tell its format; any message may have some of another.
func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Format
	}{
		{`{"handoffId":null}`, EAAPL},
		{`{"conversationHistoryVerbatim":[]}`, EAAPL},
		{`{"schemaVersion":"2.0"}`, EAAPL},
		{`{"conversation_history":[],"input_history":"x","taskId":"t"}`, EAAPL},
		{`{"conversation_history":[],"tool_state":{},"metadata":{}}`, SW4RMContext},
		{`{"request_id":"r","from_agent":"a","to_agent":"b"}`, SW4RMRequest},
		{`{"context_snapshot":"","conversation_history":[]}`, SW4RMRequest},
		{`{"input_history":"hi"}`, OpenAI},
		{`{"new_items":[]}`, OpenAI},
		{`{"accepted":true,"handoff_id":"h"}`, SW4RMResponse},
		{`{"protocol_version":"1.0","messages":[]}`, MACP},
		{`{"handoffId":"h","from_agent":"a","to_agent":"b"}`, SW4RMRequest},
		{`{"accepted":true,"taskId":"t","protocol_version":"1.0","session_id":"s","messages":[]}`, MACP},
		{`{"conversation_history":[],"input_history":"x","pre_handoff_items":[],"new_items":[]}`, OpenAI},
		{`{"tool_state":{},"currentState":{}}`, ""},
		{`{"mode":"macp.mode.handoff.v1","messages":[]}`, MACP},
		{`{"handoff":{"handoffId":"h"}}`, ""},
		{`["handoffId"]`, ""},
		{`"handoffId"`, ""},
		{`{}`, ""},
		{`null`, ""},
	} {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(tt.in)), jsonstream.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Detect(doc.Root()); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %v", tt.in, got, ok)
		}
	}
}

func BenchmarkDetect(b *testing.B) {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"schemaVersion":"2.0","handoffId":"h","taskId":"t","parentHandoffId":null,"fromAgent":{},"toAgent":{},
		"timestamp":"","taskDescription":"","completedSubtasks":[],"remainingSubtasks":[],"currentState":{},"relevantContext":[],"constraints":[],
		"costTracking":{},"conversationHistorySummary":"","conversationHistoryVerbatim":[],"toolCallHistory":[],"traceparent":""}`)), jsonstream.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if f, _ := Detect(doc.Root()); f != EAAPL {
			b.Fatal(f)
		}
	}
}
