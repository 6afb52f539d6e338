package sw4rm

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// formatOf detects the format of a document.
func formatOf(t testing.TB, root jsonstream.Value) format.Format {
	t.Helper()
	for _, d := range []*format.Descriptor{&RequestFormat, &ContextFormat, &ResponseFormat} {
		if slices.ContainsFunc(d.Marks, func(name string) bool { return root.Get(name).Exists() }) {
			return d.Name
		}
	}
	t.Fatalf("in no known format: %s", root.Raw())
	return ""
}

// check returns the rules that a document breaks, with the pointers.
func check(t testing.TB, text string) (broken []string, problems []finding.Finding) {
	t.Helper()
	doc := parse(t, text)
	problems = Check(doc, formatOf(t, doc.Root()), jsonstream.Limits{})
	for _, p := range problems {
		broken = append(broken, strings.TrimPrefix(p.Rule, "sw4rm/")+" "+p.Pointer)
	}
	return broken, problems
}

// TestRuleExamples checks that every rule has an example that breaks only that rule, and a valid
// example.
func TestRuleExamples(t *testing.T) {
	examples := map[string]string{
		"sw4rm/history-length": contextOf(51, "x"),
		"sw4rm/context-size":   contextOf(1, strings.Repeat("long and ", 12_000)),
	}
	seen := map[string]bool{}
	for _, r := range Rules() {
		bad, good := r.Bad, r.Good
		if bad == "" {
			bad, good = examples[r.ID], emptyContext
		}
		_, problems := check(t, bad)
		if len(problems) != 1 || problems[0].Rule != r.ID || problems[0].Severity != r.Severity {
			t.Errorf("%s: %+v", r.ID, problems)
		}
		if broken, _ := check(t, good); len(broken) > 0 {
			t.Errorf("%s: the good one breaks %s", r.ID, broken)
		}
		if seen[r.ID] || r.Summary == "" || r.Why == "" {
			t.Errorf("%s: twice, or not explained", r.ID)
		}
		seen[r.ID] = true
	}
}

// contextOf returns a context of n messages.
func contextOf(n int, content string) string {
	message := `{"role":"user","content":"` + content + `"}`
	return `{"conversation_history":[` + strings.Repeat(message+",", n-1) + message + `],"tool_state":{},"metadata":{}}`
}

