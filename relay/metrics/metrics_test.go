package metrics_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/metrics"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

func answer(status receiver.Status, sender, to string) receiver.Answer {
	a := receiver.Answer{Status: status}
	a.Record.Sender, a.Record.Receiver = sender, to
	return a
}

// parse parses metrics with Prometheus' own parser. A duplicate sample is an error.
func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) map[string]*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for name, f := range families {
		seen := map[string]bool{}
		for _, m := range f.Metric {
			if labels := fmt.Sprint(m.Label); seen[labels] {
				t.Fatalf("%s%s is there twice", name, labels)
			} else {
				seen[labels] = true
			}
		}
		if f.GetHelp() == "" || f.GetType() == dto.MetricType_UNTYPED {
			t.Fatalf("%s has no help or type", name)
		}
		if counter := f.GetType() == dto.MetricType_COUNTER; counter != strings.HasSuffix(name, "_total") {
			t.Fatalf("%s is named as it should not be", name)
		}
	}
	return families
}

func write(t interface {
	Helper()
	Fatalf(string, ...any)
}, r *metrics.Receiver) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(context.Background(), &b); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

// TestTransportUp checks that the transport is down from a failure until it works again or a message arrives,
// and not because of other failures.
func TestTransportUp(t *testing.T) {
	r := metrics.NewReceiver(metrics.Options{})
	for _, tt := range []struct {
		name   string
		happen func()
		up     int
	}{
		{"at the beginning", func() {}, 1},
		{"a message became a dead letter", func() { r.Trouble(io.EOF) }, 1},
		{"down", func() { r.Down(io.EOF) }, 0},
		{"the audit log works again", r.Recovered, 0},
		{"up", r.Up, 1},
		{"down again", func() { r.Down(io.EOF) }, 0},
		{"a message", func() { r.Taken(transport.Message{}) }, 1},
	} {
		tt.happen()
		if text := write(t, r); !strings.Contains(text, fmt.Sprintf("\nhandoff_transport_up{transport=\"\"} %d\n", tt.up)) {
			t.Errorf("%s: it is not %d:\n%s", tt.name, tt.up, text)
		}
	}
}

