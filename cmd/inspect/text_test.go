package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

const inspected = `{
"schemaVersion":"2.0","handoffId":"8c1f8e2c-58c5-4a40-9c56-0d2f5b0d9a11","taskId":"1d1fb9a0-2f4b-4b0e-8d53-0a4f7a3f4d0e",
"parentHandoffId":null,"fromAgent":{"agentId":"legal-analysis-agent","agentVersion":"2.1.0","executionId":"5b0c6f0a-53a7-4f5b-9a3e-6c1de1f9a7d2"},
"toAgent":{"agentType":"risk-scoring-agent","agentVersion":">=1.5.0"},"timestamp":"2026-06-11T10:15:00+02:00",
"taskDescription":"Score the liability risk",
"completedSubtasks":[{"subtaskId":"s1","description":"Extract clauses","completedAt":"2026-06-11T10:14:00Z"}],
"remainingSubtasks":[{"subtaskId":"s2","description":"Summarise the risk in three languages, at most one page each: English, Deutsch, 日本語"}],
"constraints":["returnJSON:true"],
"costTracking":{"costSpentSoFarUSD":0.08,"costBudgetRemainingUSD":0.320,"tokenSpent":{"prompt":4200,"completion":1800}},
"conversationHistorySummary":"Short.",
"conversationHistoryVerbatim":[{"role":"user","content":"Look"},{"role":"assistant","content":"I did"}],
"toolCallHistory":[{"tool":"pdf_extract","outputTokens":3200}],
"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`

func recordOf(t *testing.T, text string, r validate.Result) record {
	t.Helper()
	return recordIn(t, format.EAAPL, text, r)
}

