package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/schemas"
)

const (
	taskA  = "cc35de8b-6ece-4435-abfd-a60e12baff98"
	taskB  = "65c0d01f-2282-4f4e-8763-834daf7f10df"
	traceA = "dec566a5965718deacee5fc4df9c84c5"
	traceB = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanA  = "00-" + traceA + "-339e5d4c0d9f4773-01"
	spanA2 = "00-" + traceA + "-00f067aa0ba902b7-00"
	spanB  = "00-" + traceB + "-00f067aa0ba902b7-01"

	// The base of the tables: the state of a first handoff, the state of a later one, and its
	// parent message.
	minimal = `{"taskDescription":"d","cost":{"costUSD":0.1,"budgetUSD":1,"tokens":{"prompt":1,"completion":2}}}`
	later   = `{"taskDescription":"d","cost":{"costUSD":0.1,"tokens":{"prompt":1,"completion":2}}}`
	parent  = `{"schemaVersion":"2.0","handoffId":"` + taskB + `","taskId":"` + taskA + `","parentHandoffId":null,` +
		`"taskDescription":"parent's","completedSubtasks":[{"subtaskId":"s1","description":"one","result":{"n":1.0}}],` +
		`"remainingSubtasks":[{"subtaskId":"s2","description":"two"},{"subtaskId":"s3","description":"three"}],` +
		`"currentState":{"secretPlan":1},"relevantContext":[{"source":"x","excerpt":"y"}],"constraints":["a:1","b:2"],` +
		`"costTracking":{"costSpentSoFarUSD":0.2,"costBudgetRemainingUSD":0.7,"tokenSpent":{"prompt":10,"completion":20}},` +
		`"conversationHistorySummary":"s","conversationHistoryVerbatim":[{"role":"user","content":"c"}],` +
		`"toolCallHistory":[{"tool":"t","calledAt":"2026-06-12T09:00:00Z"}],"traceparent":"` + spanA + `",` +
		`"personalDataPayload":{"p":1},"extensions":{"e":1}}`
)