// TestReceiver checks that every action of a receiver is counted once, under the names in docs/metrics.md.
func TestReceiver(t *testing.T) {
	r := metrics.NewReceiver(metrics.Options{
		Transport: "nats", Version: "1.2.3", InFlight: func() int { return 4 },
		DeadLetters: func(context.Context) (int, error) { return 2, nil },
	})
	r.Taken(transport.Message{Kind: transport.Handoff})
	r.Taken(transport.Message{})
	r.Taken(transport.Message{Kind: "forged"})
	r.Answered(answer(receiver.Accepted, "a", "b"), 150*time.Millisecond)
	r.Answered(answer(receiver.Accepted, "a", "b"), 200*time.Millisecond)
	r.Answered(answer(receiver.Accepted, "a", "b"), 0)
	r.Answered(answer("COMPLETED", "a", "b"), 0)
	r.Answered(answer(receiver.Duplicate, "a", "b"), time.Hour)
	rejected := answer(receiver.Rejected, "a", "b")
	rejected.Reason = "SCHEMA_INVALID"
	r.Answered(rejected, time.Hour)
	rejected.Reason, rejected.Record.Event = receiver.ExecutionFailed, audit.ExecutionFailed
	r.Answered(rejected, 0)
	resumed := answer(receiver.Accepted, "a", "b")
	resumed.Resumed = true
	r.Answered(resumed, 0)
	r.Ended(receiver.Answer{}, receiver.Execution{Duration: 2 * time.Second})
	r.Ended(receiver.Answer{}, receiver.Execution{ExitCode: 3, AtOnce: true})
	r.Ended(receiver.Answer{}, receiver.Execution{ExitCode: 137, Duration: time.Minute})
	r.Down(io.EOF)
	r.Up()
	r.Trouble(io.EOF)
	r.Recovered()
	revoked := answer(receiver.Rejected, "a", "b")
	revoked.Reason = receiver.Revoked
	r.Revoked(revoked)
	r.Revoked(answer(receiver.Accepted, "a", "b")) // too late
	text := write(t, r)
	for _, line := range []string{
		`handoff_messages_received_total{transport="nats",kind="handoff"} 2`,
		`handoff_messages_received_total{transport="nats",kind="other"} 1`,
		`handoff_handoffs_accepted_total{transport="nats",sender="a",receiver="b"} 3`,
		`handoff_handoffs_duplicate_total{transport="nats",sender="a",receiver="b"} 1`,
		`handoff_handoffs_rejected_total{transport="nats",sender="a",receiver="b",reason="SCHEMA_INVALID"} 1`,
		`handoff_handoffs_resumed_total{transport="nats"} 1`,
		`handoff_handover_latency_seconds_bucket{transport="nats",sender="a",receiver="b",le="0.1"} 0`,
		`handoff_handover_latency_seconds_bucket{transport="nats",sender="a",receiver="b",le="0.2"} 2`,
		`handoff_handover_latency_seconds_bucket{transport="nats",sender="a",receiver="b",le="+Inf"} 2`,
		`handoff_handover_latency_seconds_sum{transport="nats",sender="a",receiver="b"} 0.35`,
		`handoff_handover_latency_target_seconds{transport="nats"} 0.5`,
		`handoff_handover_latency_maximum_seconds{transport="nats"} 2`,
		`handoff_agent_runs_total{outcome="completed"} 1`,
		`handoff_agent_runs_total{outcome="failed"} 1`,
		`handoff_agent_runs_total{outcome="rolled_back"} 1`,
		`handoff_agent_run_duration_seconds_count 3`,
		`handoff_transport_up{transport="nats"} 1`,
		`handoff_transport_troubles_total{transport="nats"} 2`,
		`handoff_transport_reconnects_total{transport="nats"} 1`,
		`handoff_messages_in_flight{transport="nats"} 4`,
		`handoff_dead_letters 2`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no %s in\n%s", line, text)
		}
	}
	if strings.Contains(text, "EXECUTION_FAILED") {
		t.Error("the end of an agent is counted as a rejection")
	}
	families := parse(t, text)
	if build := families["handoff_build_info"]; build == nil || build.Metric[0].Label[0].GetValue() != "1.2.3" {
		t.Errorf("build info is %v", build)
	}
	if again := write(t, r); again != text {
		t.Error("the order changes")
	}
}

// TestBounded checks that the number of time series is limited, whatever the number and the names of agents,
// and that rejected agents do not use up the limit of others.
func TestBounded(t *testing.T) {
	r := metrics.NewReceiver(metrics.Options{Transport: "http"})
	for i := range 10_000 {
		a := answer(receiver.Rejected, fmt.Sprint("stranger-", i), "b")
		a.Reason = "SIGNATURE_INVALID"
		r.Answered(a, 0)
	}
	r.Answered(answer(receiver.Accepted, "a", "b"), time.Millisecond)
	for i := range 1000 {
		r.Answered(answer(receiver.Accepted, fmt.Sprint("sender-", i), "b"), time.Millisecond)
	}
	accepted := parse(t, write(t, r))["handoff_handoffs_accepted_total"].Metric
	if len(accepted) > metrics.MaxPairs+1 {
		t.Errorf("%d pairs", len(accepted))
	}
	total, found := 0.0, false
	for _, m := range accepted {
		total += m.Counter.GetValue()
		found = found || slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return l.GetName() == "sender" && l.GetValue() == "a" })
	}
	if total != 1001 || !found {
		t.Errorf("%v accepted, a is found: %v", total, found)
	}
}