func recordIn(t *testing.T, f format.Format, text string, r validate.Result) record {
	t.Helper()
	raw := jsonstream.NewRaw([]byte(text))
	m, err := message.ParseInPlace(raw, message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return record{Source: "plan.json", Facts: inspect.Of(m, f, jsonstream.Limits{}), Result: r}
}

func draw(t *testing.T, columns int, colors bool, records ...record) string {
	t.Helper()
	var b bytes.Buffer
	p := newListing(&b, columns, term.NewPalette(colors), slices.ContainsFunc(records, func(r record) bool { return r.SizeTokens > 0 }))
	for _, r := range records {
		if err := p.Print(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var exhausted = validate.Result{Reason: validate.BudgetExhausted, Findings: []finding.Finding{
	{Layer: finding.Budget, Reason: validate.BudgetExhausted, Severity: finding.Error, Pointer: "/costTracking/costBudgetRemainingUSD", Rule: "budget/budget", Message: "nothing is left: found 0.320; ask for a new budget before you hand over", Line: 9, Column: 67},
	{Layer: finding.Lint, Severity: finding.Warning, Rule: "lint/secret", Message: "a\x1b[31m", Line: 10, Column: 1},
}}

func TestTextOfOne(t *testing.T) {
	want := `plan.json                                                       BUDGET_EXHAUSTED

from        legal-analysis-agent@2.1.0
to          risk-scoring-agent >=1.5.0
time        2026-06-11T10:15:00+02:00
handoff     8c1f8e2c-58c5-4a40-9c56-0d2f5b0d9a11
parent      none: the first handoff of its task
task        1d1fb9a0-2f4b-4b0e-8d53-0a4f7a3f4d0e
execution   5b0c6f0a-53a7-4f5b-9a3e-6c1de1f9a7d2
trace       4bf92f3577b34da6a3ce929d0e0e4736
schema      2.0
signed      no

Task  1 done, 1 left
  Score the liability risk
  ✓ s1  Extract clauses                                     2026-06-11T10:14:00Z
  ○ s2  Summarise the risk in three languages, at most one page each: English,
        Deutsch, 日本語

Constraints
  returnJSON:true

Budget
  █████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 20% spent
  $0.08 spent, $0.320 remaining
  6,000 tokens: 4200 prompt, 1800 completion

Size by member  1,123 bytes, 1,111 compact
  remainingSubtasks            146  13.1%  █████████████████████████████████████
`
	got := draw(t, 80, false, recordOf(t, inspected, exhausted))
	head, _, _ := strings.Cut(got, "  fromAgent ")
	if diff := cmp.Diff(want, head); diff != "" {
		t.Error(diff)
	}
	_, tail, _ := strings.Cut(got, "\nConversation")
	want = `  2 turns verbatim, 6 characters of summary
  user       1 turn  32 bytes  █████████████████████████████████████████
  assistant  1 turn  38 bytes  █████████████████████████████████████████████████

Tools
  pdf_extract  1 call  3,200 output tokens  ████████████████████████████████████

Findings  1 error, 1 warning
  error    9:67  /costTracking/costBudgetRemainingUSD: nothing is left: found
                 0.320; ask for a new budget before you hand over
                 [budget/budget]
  warning  10:1  a\x1b[31m [lint/secret]
`
	if diff := cmp.Diff(want, tail); diff != "" {
		t.Error(diff)
	}
}

func TestTextOfSeveral(t *testing.T) {
	first := recordOf(t, inspected, validate.Result{Valid: true})
	second := recordOf(t, strings.Replace(inspected, "0.320", "0.31888812", 1), exhausted)
	second.Index = 12344
	wide := recordOf(t, `{"handoffId":"日本語日本語","receiverList":[{},{}],"fromAgent":{"agentId":"\u001b[2J"},"toAgent":{"agentType":"危険度を採点する"}}`,
		validate.Result{Reason: validate.IncompleteContext})
	wide.Source = "other.json"
	want := `   # handoff  from → to             time      spent   left token bytes verdict
plan.json
   1 8c1f8e2c legal-an… → risk-sco… 08:15:00   0.08  0.320  6.0k  1.1k ✓ valid
12345 8c1f8e2c legal-a… → risk-sco… 08:15:00   0.08 0.3189  6.0k  1.1k ✗ budget
other.json
   1 日本語日 \x1b[2J → 危険度を採… -             -      -     -   144 ✗ context

3 messages, 2 invalid, 2,395 bytes
`
	if diff := cmp.Diff(want, draw(t, 80, false, first, second, wide)); diff != "" {
		t.Error(diff)
	}
	want = `   # handoff  from → to                               time                 spent   left token bytes verdict
plan.json
   1 8c1f8e2c legal-analysis-ag… → risk-scoring-agent 2026-06-11 08:15:00   0.08  0.320  6.0k  1.1k ✓ valid
   2 8c1f8e2c legal-analysis-ag… → risk-scoring-agent 2026-06-11 08:15:00   0.08 0.3189  6.0k  1.1k ✗ BUDGET_EXHAUSTED

2 messages, 1 invalid, 2,251 bytes
one task: up to $0.08 spent, down to $0.31888812 left
`
	second.Index = 1
	if diff := cmp.Diff(want, draw(t, 120, false, first, second)); diff != "" {
		t.Error(diff)
	}
	if draw(t, 80, false) != "" {
		t.Error("output without a message")
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColors checks that colours change no text.
func TestColors(t *testing.T) {
	one := recordOf(t, inspected, exhausted)
	for _, records := range [][]record{{one}, {one, one}} {
		plain, colored := draw(t, 100, false, records...), draw(t, 100, true, records...)
		if diff := cmp.Diff(plain, sgr.ReplaceAllString(colored, "")); diff != "" {
			t.Error(diff)
		}
		if !sgr.MatchString(colored) || strings.Contains(plain, "\x1b") {
			t.Error("colours are missing, or in the plain output")
		}
	}
}

// TestHostile checks that every line fits and is escaped, whatever the content of a message.
func TestHostile(t *testing.T) {
	payload := strings.Repeat("\x1b]0;pwned\a\u202e日本語\u0301\r\n", tier.Count(100, 500))
	quoted, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{`null`, `[]`, `7`, `{}`, string(quoted), fmt.Sprintf(`{%s:1}`, quoted)}
	root := recordOf(t, inspected, validate.Result{})
	for _, m := range root.Members {
		for _, value := range []string{
			`null`, `1e5000000`, string(quoted), `[` + string(quoted) + `]`, fmt.Sprintf(`{%s:%s}`, quoted, quoted),
			fmt.Sprintf(`[{"subtaskId":%[1]s,"description":%[1]s,"completedAt":%[1]s,"role":%[1]s,"tool":%[1]s,"outputTokens":1e300}]`, quoted),
			fmt.Sprintf(`{"agentId":%[1]s,"agentType":%[1]s,"agentVersion":%[1]s,"costSpentSoFarUSD":1e1000,"costBudgetRemainingUSD":-1e-1000,"tokenSpent":{"prompt":1e5000000}}`, quoted),
			`[` + strings.Repeat(`{},`, 100) + `{}]`,
		} {
			texts = append(texts, fmt.Sprintf(`{"%s":%s}`, m.Name, value))
		}
	}
	result := validate.Result{Reason: validate.SafetyViolation}
	for range term.MaxFindings + 1 {
		result.Findings = append(result.Findings, finding.Finding{Pointer: payload, Message: payload, Rule: payload, Severity: finding.Error})
	}
	var records []record
	for _, text := range texts {
		records = append(records, recordOf(t, text, result))
	}
	for f, text := range map[format.Format]string{
		format.SW4RMContext: `{"conversation_history":[{"role":%[1]s},{"role":"tool","name":%[1]s}],"tool_state":{%[1]s:[1]},"metadata":{%[1]s:1}}`,
		format.SW4RMRequest: `{"from_agent":%[1]s,"to_agent":%[1]s,"reason":%[1]s,"request_id":%[1]s,"timeout":%[1]s,"priority":1e5000000,` +
			`"capabilities_required":[%[1]s],"metadata":{%[1]s:1},"context_snapshot":{"conversation_history":[],%[1]s:1}}`,
		format.SW4RMResponse: `{"accepted":true,"accepting_agent":%[1]s,"status":%[1]s,"rejection_reason":%[1]s,"handoff_id":%[1]s}`,
		format.OpenAI: `{"input_history":%[1]s,"pre_handoff_items":[{"type":%[1]s},{"type":"function_call","name":"transfer_to_"}],` +
			`"new_items":[{"type":"function_call","name":%[1]s,"call_id":"1"},{"type":"function_call_output","call_id":"1","output":"{\"assistant\":1}"}]}`,
		format.MACP: `{"messages":[{"macp_version":"1.0","mode":"macp.mode.handoff.v1","message_type":"SessionStart","message_id":"1","session_id":%[1]s,"sender":%[1]s,` +
			`"payload":{"intent":%[1]s,"participants":[%[1]s,"b"],"mode_version":%[1]s,"configuration_version":%[1]s,"policy_version":%[1]s,"ttl_ms":1}},` +
			`{"macp_version":"1.0","mode":"macp.mode.handoff.v1","message_type":"HandoffOffer","message_id":"2","session_id":%[1]s,"sender":%[1]s,` +
			`"payload":{"handoff_id":%[1]s,"target_participant":"b","scope":%[1]s,"reason":%[1]s}}]}`,
	} {
		r := recordIn(t, f, fmt.Sprintf(text, quoted), result)
		if f == format.MACP && len(r.Profile.Sections[0].Rows) == 0 {
			t.Fatal("no handoff to draw")
		}
		records = append(records, r)
	}
	for _, r := range records {
		r.Source = payload
		for _, columns := range []int{80, 133} {
			for _, out := range []string{draw(t, columns, false, r), draw(t, columns, false, r, r)} {
				for line := range strings.SplitSeq(out, "\n") {
					if w := term.Width(line); w > columns {
						t.Fatalf("%d columns of %d: %.200q", w, columns, line)
					}
				}
				if i := strings.IndexFunc(strings.ReplaceAll(out, "\n", ""), term.IsHidden); i >= 0 {
					t.Fatalf("hidden characters in %.200q", out[i:])
				}
			}
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, recordOf(t, `{"costTracking":{"costSpentSoFarUSD":0.10}}`, validate.Result{Valid: true})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"source":"plan.json","index":0,"format":"eaapl","schemaVersion":""`, `"spentUSD":0.10,"remainingUSD":null,"spentShare":null`, `"validation":{"valid":true,`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in %s", want, b.String())
		}
	}
}

// TestJSONOfFormats checks that the facts of a format and the verdict are members of the record itself.
func TestJSONOfFormats(t *testing.T) {
	var b bytes.Buffer
	r := recordIn(t, format.SW4RMResponse, `{"accepted":true,"handoff_id":"h","rejection_reason":null,"status":"ACCEPTED"}`, validate.Result{Valid: true})
	if err := report.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Source, HandoffID string
		SW4RM             struct{ Status string }
		Validation        validate.Result
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Source != "plan.json" || got.HandoffID != "h" || got.SW4RM.Status != "ACCEPTED" || !got.Validation.Valid {
		t.Errorf("%s", &b)
	}
}
