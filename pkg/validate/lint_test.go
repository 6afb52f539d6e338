package validate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/secrets"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

var lintNow = time.Date(2026, 6, 12, 10, 0, 0, 0, time.UTC)

func lintText(t testing.TB, text string, receiver *Receiver) []finding.Finding {
	t.Helper()
	raw := jsonstream.NewRaw([]byte(text))
	doc, err := jsonstream.Parse(raw, jsonstream.Limits{})
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return lint(lintContext{doc.Root(), format.EAAPL, receiver, lintNow})
}

// lintDocument lints without a receiver.
func lintDocument(doc *jsonstream.Document) []finding.Finding {
	return lint(lintContext{doc.Root(), format.EAAPL, nil, lintNow})
}

// verbatim makes a message of turns.
func verbatim(turns ...string) string {
	return `{"conversationHistoryVerbatim":[` + strings.Join(turns, ",") + `]}`
}

const (
	chatCall        = `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	chatResult      = `{"role":"tool","tool_call_id":"c1","content":"ok"}`
	responsesCall   = `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`
	responsesResult = `{"type":"function_call_output","call_id":"c1","output":"ok"}`
	anthropicCall   = `{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"c1","name":"f","input":{}}]}`
	anthropicResult = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}`
	long            = "Clause 4.2 deviates strongly from the standard: it has no cap on liability at all."
)