// TestHostileNames checks that no name of an agent can break the format, forge a sample or control a terminal,
// and that different names stay different.
func TestHostileNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hostile := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\"} 1\nforged 1\n", `\`, `"`, "\x1b[2J", "\xff\xfe", "\u202e", "a\u0300", strings.Repeat("é", 100), strings.Repeat("x", 127) + "é"}))
		a, b := hostile.Draw(rt, "a"), hostile.Draw(rt, "b")
		r := metrics.NewReceiver(metrics.Options{Transport: a, Version: b})
		r.Answered(answer(receiver.Accepted, a, b), 1)
		r.Answered(answer(receiver.Accepted, b, a), 1)
		text := write(rt, r)
		if strings.ContainsAny(text, "\x1b\r\u202e") || !utf8.ValidString(text) || strings.Contains(text, "\nforged") {
			rt.Fatalf("%q", text)
		}
		want := 2
		if a == b {
			want = 1
		}
		if got := len(parse(rt, text)["handoff_handoffs_accepted_total"].Metric); got != want {
			rt.Fatalf("%d pairs of %q and %q", got, a, b)
		}
		if label := metrics.Label(a); len(label) > 128 || metrics.Label(label) != label {
			rt.Fatalf("the label of %q is %q, and of that %q", a, label, metrics.Label(label))
		}
	})
}

// TestSecretName checks that a credential in the name of an agent is not shown.
func TestSecretName(t *testing.T) {
	r := metrics.NewReceiver(metrics.Options{})
	r.Answered(answer(receiver.Accepted, "ghp_"+strings.Repeat("aB3dE5", 6), "b"), 1)
	if text := write(t, r); strings.Contains(text, "aB3dE5") || !strings.Contains(text, "[secret]") {
		t.Error(text)
	}
}

// TestServeHTTP checks that the metrics are served for GET, and that dead letters are counted at most once per
// interval, and left out if that fails.
func TestServeHTTP(t *testing.T) {
	asked := 0
	failing := errors.New("no database")
	server := httptest.NewServer(metrics.NewReceiver(metrics.Options{DeadLetters: func(context.Context) (int, error) { asked++; return asked, failing }}))
	defer server.Close()
	for range 3 {
		response, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != metrics.ContentType {
			t.Fatalf("%v %s %v", err, response.Status, response.Header)
		}
		if families := parse(t, string(text)); families["handoff_dead_letters"] != nil || families["handoff_transport_up"] == nil {
			t.Errorf("got\n%s", text)
		}
	}
	if asked != 1 {
		t.Errorf("dead letters were counted %d times", asked)
	}
	response, err := http.Post(server.URL, "text/plain", nil)
	if err != nil || response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %v %v", response.Status, err)
	}
	response.Body.Close()
}

// TestStore checks that updates of a store are measured, and have the same results as before.
func TestStore(t *testing.T) {
	r := metrics.NewReceiver(metrics.Options{})
	l := audit.NewLog(r.Store(audittest.New(t).Store()), nil)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted}, nil)
	failing := errors.New("no")
	if err := l.Append(t.Context(), func(*audit.Batch) error { return failing }); !errors.Is(err, failing) {
		t.Error(err)
	}
	families := parse(t, write(t, r))
	if n := families["handoff_audit_commit_duration_seconds"].Metric[0].Histogram.GetSampleCount(); n != 1 {
		t.Errorf("%d commits", n)
	}
	if n := families["handoff_audit_commit_failures_total"].Metric[0].Counter.GetValue(); n != 1 {
		t.Errorf("%v failures", n)
	}
}

// TestConcurrent counts and reads in many goroutines at the same time.
func TestConcurrent(t *testing.T) {
	r := metrics.NewReceiver(metrics.Options{Transport: "redis"})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				r.Taken(transport.Message{})
				r.Answered(answer(receiver.Accepted, "a", "b"), time.Millisecond)
				r.Ended(receiver.Answer{}, receiver.Execution{})
				r.Down(io.EOF)
				r.Up()
				write(t, r)
			}
		})
	}
	group.Wait()
	if n := parse(t, write(t, r))["handoff_handoffs_accepted_total"].Metric[0].Counter.GetValue(); n != 1600 {
		t.Errorf("%v accepted", n)
	}
}
