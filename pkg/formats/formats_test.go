package formats

import (
	"slices"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Most of a message's members indicate its format; any message may have some of another.
func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want format.Format
	}{
		{`{"handoffId":null}`, format.EAAPL},
		{`{"conversationHistoryVerbatim":[]}`, format.EAAPL},
		{`{"schemaVersion":"2.0"}`, format.EAAPL},
		{`{"conversation_history":[],"input_history":"x","taskId":"t"}`, format.EAAPL},
		{`{"conversation_history":[],"tool_state":{},"metadata":{}}`, format.SW4RMContext},
		{`{"request_id":"r","from_agent":"a","to_agent":"b"}`, format.SW4RMRequest},
		{`{"context_snapshot":"","conversation_history":[]}`, format.SW4RMRequest},
		{`{"input_history":"hi"}`, format.OpenAI},
		{`{"new_items":[]}`, format.OpenAI},
		{`{"accepted":true,"handoff_id":"h"}`, format.SW4RMResponse},
		{`{"protocol_version":"1.0","messages":[]}`, format.MACP},
		{`{"handoffId":"h","from_agent":"a","to_agent":"b"}`, format.SW4RMRequest},
		{`{"accepted":true,"taskId":"t","protocol_version":"1.0","session_id":"s","messages":[]}`, format.MACP},
		{`{"conversation_history":[],"input_history":"x","pre_handoff_items":[],"new_items":[]}`, format.OpenAI},
		{`{"tool_state":{},"currentState":{}}`, ""},
		{`{"mode":"macp.mode.handoff.v1","messages":[]}`, format.MACP},
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

// A descriptor says all that what looks formats up relies on.
func TestDescriptors(t *testing.T) {
	seen := map[string]format.Format{}
	for _, d := range All() {
		if d.Name == "" || d.System == "" || d.Title == "" || len(d.Marks) == 0 || len(d.Needs) == 0 {
			t.Errorf("%+v: something is missing", d)
		}
		if Named(d.Name) != d || !Known(d.Name) {
			t.Errorf("%s is not found", d.Name)
		}
		for _, name := range slices.Concat(d.Marks, d.Members) {
			if other, ok := seen[name]; ok {
				t.Errorf("%q marks both %s and %s", name, other, d.Name)
			}
			seen[name] = d.Name
		}
		if d.Carriers != nil && d.Turns != nil {
			t.Errorf("%s has turns of its own, and in a context", d.Name)
		}
		if d.Carries != "" && !Known(d.Carries) {
			t.Errorf("%s carries %q", d.Name, d.Carries)
		}
	}
	if Known("x") || Named("x").Name != "" {
		t.Error("x is no format")
	}
}

func TestRegister(t *testing.T) {
	for name, d := range map[string]*format.Descriptor{"a second": {Name: format.MACP}, "too late": {Name: "x"}} {
		t.Run(name, func(t *testing.T) {
			inUse.Store(name == "too late")
			defer func() {
				inUse.Store(true)
				if recover() == nil {
					t.Error("it was registered")
				}
			}()
			Register(d)
		})
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
		if f, _ := Detect(doc.Root()); f != format.EAAPL {
			b.Fatal(f)
		}
	}
}
