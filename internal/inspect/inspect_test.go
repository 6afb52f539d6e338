package inspect_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func parse(t testing.TB, text string) *message.Message {
	t.Helper()
	m, err := message.Parse([]byte(text), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const example = `{
  "schemaVersion": "2.0",
  "handoffId": "8c1f8e2c-58c5-4a40-9c56-0d2f5b0d9a11",
  "taskId": "1d1fb9a0-2f4b-4b0e-8d53-0a4f7a3f4d0e",
  "parentHandoffId": null,
  "fromAgent": {"agentId": "legal", "agentVersion": "2.1.0", "executionId": "e"},
  "toAgent": {"agentType": "risk", "agentVersion": ">=1.5.0"},
  "receiverList": [{"agentType": "risk"}],
  "timestamp": "2026-06-11T10:15:00Z",
  "taskDescription": "Score \u00e9",
  "completedSubtasks": [{"subtaskId": "s1", "description": "Extract", "completedAt": "2026-06-11T10:14:00Z"}],
  "remainingSubtasks": [{"subtaskId": "s2", "description": "Score"}],
  "constraints": ["returnJSON:true", 1],
  "costTracking": {"costSpentSoFarUSD": 0.10, "costBudgetRemainingUSD": 0.20, "tokenSpent": {"prompt": 4200, "completion": 1.8e3}},
  "conversationHistorySummary": "Zw\u00f6lf",
  "conversationHistoryVerbatim": [{"role": "user", "content": "a b"}, {"role": "assistant", "content": "c"}, {"role": "user", "content": "\" \\"}, 7],
  "toolCallHistory": [{"tool": "pdf", "outputTokens": 3200}, {"tool": "ocr"}, {"tool": "pdf", "outputTokens": 1e5000000}],
  "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "signature": "hmac-sha256:00", "signatureKeyId": "k1",
  "extensions": {"sw4rm": {}, "macp": {}}
}`

func TestOf(t *testing.T) {
	got := inspect.Of(parse(t, example), format.EAAPL, jsonstream.Limits{})
	share, total := 0.3333, int64(6000)
	want := inspect.Facts{
		Format:            format.EAAPL,
		SchemaVersion:     "2.0",
		HandoffID:         "8c1f8e2c-58c5-4a40-9c56-0d2f5b0d9a11",
		TaskID:            "1d1fb9a0-2f4b-4b0e-8d53-0a4f7a3f4d0e",
		First:             true,
		From:              inspect.Sender{ID: "legal", Version: "2.1.0", ExecutionID: "e"},
		To:                inspect.Receiver{Type: "risk", Version: ">=1.5.0"},
		Receivers:         []inspect.Receiver{{Type: "risk"}},
		Timestamp:         "2026-06-11T10:15:00Z",
		TraceID:           "4bf92f3577b34da6a3ce929d0e0e4736",
		Signed:            true,
		SignatureKeyID:    "k1",
		TaskDescription:   "Score é",
		Completed:         []inspect.Subtask{{ID: "s1", Description: "Extract", CompletedAt: "2026-06-11T10:14:00Z"}},
		Remaining:         []inspect.Subtask{{ID: "s2", Description: "Score"}},
		Constraints:       []string{"returnJSON:true"},
		Budget:            inspect.Budget{SpentUSD: []byte("0.10"), RemainingUSD: []byte("0.20"), SpentShare: &share},
		Tokens:            inspect.Tokens{Prompt: []byte("4200"), Completion: []byte("1.8e3"), Total: &total},
		SummaryCharacters: 5,
		VerbatimTurns:     4,
		Roles: []inspect.Role{
			{Role: "user", Turns: 2, Bytes: len(`{"role":"user","content":"a b"}`) + len(`{"role":"user","content":"\" \\"}`)},
			{Role: "assistant", Turns: 1, Bytes: len(`{"role":"assistant","content":"c"}`)},
			{Role: "", Turns: 1, Bytes: 1},
		},
		Tools:      []inspect.Tool{{Tool: "pdf", Calls: 2, OutputTokens: 3200}, {Tool: "ocr", Calls: 1}},
		Extensions: []string{"sw4rm", "macp"},
	}
	compact := jsonstream.AppendCompact(nil, []byte(example))
	want.Bytes, want.CompactBytes = len(example), len(compact)

	sum := len("{}") + len(got.Members) - 1
	for i, m := range got.Members {
		sum += m.Bytes
		if i > 0 && m.Bytes > got.Members[i-1].Bytes {
			t.Errorf("member %s is after a smaller one", m.Name)
		}
	}
	if sum != len(compact) {
		t.Errorf("the members, commas and braces have %d bytes, the compact message has %d", sum, len(compact))
	}
	if name := got.Members[0].Name; name != "conversationHistoryVerbatim" {
		t.Errorf("the largest member is %s", name)
	}
	got.Members = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOfKeepsNumbers(t *testing.T) {
	text, err := json.Marshal(inspect.Of(parse(t, `{"costTracking":{"costSpentSoFarUSD":0.10}}`), "", jsonstream.Limits{}).Budget)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), `{"spentUSD":0.10,"remainingUSD":null,"spentShare":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSpentShare(t *testing.T) {
	tests := []struct {
		name, spent, remaining string
		want                   float64 // NaN for none
	}{
		{name: "a third", spent: "0.1", remaining: "0.2", want: 0.3333},
		{name: "nothing", spent: "0", remaining: "1", want: 0},
		{name: "all", spent: "1", remaining: "0", want: 1},
		{name: "overdrawn", spent: "1", remaining: "-0.5", want: 1},
		{name: "no budget at all", spent: "0", remaining: "0", want: 1},
		{name: "negative", spent: "-3", remaining: "1", want: 0},
		{name: "largest against smallest", spent: "1e1000", remaining: "1e-1000", want: 1},
		{name: "hostile", spent: "1e5000000", remaining: "1", want: math.NaN()},
		{name: "hostile and small", spent: "1", remaining: "1e-999999999", want: math.NaN()},
		{name: "a string", spent: `"1"`, remaining: "1", want: math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := parse(t, `{"costTracking":{"costSpentSoFarUSD":`+tt.spent+`,"costBudgetRemainingUSD":`+tt.remaining+`}}`)
			got := math.NaN()
			if share := inspect.Of(m, "", jsonstream.Limits{}).Budget.SpentShare; share != nil {
				got = *share
			}
			if got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// FuzzOf checks that no document causes a panic, and that all facts can be encoded as JSON.
func FuzzOf(f *testing.F) {
	f.Add(example)
	for _, text := range []string{`null`, `[]`, `"a"`, `1e5000000`, `{}`, strings.ReplaceAll(example, `"`, `"x`)} {
		f.Add(text)
	}
	for _, text := range []string{request, transcript, handoffInput} {
		f.Add(text)
	}
	// Each member with a value of another type.
	for name := range parse(f, example).Root().Members() {
		for _, value := range []string{`null`, `1e5000000`, `"a"`, `[[1]]`, `[{"role":{}}]`, `{"a":{}}`} {
			f.Add(`{"` + name + `":` + value + `}`)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := message.Parse([]byte(text), message.Options{})
		if err != nil {
			t.Skip()
		}
		for _, of := range append(formats.Names(), "") {
			facts := inspect.Of(m, of, jsonstream.Limits{})
			facts.CountTokens(m, history.Meter{Count: func(s string) int { return len(s) }})
			if _, err := json.Marshal(facts); err != nil {
				t.Fatal(err)
			}
			if compact := jsonstream.AppendCompact(nil, m.Root().Raw()); len(compact) != facts.CompactBytes {
				t.Fatalf("compact size %d, want %d", facts.CompactBytes, len(compact))
			}
		}
	})
}
