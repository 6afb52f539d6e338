package otlp_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/audit/trace/otlp"
)

// export returns the spans of a task as JSON, and as read by OpenTelemetry's own code, which rejects unknown
// members.
func export(t *testing.T, l *audit.Log, task string) (string, []*tracepb.Span) {
	t.Helper()
	var text []byte
	err := l.Store().View(t.Context(), func(r audit.Reader) error {
		found, err := trace.Read(r, task)
		if err != nil {
			return err
		}
		request, err := otlp.Export(r, found, "1.0")
		if err != nil {
			return err
		}
		text, err = json.Marshal(request)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var data tracepb.TracesData
	if err := protojson.Unmarshal(text, &data); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var spans []*tracepb.Span
	ids := map[string]bool{}
	for _, r := range data.ResourceSpans {
		if len(r.Resource.Attributes) != 1 || r.Resource.Attributes[0].Key != "service.name" || len(r.ScopeSpans) != 1 {
			t.Errorf("resource %v", r.Resource)
		}
		for _, s := range r.ScopeSpans[0].Spans {
			if id := digits(s.TraceId) + digits(s.SpanId); ids[id] {
				t.Errorf("two spans have the id %s", id)
			} else {
				ids[id] = true
			}
			if len(digits(s.TraceId)) != 32 || len(digits(s.SpanId)) != 16 || s.StartTimeUnixNano > s.EndTimeUnixNano || s.Name == "" {
				t.Errorf("span %v", s)
			}
			spans = append(spans, s)
		}
	}
	return string(text), spans
}

// digits returns an id in the form of OTLP/JSON, in hexadecimal digits; protobuf's JSON has bytes in base64.
func digits(id []byte) string { return base64.StdEncoding.EncodeToString(id) }

func find(t *testing.T, spans []*tracepb.Span, name string) *tracepb.Span {
	t.Helper()
	i := slices.IndexFunc(spans, func(s *tracepb.Span) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no span %s", name)
	}
	return spans[i]
}

func attribute(s *tracepb.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return strings.Trim(fmt.Sprint(a.Value.GetStringValue(), a.Value.GetIntValue(), a.Value.GetDoubleValue()), " ")
		}
	}
	return ""
}

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	span1   = "00f067aa0ba902b7"
	span2   = "b7ad6b7169203331"
)

func text(id, parent, from, to, traceparent string) []byte {
	if parent != "" {
		parent = `"parentHandoffId":"` + parent + `",`
	}
	return fmt.Appendf(nil, `{"handoffId":%q,"taskId":"t",%s"fromAgent":{"agentId":%q},"toAgent":{"agentType":%q},"traceparent":%q,"taskDescription":"Ada's secret"}`, id, parent, from, to, traceparent)
}