func document(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	d, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func parentMessage(t testing.TB, text string) *message.Message {
	t.Helper()
	if text == "" {
		return nil
	}
	m, err := message.Parse([]byte(text), message.Options{Limits: jsonstream.Unlimited()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// with returns the text with values set: pairs of JSON Pointer and JSON.
func with(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		b, err := jsonstream.Set(document(t, text), pairs[i], []byte(pairs[i+1]))
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	return text
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestExamples checks that the shipped state gives the shipped message, and that
// the same Random and Now give the same bytes.
func TestExamples(t *testing.T) {
	state, err := schemas.Example("state")
	if err != nil {
		t.Fatal(err)
	}
	want, err := schemas.Example("message")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Message(document(t, string(state)), Options{
		From:        message.FromAgent{AgentID: "legal-analysis-agent", AgentVersion: "2.1.0"},
		To:          message.ToAgent{AgentType: "risk-scoring-agent", AgentVersion: ">=1.5.0"},
		Traceparent: spanA2[:len(spanA2)-1] + "1",
		Now:         time.Date(2026, 6, 12, 11, 30, 0, 0, time.FixedZone("", 2*60*60)),
		Random:      bytes.NewReader(unhex(t, "6e7f936b-cafd-4624-8754-0bafc4e8acb3"+"339e5d4c0d9f4773")),
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := jsonstream.AppendIndent(nil, m.Raw())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestMember has a row for each rule about the value of a member.
func TestMember(t *testing.T) {
	const sub1, sub2 = `{"subtaskId":"s1","description":"again"}`, `{"subtaskId":"s2","description":"two, done"}`
	fanOut := Options{To: message.ToAgent{AgentType: "b"}, Also: []message.ToAgent{{AgentType: "c", AgentVersion: ">=1.0.0"}}}
	longTokens := strings.Repeat("9", 30)
	tests := []struct {
		name    string
		state   []string // members to set in minimal
		parent  []string // members to set in parent; nil for a first handoff, empty for an unchanged parent
		options Options
		member  string
		want    string // "" for absent
	}{
		{name: "schemaVersion", member: "/schemaVersion", want: `"2.0"`},
		{name: "timestamp is UTC with milliseconds", member: "/timestamp", want: `"2026-06-12T09:30:00.120Z"`,
			options: Options{Now: time.Date(2026, 6, 12, 11, 30, 0, 120_900_000, time.FixedZone("", 7200))}},

		{name: "toAgent of a fan-out", member: "/toAgent", want: `{"agentType":"b"}`, options: fanOut},
		{name: "receiverList of a fan-out", member: "/receiverList", want: `[{"agentType":"b"},{"agentType":"c","agentVersion":">=1.0.0"}]`, options: fanOut},
		{name: "receiverList of one receiver", member: "/receiverList", want: "", options: Options{To: fanOut.To}},
		{name: "receiverList of the state", member: "/receiverList", want: `[{"agentType":"x"}]`, state: []string{"/receiverList", `[{"agentType":"x"}]`}},

		{name: "parentHandoffId of a first handoff", member: "/parentHandoffId", want: "null"},
		{name: "parentHandoffId", parent: []string{}, member: "/parentHandoffId", want: `"` + taskB + `"`},
		{name: "taskId of the state", state: []string{"/taskId", `"` + taskB + `"`}, member: "/taskId", want: `"` + taskB + `"`},
		{name: "taskId of the parent", parent: []string{}, member: "/taskId", want: `"` + taskA + `"`},
		{name: "taskId in either case", state: []string{"/taskId", `"` + strings.ToUpper(taskA) + `"`}, parent: []string{}, member: "/taskId", want: `"` + taskA + `"`},

		{name: "executionId of the state", state: []string{"/executionId", `"` + taskA + `"`},
			options: Options{From: message.FromAgent{AgentID: "a", AgentVersion: "1.0.0", ExecutionID: taskB}},
			member:  "/fromAgent", want: `{"agentId":"a","agentVersion":"1.0.0","executionId":"` + taskA + `"}`},
		{name: "executionId of the options", options: Options{From: message.FromAgent{ExecutionID: taskB}}, member: "/fromAgent/executionId", want: `"` + taskB + `"`},
		{name: "toAgent", options: Options{To: message.ToAgent{AgentType: "b", AgentVersion: ">=1 <2"}},
			member: "/toAgent", want: `{"agentType":"b","agentVersion":">=1 <2"}`},
		{name: "toAgent of any version", options: Options{To: message.ToAgent{AgentType: "b"}}, member: "/toAgent", want: `{"agentType":"b"}`},

		{name: "taskDescription of the state", parent: []string{}, member: "/taskDescription", want: `"d"`},
		{name: "constraints add up without repeats", state: []string{"/constraints", `["c:3","a:1","c:3"]`}, parent: []string{},
			options: Options{Constraints: []string{"d:4", "b:2"}}, member: "/constraints", want: `["a:1","b:2","c:3","d:4"]`},
		{name: "constraints: none", member: "/constraints", want: `[]`},
		{name: "constraints of the options alone", options: Options{Constraints: []string{`q:"`}}, member: "/constraints", want: `["q:\""]`},

		{name: "completed: the parent's results are carried on", parent: []string{}, state: []string{"/completedSubtasks", `[` + sub2 + `]`},
			member: "/completedSubtasks", want: `[{"subtaskId":"s1","description":"one","result":{"n":1.0}},` + sub2 + `]`},
		{name: "completed: the state's own account wins", parent: []string{}, state: []string{"/completedSubtasks", `[` + sub2 + `,` + sub1 + `]`},
			member: "/completedSubtasks", want: `[` + sub2 + `,` + sub1 + `]`},
		{name: "completed: not what the state reopens", parent: []string{}, state: []string{"/remainingSubtasks", `[` + sub1 + `]`},
			member: "/completedSubtasks", want: `[]`},
		{name: "remaining: the parent's without what is done", parent: []string{}, state: []string{"/completedSubtasks", `[` + sub2 + `]`},
			member: "/remainingSubtasks", want: `[{"subtaskId":"s3","description":"three"}]`},
		{name: "remaining: empty says that nothing is left", parent: []string{}, state: []string{"/remainingSubtasks", `[]`}, member: "/remainingSubtasks", want: `[]`},
		{name: "remaining of a first handoff", member: "/remainingSubtasks", want: `[]`},

		{name: "not inherited: currentState", parent: []string{}, member: "/currentState", want: `{}`},
		{name: "not inherited: relevantContext", parent: []string{}, member: "/relevantContext", want: `[]`},
		{name: "not inherited: summary", parent: []string{}, member: "/conversationHistorySummary", want: `""`},
		{name: "not inherited: turns", parent: []string{}, member: "/conversationHistoryVerbatim", want: `[]`},
		{name: "not inherited: tool calls", parent: []string{}, member: "/toolCallHistory", want: `[]`},
		{name: "not inherited: personal data", parent: []string{}, member: "/personalDataPayload"},
		{name: "not inherited: extensions", parent: []string{"/extensions", `{"a":1}`}, member: "/extensions/a"},
		{name: "no parent, no digest", state: []string{"/extensions", `{"parentDigest":1}`}, member: "/extensions", want: `{"parentDigest":1}`},

		{name: "tool input is hashed in its RFC 8785 form", member: "/toolCallHistory",
			state: []string{"/toolCalls", `[{"tool":"t","input":{"b": 1.0, "a":"\u0041"},"calledAt":"2026-06-12T09:00:00Z","outputTokens":7}]`},
			want:  `[{"tool":"t","inputHash":"` + sha(`{"a":"A","b":1}`) + `","calledAt":"2026-06-12T09:00:00Z","outputTokens":7}]`},
		{name: "tool input null is an input", member: "/toolCallHistory/0/inputHash", state: []string{"/toolCalls", `[{"tool":"t","input":null}]`}, want: `"` + sha("null") + `"`},
		{name: "inputHash is kept", member: "/toolCallHistory", state: []string{"/toolCalls", `[{"tool":"t","inputHash":"` + sha("x") + `"}]`},
			want: `[{"tool":"t","inputHash":"` + sha("x") + `"}]`},
		{name: "no input, no hash", member: "/toolCallHistory", state: []string{"/toolCalls", `[{"tool":"t"}]`}, want: `[{"tool":"t"}]`},

		{name: "budget relay: 0.1 + 0.2 is 0.3", parent: []string{}, member: "/costTracking",
			want: `{"costSpentSoFarUSD":0.3,"costBudgetRemainingUSD":0.6,"tokenSpent":{"prompt":11,"completion":22}}`},
		{name: "budget relay: first handoff", member: "/costTracking",
			want: `{"costSpentSoFarUSD":0.1,"costBudgetRemainingUSD":0.9,"tokenSpent":{"prompt":1,"completion":2}}`},
		{name: "budget relay: no exponents", state: []string{"/cost/costUSD", "1e-7", "/cost/budgetUSD", "1.5E+2"}, member: "/costTracking",
			want: `{"costSpentSoFarUSD":0.0000001,"costBudgetRemainingUSD":149.9999999,"tokenSpent":{"prompt":1,"completion":2}}`},
		{name: "budget relay: budgetUSD may repeat what the parent says", state: []string{"/cost/budgetUSD", "0.700"}, parent: []string{},
			member: "/costTracking/costBudgetRemainingUSD", want: "0.6"},
		{name: "budget relay: allowed to go below zero", state: []string{"/cost/costUSD", "1.25"}, options: Options{AllowExhausted: true},
			member: "/costTracking/costBudgetRemainingUSD", want: "-0.25"},
		{name: "tokens beyond 64 bits", state: []string{"/cost/tokens/prompt", longTokens}, parent: []string{},
			member: "/costTracking/tokenSpent/prompt", want: "1" + strings.Repeat("0", 28) + "09"},
		{name: "tokens written as 1e3 and 2.0", state: []string{"/cost/tokens", `{"prompt":1e3,"completion":2.0}`}, parent: []string{},
			member: "/costTracking/tokenSpent", want: `{"prompt":1010,"completion":22}`},

		{name: "set replaces", options: Options{Set: []Override{{"/taskDescription", []byte(` "e" `)}}}, member: "/taskDescription", want: `"e"`},
		{name: "set in order", options: Options{Set: []Override{{"/currentState/a", []byte(`{}`)}, {"/currentState/a/b", []byte("[ 1 ]")}}},
			member: "/currentState", want: `{"a":{"b":[1]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			state := minimal
			if tt.parent != nil {
				state = later
				tt.options.Parent = parentMessage(t, with(t, parent, tt.parent...))
			}
			m, err := Message(document(t, with(t, state, tt.state...)), tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(m.Root().At(tt.member).Raw()); got != tt.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tt.member, got, tt.want)
			}
		})
	}
}

// A message records the digest of its parent, regardless of the state, beside the extensions and
// the provenance of the state.
func TestParentDigest(t *testing.T) {
	from := parentMessage(t, with(t, parent, "/signature", `"ed25519:x"`))
	digest, err := from.Digest()
	if err != nil {
		t.Fatal(err)
	}
	own := with(t, later, "/extensions", `{"a":[1],"parentDigest":"sha256:00","b":2}`)
	for _, tt := range []struct {
		name, state string
		provenance  bool
		want        string
	}{
		{"alone", later, false, `{"parentDigest":"` + digest.String() + `"}`},
		{"beside others", own, false, `{"a":[1],"b":2,"parentDigest":"` + digest.String() + `"}`},
		{"beside origins", own, true, `{"a":[1],"b":2,"provenance":{"/completedSubtasks/0":"agent"},"parentDigest":"` + digest.String() + `"}`},
	} {
		m, err := Message(document(t, tt.state), Options{Parent: from, Provenance: tt.provenance})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(m.Root().Get("extensions").Raw()); got != tt.want || m.ParentDigest().Text() != digest.String() {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func sha(s string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(s))) }

func TestTraceparent(t *testing.T) {
	tests := []struct {
		name, parent, span string
		want               string // the trace-id, "" for a new one
		flags              string
	}{
		{name: "new trace", flags: "00"},
		{name: "the caller's trace", span: spanB, want: traceB, flags: "01"},
		{name: "the parent message's trace", parent: spanA, want: traceA, flags: "01"},
		{name: "a nearer span of the parent's trace", parent: spanA, span: spanA2, want: traceA, flags: "00"},
		{name: "the parent's trace wins over another", parent: spanA, span: spanB, want: traceA, flags: "01"},
		{name: "invalid span is ignored", span: "00-" + strings.ToUpper(traceB) + "-00f067aa0ba902b7-01", flags: "00"},
		{name: "invalid span is ignored for the parent's", parent: spanA, span: "x", want: traceA, flags: "01"},
		{name: "invalid parent's is ignored", parent: "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", span: spanB, want: traceB, flags: "01"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Traceparent: tt.span}
			state := minimal
			if tt.parent != "" {
				o.Parent = parentMessage(t, with(t, parent, "/traceparent", `"`+tt.parent+`"`))
				state = later
			}
			m, err := Message(document(t, state), o)
			if err != nil {
				t.Fatal(err)
			}
			text := m.Root().Get("traceparent").Text()
			if _, err := message.ParseTraceparent(text); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			fields := strings.Split(text, "-")
			if tt.want != "" && fields[1] != tt.want || tt.want == "" && (fields[1] == traceA || fields[1] == traceB) || fields[3] != tt.flags {
				t.Errorf("got %s, want trace %q with flags %s", text, tt.want, tt.flags)
			}
			if text == tt.parent || text == tt.span {
				t.Errorf("got %s, want a span of its own", text)
			}
		})
	}
}

func TestNewIDs(t *testing.T) {
	seen := make(map[string]bool)
	for range 2 {
		m, err := Message(document(t, minimal), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"/handoffId", "/taskId", "/fromAgent/executionId"} {
			text := m.Root().At(p).Text()
			id, err := uuid.Parse(text)
			if err != nil || id.Version() != 4 || id.String() != text || seen[text] {
				t.Errorf("%s: got %q, want a new UUID version 4 in lower case", p, text)
			}
			seen[text] = true
		}
		if stamp, err := time.Parse(time.RFC3339, m.Root().Get("timestamp").Text()); err != nil || time.Since(stamp) > time.Minute {
			t.Errorf("timestamp %v, %v: want now", stamp, err)
		}
	}
	_, err := Message(document(t, minimal), Options{Random: strings.NewReader("short")})
	if err == nil {
		t.Error("no error without random bytes")
	}
}

func TestTaskDescriptionOfTheParent(t *testing.T) {
	state := document(t, strings.Replace(later, `"taskDescription":"d",`, "", 1))
	m, err := Message(state, Options{Parent: parentMessage(t, parent)})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Root().Get("taskDescription").Text(); got != "parent's" {
		t.Errorf("got %q, want the parent's", got)
	}
}

// A state that was read with a raised depth limit gives a message of the same depth.
func TestDeepState(t *testing.T) {
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	state := document(t, with(t, minimal, "/currentState", `{"deep":`+deep+`}`))
	m, err := Message(state, Options{Set: []Override{{"/taskDescription", []byte(`"e"`)}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.Root().At("/currentState/deep").Raw()); got != deep {
		t.Errorf("got %d bytes, want %d", len(got), len(deep))
	}
}