func TestLintHistory(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []string // keyword and place, in the history
	}{
		{name: "chat pair", in: verbatim(chatCall, chatResult)},
		{name: "responses pair", in: verbatim(responsesCall, responsesResult)},
		{name: "anthropic pair", in: verbatim(anthropicCall, anthropicResult)},
		{name: "pair across forms", in: verbatim(responsesCall, anthropicResult)},
		{name: "call in both forms at once", in: verbatim(
			`{"role":"assistant","content":[{"type":"tool_use","id":"c1"}],"tool_calls":[{"id":"c1"}]}`, chatResult)},
		{name: "anthropic server tool in one turn", in: verbatim(
			`{"role":"assistant","content":[{"type":"server_tool_use","id":"c1"},{"type":"web_search_tool_result","tool_use_id":"c1"}]}`)},
		{name: "local shell pair", in: verbatim(`{"type":"local_shell_call","id":"i1","call_id":"c1"}`, `{"type":"local_shell_call_output","id":"c1","output":"ok"}`)},
		{name: "hosted call with its result inside", in: verbatim(`{"type":"web_search_call","id":"ws_1","status":"completed"}`)},
		{name: "no ids to pair", in: verbatim(`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f"}}]}`, `{"role":"tool","content":"ok"}`)},

		{name: "chat call alone", in: verbatim(chatCall), want: []string{"tool-call-without-result /0/tool_calls/0/id"}},
		{name: "responses call alone", in: verbatim(responsesCall), want: []string{"tool-call-without-result /0/call_id"}},
		{name: "computer call alone", in: verbatim(`{"type":"computer_call","id":"i1","call_id":"c1"}`), want: []string{"tool-call-without-result /0/call_id"}},
		{name: "custom call alone", in: verbatim(`{"type":"custom_tool_call","call_id":"c1"}`), want: []string{"tool-call-without-result /0/call_id"}},
		{name: "anthropic call alone", in: verbatim(anthropicCall), want: []string{"tool-call-without-result /0/content/1/id"}},
		{name: "one of two calls answered", in: verbatim(
			`{"role":"assistant","content":"","tool_calls":[{"id":"c0"},{"id":"c1"}]}`, chatResult), want: []string{"tool-call-without-result /0/tool_calls/0/id"}},
		{name: "chat result alone", in: verbatim(chatResult), want: []string{"tool-result-without-call /0/tool_call_id"}},
		{name: "responses result alone", in: verbatim(responsesResult), want: []string{"tool-result-without-call /0/call_id"}},
		{name: "computer result alone", in: verbatim(`{"type":"computer_call_output","call_id":"c1"}`), want: []string{"tool-result-without-call /0/call_id"}},
		{name: "anthropic result alone", in: verbatim(anthropicResult), want: []string{"tool-result-without-call /0/content/0/tool_use_id"}},
		{name: "result before call", in: verbatim(chatResult, chatCall), want: []string{"tool-call-without-result /1/tool_calls/0/id", "tool-result-without-call /0/tool_call_id"}},

		{name: "same id", in: verbatim(`{"id":"m1","role":"user","content":"a"}`, `{"id":"m1","role":"user","content":"b"}`), want: []string{"duplicate-turn /1"}},
		{name: "same id in another role", in: verbatim(`{"id":"r1","role":"user","content":"a"}`, `{"id":"r1","role":"assistant","content":"b"}`)},
		{name: "empty ids", in: verbatim(`{"id":"","role":"user","content":"a"}`, `{"id":"","role":"user","content":"b"}`)},
		{name: "same call", in: verbatim(responsesCall, responsesCall, responsesResult), want: []string{"duplicate-turn /1/call_id"}},
		{name: "same result", in: verbatim(chatCall, chatResult, chatResult), want: []string{"duplicate-turn /2/tool_call_id"}},
		{name: "same call twice in one turn", in: verbatim(
			`{"role":"assistant","content":[{"type":"tool_use","id":"c1"},{"type":"tool_use","id":"c1"}]}`, anthropicResult), want: []string{"duplicate-turn /0/content/1/id"}},
		{name: "same long text", in: verbatim(`{"role":"user","content":"`+long+`"}`, `{ "role": "user", "content": "`+long+`" }`), want: []string{"duplicate-turn /1"}},
		{name: "same short text", in: verbatim(`{"role":"user","content":"Yes, please go on."}`, `{"role":"user","content":"Yes, please go on."}`)},
		{name: "same short text at the same time", in: verbatim(
			`{"role":"user","content":"ok","timestamp":"2026-06-12T09:00:00Z"}`, `{"role":"user","content":"ok","timestamp":"2026-06-12T09:00:00Z"}`), want: []string{"duplicate-turn /1"}},
		{name: "same short text at another time", in: verbatim(
			`{"role":"user","content":"ok","timestamp":"2026-06-12T09:00:00Z"}`, `{"role":"user","content":"ok","timestamp":"2026-06-12T09:01:00Z"}`)},
		{name: "same long text in another role", in: verbatim(`{"role":"user","content":"`+long+`"}`, `{"role":"assistant","content":"`+long+`"}`)},
		{name: "three times", in: verbatim(`{"id":"m1","role":"user"}`, `{"id":"m1","role":"user"}`, `{"id":"m1","role":"user"}`), want: []string{"duplicate-turn /1", "duplicate-turn /2"}},

		{name: "system turns first", in: verbatim(`{"role":"system","content":"a"}`, `{"role":"developer","content":"b"}`, `{"role":"user","content":"c"}`)},
		{name: "system turn in the middle", in: verbatim(`{"role":"user","content":"a"}`, `{"role":"system","content":"b"}`), want: []string{"system-turn-mid-history /1/role"}},
		{name: "developer turn in the middle", in: verbatim(`{"role":"user","content":"a"}`, `{"role":"developer","content":"b"}`), want: []string{"system-turn-mid-history /1/role"}},
		{name: "system turn in disguise", in: verbatim(`{"role":"user","content":"a"}`, `{"role":" System","content":"b"}`), want: []string{"system-turn-mid-history /1/role"}},
		{name: "system turn after an item without role", in: verbatim(`{"type":"reasoning"}`, `{"role":"system","content":"b"}`), want: []string{"system-turn-mid-history /1/role"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range lintText(t, tt.in, nil) {
				got = append(got, ruleName(f)+" "+strings.TrimPrefix(f.Pointer, "/conversationHistoryVerbatim"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestLintMembers(t *testing.T) {
	tests := []struct {
		name     string
		in       string
		receiver *Receiver
		want     []string // keyword and place
		says     string   // part of the first message
	}{
		{name: "constraints", in: `{"constraints":["returnJSON:true","x.y-z_1: a b","url:http://a"]}`},
		{name: "constraint without a name", in: `{"constraints":["a:b",":b"]}`, want: []string{"constraint-form /constraints/1"}},
		{name: "constraint without a value", in: `{"constraints":["a: "]}`, want: []string{"constraint-form /constraints/0"}},
		{name: "constraint in prose", in: `{"constraints":["Mind this: answer in JSON"]}`, want: []string{"constraint-form /constraints/0"}, says: `found "Mind this: answer in JSON"`},
		{name: "constraint of another type", in: `{"constraints":[1,null,{"a":"b"}]}`},

		{name: "clock skew", in: `{"timestamp":"2026-06-12T10:05:00Z"}`},
		{name: "other offset", in: `{"timestamp":"2026-06-12T12:01:00+02:00"}`},
		{name: "future", in: `{"timestamp":"2026-06-12T10:05:01Z"}`, want: []string{"timestamp-future /timestamp"}, says: "5m1s ahead"},
		{name: "far future", in: `{"timestamp":"9999-12-31T23:59:59Z"}`, want: []string{"timestamp-future /timestamp"}, says: "days ahead"},
		{name: "no time", in: `{"timestamp":"tomorrow"}`},

		{name: "no seconds", in: `{"timestamp":"2026-06-12T09:30Z"}`, want: []string{"time-form /timestamp"}, says: `write "2026-06-12T09:30:00Z"`},
		{name: "basic form", in: `{"toolCallHistory":[{"calledAt":"20260612T093000+0200","inputHash":""}]}`,
			want: []string{"time-form /toolCallHistory/0/calledAt"}, says: `write "2026-06-12T09:30:00+02:00"`},
		{name: "no offset", in: `{"timestamp":"2026-06-12T09:30:00","completedSubtasks":[{"result":1,"completedAt":"20260612T0930"}]}`,
			want: []string{"time-without-offset /timestamp", "time-without-offset /completedSubtasks/0/completedAt"}, says: `write "2026-06-12T09:30:00Z"`},
		{name: "no offset, in the future", in: `{"timestamp":"2026-06-12T10:30:00"}`, want: []string{"timestamp-future /timestamp", "time-without-offset /timestamp"}},

		{name: "all details", in: `{"completedSubtasks":[{"result":null,"completedAt":""}],"toolCallHistory":[{"inputHash":""}]}`},
		{name: "no result", in: `{"completedSubtasks":[{"completedAt":""}]}`, want: []string{"unreported-detail /completedSubtasks/0"}, says: "has no result:"},
		{name: "no details", in: `{"completedSubtasks":[{},1],"toolCallHistory":[{}]}`,
			want: []string{"unreported-detail /completedSubtasks/0", "unreported-detail /completedSubtasks/0", "unreported-detail /toolCallHistory/0"}, says: "has no result:"},

		{name: "completed before", in: `{"timestamp":"2026-06-12T09:00:00Z","completedSubtasks":[{"result":1,"completedAt":"2026-06-12T08:59:59Z"}]}`},
		{name: "timestamp in whole seconds", in: `{"timestamp":"2026-06-12T09:00:00Z","completedSubtasks":[{"result":1,"completedAt":"2026-06-12T09:00:00.999Z"}]}`},
		{name: "completed after", in: `{"timestamp":"2026-06-12T09:00:00Z","completedSubtasks":[1,{"result":1,"completedAt":"2026-06-12t11:00:01+01:00"}]}`,
			want: []string{"completed-after-timestamp /completedSubtasks/1/completedAt"}, says: "1h0m1s after"},

		{name: "done or left", in: `{"completedSubtasks":[{"subtaskId":"a","result":1,"completedAt":""}],"remainingSubtasks":[{"subtaskId":"b"}]}`},
		{name: "done and left", in: `{"completedSubtasks":[{"subtaskId":"b","result":1,"completedAt":""},{"subtaskId":"a","result":1,"completedAt":""}],"remainingSubtasks":[{"subtaskId":"a"}]}`,
			want: []string{"subtask-done-and-left /remainingSubtasks/0/subtaskId"}, says: "/completedSubtasks/1"},
		{name: "done in the message before", in: `{"remainingSubtasks":[{"subtaskId":"a"}]}`},
		{name: "no id both times", in: `{"completedSubtasks":[1,{"subtaskId":"","result":1,"completedAt":""}],"remainingSubtasks":[{},{"subtaskId":""},{"subtaskId":null}]}`},

		{name: "window large enough", in: `{"conversationHistorySummary":"` + strings.Repeat("text", 74) + `"}`, receiver: &Receiver{ContextWindow: 81}},
		{name: "window too small", in: `{"conversationHistorySummary":"` + strings.Repeat("text", 74) + `"}`, receiver: &Receiver{ContextWindow: 79},
			want: []string{"context-window "}, says: "≈ 80"},
		{name: "white space is no text", in: `{"a":"b"` + strings.Repeat(" ", 400) + `}`, receiver: &Receiver{ContextWindow: 10}},
		{name: "window unknown", in: `{"a":"` + strings.Repeat("text", 100) + `"}`, receiver: &Receiver{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings := lintText(t, tt.in, tt.receiver)
			if diff := cmp.Diff(tt.want, places(findings)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", tt.in, diff)
			}
			if len(findings) > 0 && !strings.Contains(findings[0].Message, tt.says) {
				t.Errorf("message %q does not say %q", findings[0].Message, tt.says)
			}
		})
	}
}

func places(findings []finding.Finding) []string {
	var got []string
	for _, f := range findings {
		got = append(got, ruleName(f)+" "+f.Pointer)
	}
	return got
}

func TestLintSecret(t *testing.T) {
	secret := secrets.Kinds()[0].Example
	value := secret[secrets.Find(secret)[0].Offset:]
	quoted := fmt.Sprintf("%q", secret)
	tests := []struct {
		name string
		in   string
		want []string
	}{
		{name: "summary", in: `{"conversationHistorySummary":` + quoted + `}`, want: []string{"secret /conversationHistorySummary"}},
		{name: "state", in: `{"currentState":{"a":[{"b":` + quoted + `}]}}`, want: []string{"secret /currentState/a/0/b"}},
		{name: "result", in: `{"completedSubtasks":[{"completedAt":"","result":` + quoted + `}]}`, want: []string{"secret /completedSubtasks/0/result"}},
		{name: "excerpt", in: `{"relevantContext":[{"excerpt":` + quoted + `}]}`, want: []string{"secret /relevantContext/0/excerpt"}},
		{name: "extension", in: `{"extensions":{"x":` + quoted + `}}`, want: []string{"secret /extensions/x"}},
		{name: "arguments in JSON", in: verbatim(`{"tool_calls":[{"function":{"arguments":"{\"key\":` + strings.ReplaceAll(quoted, `"`, `\"`) + `}"}}]}`),
			want: []string{"secret /conversationHistoryVerbatim/0/tool_calls/0/function/arguments"}},
		{name: "member name", in: `{"currentState":{"a":{` + quoted + `:` + quoted + `}}}`, want: []string{"secret /currentState/a"}},
		{name: "name at the root", in: `{` + quoted + `:1}`, want: []string{"secret "}},
		{name: "one kind twice", in: `{"taskDescription":"` + secret + ` ` + secret + `"}`, want: []string{"secret /taskDescription"}},
		{name: "constraint", in: `{"constraints":[` + quoted + `]}`, want: []string{"secret /constraints/0", "constraint-form /constraints/0"}},
		{name: "root is a string", in: quoted, want: []string{"secret "}},
		{name: "ids", in: `{"signature":` + quoted + `,"handoffId":` + quoted + `,"traceparent":` + quoted + `}`},
		{name: "signature of a part", in: verbatim(`{"content":[{"type":"thinking","signature":` + quoted + `}]}`)},
		{name: "signature that is not a string", in: `{"signature":{"a":` + quoted + `}}`, want: []string{"secret /signature/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings := lintText(t, tt.in, nil)
			if diff := cmp.Diff(tt.want, places(findings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, f := range findings {
				if strings.Contains(f.PlacedMessage(), value) {
					t.Errorf("the secret is printed: %s", f.PlacedMessage())
				}
			}
		})
	}
}

func TestLintCompletesFindings(t *testing.T) {
	findings := lintText(t, "\n"+` {"constraints":["a"]}`, nil)
	want := []finding.Finding{{
		Layer: finding.Lint, Reason: SchemaInvalid, Severity: finding.Warning, Rule: "lint/constraint-form", Pointer: "/constraints/0",
		Message: `the constraint is not of the form name:value: found "a"; write it like maxResponseTokens:2000`, Line: 2, Column: 18, Offset: 18,
	}}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every member that lint rules read, with every kind of value as its value and inside it.
func TestLintAnyShape(t *testing.T) {
	values := []string{`null`, `true`, `0`, `1e999`, `""`, `"x"`, `[]`, `{}`, `[null,1,"x",[],{}]`, `{"":{}}`}
	members := []string{"timestamp", "completedSubtasks", "remainingSubtasks", "constraints", "conversationHistoryVerbatim", "signature"}
	inner := []string{"id", "role", "type", "content", "tool_calls", "tool_call_id", "call_id", "tool_use_id", "subtaskId", "completedAt", "created"}
	receiver := &Receiver{ContextWindow: 1}
	for _, v := range values {
		lintText(t, v, receiver)
		for _, m := range members {
			lintText(t, fmt.Sprintf(`{%q:%s}`, m, v), receiver)
			for _, i := range inner {
				turn := fmt.Sprintf(`{%q:%s}`, i, v)
				lintText(t, fmt.Sprintf(`{%q:[%s,%s]}`, m, turn, turn), receiver)
				lintText(t, fmt.Sprintf(`{%q:[{"role":"tool","type":"tool_result","content":[%s],"tool_calls":[%s]}]}`, m, turn, turn), receiver)
			}
		}
	}
}

func TestLintBoundsFindings(t *testing.T) {
	in := `{"constraints":[` + strings.Repeat(`"a",`, 5*maxPerRule) + `"a"],"conversationHistoryVerbatim":[` +
		strings.Repeat(`{"id":"m1"},`, 5*maxPerRule) + `{"id":"m1"}]}`
	if got := len(lintText(t, in, nil)); got != 2*maxPerRule {
		t.Errorf("got %d findings, want %d", got, 2*maxPerRule)
	}
}

// Twice the turns must take about twice the time: see ns/turn.
func BenchmarkLint(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var turns []string
			for i := range n {
				turns = append(turns, fmt.Sprintf(`{"id":"m%d","role":"assistant","content":"%s","tool_calls":[{"id":"c%d"}]},{"role":"tool","tool_call_id":"c%d","content":"ok"}`, i, long, i, i))
			}
			raw := jsonstream.Raw{Bytes: []byte(verbatim(turns...))}
			doc, err := jsonstream.Parse(raw, jsonstream.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				lintDocument(doc)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*n), "ns/turn")
		})
	}
}