// TestTask checks that a task that was dispatched, accepted and completed is one tree of spans, from one agent
// to the next.
func TestTask(t *testing.T) {
	l := audittest.New(t) // from 2026-06-12T09:30:01Z on, one second apart
	code, failed := 0, 3
	first := text("h1", "", "reader", "scorer", "00-"+traceID+"-"+span1+"-01")
	second := text("h2", "h1", "scorer", "writer", "00-"+traceID+"-"+span2+"-01")
	for _, add := range []struct {
		r       audit.Record
		message []byte
	}{
		{audit.Record{Event: audit.Dispatched, TraceID: traceID}, first},
		{audit.Record{Event: audit.Accepted, TraceID: traceID, Transport: "nats", LatencyMicros: 250_000, Attempt: 1}, first},
		{audit.Record{Event: audit.HandedOver, HandoffID: "h1", TaskID: "t"}, nil},
		{audit.Record{Event: audit.Completed, HandoffID: "h1", TaskID: "t", Sender: "reader", Receiver: "scorer", Attempt: 1, Details: audit.Details{ExitCode: &code, DurationMicros: 1_500_000}}, nil},
		{audit.Record{Event: audit.Dispatched, TraceID: traceID}, second},
		{audit.Record{Event: audit.Rejected, Reason: "SCHEMA_INVALID", TraceID: traceID, Transport: "nats", Attempt: 1, Details: audit.Details{Findings: []audit.Finding{{Rule: "r", Severity: "error", Message: "Ada's secret"}}}}, second},
		{audit.Record{Event: audit.Accepted, TraceID: traceID, Transport: "nats", LatencyMicros: 20_000, Attempt: 2, Details: audit.Details{By: "Ada", Findings: []audit.Finding{{Rule: "r", Severity: "warning", Message: "Ada's secret"}}}}, second},
		{audit.Record{Event: audit.ExecutionFailed, HandoffID: "h2", TaskID: "t", Sender: "scorer", Receiver: "writer", Reason: "EXECUTION_FAILED", Attempt: 2, Details: audit.Details{ExitCode: &failed, Explanation: "Ada's secret"}}, nil},
		{audit.Record{Event: audit.RolledBack, HandoffID: "h2", TaskID: "t", Sender: "scorer", Receiver: "writer", Reason: "EXECUTION_FAILED", Attempt: 2, Details: audit.Details{By: "Ada"}}, nil},
	} {
		audittest.Add(t, l, add.r, add.message)
	}
	all, spans := export(t, l, "t")
	if strings.Contains(all, "Ada") {
		t.Errorf("it has what a message, or a person, says:\n%s", all)
	}
	if again, _ := export(t, l, "T"); again != all {
		t.Error("it is another one the second time")
	}
	begin := time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC)
	named := map[string]string{}
	for _, s := range spans {
		named[digits(s.SpanId)] = s.Name
	}
	var got []string
	for _, s := range spans {
		if digits(s.TraceId) != traceID {
			t.Errorf("the trace of %s is %s", s.Name, digits(s.TraceId))
		}
		at := func(nanos uint64) time.Duration { return time.Unix(0, int64(nanos)).Sub(begin) }
		line := fmt.Sprint(s.Name, " below ", named[digits(s.ParentSpanId)], ", ", at(s.StartTimeUnixNano), " to ", at(s.EndTimeUnixNano), " ", s.Kind, " ", s.GetStatus().GetMessage())
		for _, e := range s.Events {
			line += " " + e.Name
		}
		got = append(got, line)
	}
	slices.Sort(got)
	want := []string{
		"handoff scorer below send scorer, 1s to 2s SPAN_KIND_CONSUMER  handoff.handed_over",
		"handoff writer below send writer, 5s to 7s SPAN_KIND_CONSUMER ROLLED_BACK handoff.rejected handoff.rolled_back",
		"invoke_agent scorer below handoff scorer, 2.5s to 4s SPAN_KIND_INTERNAL ",
		"invoke_agent writer below handoff writer, 8s to 8s SPAN_KIND_INTERNAL EXECUTION_FAILED",
		"send scorer below , 1s to 1s SPAN_KIND_PRODUCER ",
		"send writer below invoke_agent scorer, 5s to 5s SPAN_KIND_PRODUCER ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for id, name := range map[string]string{span1: "send scorer", span2: "send writer"} {
		if named[id] != name {
			t.Errorf("the span %s of traceparent is %q, want %q", id, named[id], name)
		}
	}
	accepted := find(t, spans, "handoff scorer")
	for key, want := range map[string]string{
		"messaging.system": "nats0 0", "messaging.message.id": "h10 0", "messaging.operation.type": "process0 0", "messaging.destination.name": "scorer0 0",
		"messaging.message.conversation_id": "t0 0", "handoff.sender": "reader0 0", "handoff.status": "ACCEPTED0 0", "handoff.latency": "0 0.25", "handoff.attempt": "1 0",
	} {
		if got := attribute(accepted, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got := attribute(find(t, spans, "invoke_agent writer"), "process.exit.code"); got != "3 0" {
		t.Errorf("the exit code is %q", got)
	}
	if accepted.Flags != 0x301 {
		t.Errorf("flags %x", accepted.Flags)
	}
}

// TestWithoutDispatch checks that, without a dispatch in the log, the parent of a handoff is the span of its
// traceparent, in any trace, and that a link leads to the previous handoff, even in another trace.
func TestWithoutDispatch(t *testing.T) {
	l := audittest.New(t)
	other := strings.Repeat("ab", 16)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, TraceID: traceID}, text("h1", "", "a", "b", "00-"+traceID+"-"+span1+"-00"))
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, TraceID: other}, text("h2", "h1", "b", "c", "00-"+other+"-"+span2+"-00"))
	_, spans := export(t, l, "t")
	first, second := find(t, spans, "handoff b"), find(t, spans, "handoff c")
	if digits(first.ParentSpanId) != span1 || digits(second.ParentSpanId) != span2 || digits(second.TraceId) != other || len(first.Links) != 0 {
		t.Errorf("got %v and %v", first, second)
	}
	if len(second.Links) != 1 || digits(second.Links[0].SpanId) != digits(first.SpanId) || digits(second.Links[0].TraceId) != traceID {
		t.Errorf("links %v", second.Links)
	}
}