func TestCheck(t *testing.T) {
	binary := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00binary\xff", 120)))
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"fifty messages", contextOf(50, "x"), nil},
		{"every missing member is named", snapshot(`{"conversation_history":[{"role":"user"},{"content":"x"}]}`), []string{
			"context-member /context_snapshot/tool_state", "context-member /context_snapshot/metadata",
			"context-member /context_snapshot/conversation_history/0/content", "context-member /context_snapshot/conversation_history/1/role"}},
		{"types in a snapshot", snapshot(`{"conversation_history":[7,{"role":"user","content":["x"],"metadata":[],"name":1}],"tool_state":[],"metadata":null}`), []string{
			"context-type /context_snapshot/tool_state", "context-type /context_snapshot/metadata", "context-type /context_snapshot/conversation_history/0",
			"context-type /context_snapshot/conversation_history/1/content", "context-type /context_snapshot/conversation_history/1/name",
			"context-type /context_snapshot/conversation_history/1/metadata"}},
		{"an inline context is the schema's business", `{"from_agent":"a","context_snapshot":{"conversation_history":[{"role":"user","timestamp":1}]}}`, nil},
		{"a snapshot of another type, too", `{"from_agent":"a","context_snapshot":[1]}`, nil},
		{"a snapshot that is null", `{"from_agent":"a","context_snapshot":null}`, nil},
		{"an empty snapshot", `{"from_agent":"a","context_snapshot":""}`, []string{"snapshot-json /context_snapshot"}},
		{"an array in the snapshot", snapshot(`[]`), []string{"snapshot-json /context_snapshot"}},
		{"damaged gzip in the snapshot", snapshot("\x1f\x8b\x08"), []string{"snapshot-json /context_snapshot"}},
		{"gzip in the snapshot", snapshot(string(gzipped.Pack([]byte(`{"conversation_history":[],"tool_state":{},"metadata":{}}`)))), nil},
		{"gzip of an incomplete context", snapshot(string(gzipped.Pack([]byte(`{"conversation_history":[],"metadata":{}}`)))), []string{"context-member /context_snapshot/tool_state"}},
		{"a large context", `{"conversation_history":[],"tool_state":{},"metadata":{"a":"` + strings.Repeat("x ", maxBytes) + `"}}`, []string{"context-size "}},
		{"a large context as gzip", snapshot(string(gzipped.Pack([]byte(`{"conversation_history":[],"tool_state":{},"metadata":{"a":"` + strings.Repeat("x ", maxBytes) + `"}}`)))), nil},
		{"a name twice in the snapshot", snapshot(`{"a":1,"a":2}`), []string{"snapshot-json /context_snapshot"}},
		{"rules hold inside a snapshot", snapshot(`{"conversation_history":[{"role":"Tool","content":"x"}],"tool_state":{"cached_results":{"a":1}},"metadata":{}}`), []string{
			"role /context_snapshot/conversation_history/0/role", "cached-results /context_snapshot/tool_state/cached_results"}},
		{"rules hold in an inline context", `{"from_agent":"a","preserve_history":false,"context_snapshot":{"tool_state":{},"conversation_history":[{"role":"tool","content":"x"}]}}`, []string{
			"preserve-history /context_snapshot/conversation_history", "tool-call-id /context_snapshot/conversation_history/0"}},
		{"an empty tool_call_id", `{"conversation_history":[{"role":"tool","content":"x","tool_call_id":""}]}`, []string{"tool-call-id /conversation_history/0"}},
		{"a call whose result is cached", `{"conversation_history":[],"tool_state":{"active_calls":[{"call_id":"b"},7,{},{"call_id":"a"}],"cached_results":{"a":1,"":2}}}`, []string{
			"completed-call /tool_state/active_calls/3/call_id", "cached-results /tool_state/cached_results"}},
		{"binary data anywhere", `{"conversation_history":[],"metadata":{"x":["` + binary + `"],"hex":"` + strings.Repeat("0aF", 400) + ` "}}`, []string{"embedded-binary /metadata/x/0"}},
		{"binary data in lines, in the URL alphabet", `{"conversation_history":[],"metadata":"` + strings.Repeat(`Az0_-A\r\n`, 200) + `"}`, []string{"embedded-binary /metadata"}},
		{"a rejection that was not decided", `{"accepted":false,"handoff_id":"h","status":"PENDING"}`, nil},
		{"a rejection with the default status", `{"accepted":false,"handoff_id":"h"}`, []string{"rejection-reason /rejection_reason"}},
		{"a rejection with an empty reason", `{"accepted":false,"handoff_id":"h","rejection_reason":""}`, []string{"rejection-reason /rejection_reason"}},
		{"accepted by default PENDING", `{"accepted":true,"handoff_id":"h","rejection_reason":null}`, nil},
		{"an acceptance with a reason", `{"accepted":true,"handoff_id":"h","rejection_reason":"no"}`, []string{"rejection-reason /rejection_reason"}},
		{"completed, but not accepted", `{"accepted":false,"handoff_id":"h","status":"COMPLETED","rejection_reason":"no"}`, []string{"response-status /status"}},
		{"what is of no type", `{"accepted":"yes","handoff_id":1,"status":3}`, nil},
		{"a history that is none", `{"conversation_history":{"0":1},"tool_state":[],"metadata":3}`, nil},
	} {
		if broken, problems := check(t, tt.in); !slices.Equal(broken, tt.want) {
			t.Errorf("%s: %s\n%+v", tt.name, cmp.Diff(tt.want, broken), problems)
		}
	}
}

// TestCheckPositions checks that a fault inside base64 has the position of the string, and that all
// other positions are exact.
func TestCheckPositions(t *testing.T) {
	_, problems := check(t, "{\"from_agent\":\"a\",\n \"context_snapshot\":\""+base64.StdEncoding.EncodeToString([]byte("{}"))+`"}`)
	if p := problems[0]; p.Line != 2 || p.Column != 21 || p.Offset != 39 {
		t.Errorf("%+v", p)
	}
	_, problems = check(t, "{\"conversation_history\":[\n {\"role\":\"x\",\"content\":\"\"}]}")
	if p := problems[0]; p.Line != 2 || p.Column != 10 {
		t.Errorf("%+v", p)
	}
}

// TestCheckIsBounded bounds the number and the length of the findings for a hostile document.
func TestCheckIsBounded(t *testing.T) {
	name := strings.Repeat("n", 10_000)
	in := `{"conversation_history":[` + strings.Repeat(`{"role":"`+name[:200]+`"},`, 1000) + `{}],"metadata":{"` + name + `":["data:a;base64,A"]}}`
	_, problems := check(t, in)
	size := 0
	for _, p := range problems {
		size += len(p.Message) + len(p.Pointer)
	}
	if len(problems) > 2*maxPerRule || size > 100_000 {
		t.Errorf("%d problems, %d bytes", len(problems), size)
	}
	if p := problems[len(problems)-1]; p.Rule != "sw4rm/embedded-binary" || p.Pointer != "/metadata" {
		t.Errorf("%+v", p)
	}
}

func BenchmarkCheck(b *testing.B) {
	calls := strings.Repeat(`{"call_id":"a"},`, 10_000)
	for name, text := range map[string]string{
		"messages": contextOf(10_000, "x"),
		"calls":    `{"conversation_history":[],"tool_state":{"active_calls":[` + calls + `{}],"cached_results":{"a":1}}}`,
		"depth":    `{"conversation_history":[],"metadata":` + nest(400) + `}`,
	} {
		b.Run(name, func(b *testing.B) {
			doc := parse(b, text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Check(doc, format.SW4RMContext, jsonstream.Limits{})
			}
		})
	}
}

func nest(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}