// TestWithoutMessage checks that a handoff without a message is in the trace of its task, with the previous
// handoff as parent, and that the trace id of a record is used, with a link to the previous handoff.
func TestWithoutMessage(t *testing.T) {
	l := audittest.New(t)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, HandoffID: "h1", TaskID: "t", Sender: "a", Receiver: "b"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, HandoffID: "h2", TaskID: "t", ParentHandoffID: "h1", Sender: "b", Receiver: "c"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Rejected, HandoffID: "h3", TaskID: "t", ParentHandoffID: "h2", Sender: "c", Receiver: "d", Reason: "BUDGET_EXHAUSTED", TraceID: traceID}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Rejected, TaskID: "t", Reason: "SCHEMA_INVALID"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Rejected, TaskID: "t", Reason: "SCHEMA_INVALID"}, nil)
	_, spans := export(t, l, "t")
	if len(spans) != 5 {
		t.Fatalf("%d spans", len(spans))
	}
	b, c, d := find(t, spans, "handoff b"), find(t, spans, "handoff c"), find(t, spans, "handoff d")
	if digits(b.TraceId) != digits(c.TraceId) || digits(c.ParentSpanId) != digits(b.SpanId) || len(b.ParentSpanId) != 0 || len(c.Links) != 0 {
		t.Errorf("got %v and %v", b, c)
	}
	if digits(d.TraceId) != traceID || len(d.ParentSpanId) != 0 || len(d.Links) != 1 || attribute(d, "error.type") != "BUDGET_EXHAUSTED0 0" || d.Status.Code != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("got %v", d)
	}
	if _, err := hex.DecodeString(digits(b.TraceId)); err != nil {
		t.Error(err)
	}
}

// TestFan checks that a handoff to several receivers has a span for each, and that a join is linked to all
// branches.
func TestFan(t *testing.T) {
	file, err := os.ReadFile("../../../../testdata/chain/fan-in/good/task.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	joining := audittest.New(t)
	task := ""
	for line := range strings.Lines(string(file)) {
		task = audittest.Add(t, joining, audit.Record{Event: audit.Accepted}, []byte(line)).TaskID
	}
	_, spans := export(t, joining, task)
	joined := 0
	for _, s := range spans {
		for _, link := range s.Links {
			if link.Attributes[0].Value.GetStringValue() == "joined" {
				joined++
				if s.Name != "handoff archive-agent" || !slices.ContainsFunc(spans, func(o *tracepb.Span) bool {
					return digits(o.SpanId) == digits(link.SpanId) && o.Name == "handoff report-agent"
				}) {
					t.Errorf("%s: a link leads to %s", s.Name, digits(link.SpanId))
				}
			}
		}
	}
	if len(spans) != 4 || joined != 1 {
		t.Errorf("%d spans, %d joined branches", len(spans), joined)
	}

	l := audittest.New(t)
	for _, to := range []string{"b", "c"} {
		audittest.Add(t, l, audit.Record{Event: audit.Accepted, HandoffID: "h1", TaskID: "t", Sender: "a", Receiver: to}, nil)
		audittest.Add(t, l, audit.Record{Event: audit.Completed, HandoffID: "h1", TaskID: "t", Sender: "a", Receiver: to, Details: audit.Details{DurationMicros: 5}}, nil)
	}
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, HandoffID: "h2", TaskID: "t", ParentHandoffID: "h1", Sender: "c", Receiver: "d"}, nil)
	_, spans = export(t, l, "t")
	if len(spans) != 5 || digits(find(t, spans, "handoff d").ParentSpanId) != digits(find(t, spans, "invoke_agent c").SpanId) {
		t.Errorf("got %v", spans)
	}
}

// TestRevoked checks that a handoff that was taken back before its acceptance has failed, and one that was
// accepted before has not.
func TestRevoked(t *testing.T) {
	l := audittest.New(t)
	audittest.Add(t, l, audit.Record{Event: audit.Dispatched, HandoffID: "h1", TaskID: "t", Sender: "a", Receiver: "b"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Revoked, HandoffID: "h1", TaskID: "t", Receiver: "b", Reason: "REVOKED"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, HandoffID: "h2", TaskID: "t", Sender: "a", Receiver: "c"}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Revoked, HandoffID: "h2", TaskID: "t", Receiver: "c", Reason: "REVOKED"}, nil)
	_, spans := export(t, l, "t")
	early, late := find(t, spans, "handoff b"), find(t, spans, "handoff c")
	if early.Status.Code != tracepb.Status_STATUS_CODE_ERROR || attribute(early, "error.type") != "REVOKED0 0" || early.Events[0].Name != "handoff.revoked" {
		t.Errorf("got %v", early)
	}
	if late.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_UNSET || attribute(late, "handoff.status") != "ACCEPTED0 0" {
		t.Errorf("got %v", late)
	}
}
