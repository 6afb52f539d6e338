package audit

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
)

// TestStatsSLO checks that a pair of agents that was too slow in each of the last windows is named, with one
// alert for any number of breaches, and that one late message in between causes none.
func TestStatsSLO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := audittest.Open(t, path) // its records are a second apart, from 09:30:01 on
	for range 3 {
		for _, r := range []audit.Record{
			{Sender: "reader", Receiver: "scorer", Transport: "nats", LatencyMicros: 650_250},
			{Sender: "reader", Receiver: "writer", Transport: "nats", LatencyMicros: 2_100_000},
			{Sender: "scorer", Receiver: "writer", Transport: "nats", LatencyMicros: 12_345},
		} {
			r.Event = audit.Accepted
			audittest.Add(t, l, r, nil)
		}
	}
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, Sender: "scorer", Receiver: "writer", Transport: "http", LatencyMicros: 500_001}, nil)

	var told []string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		told = append(told, string(text))
	}))
	defer hook.Close()
	slo := func(args ...string) string {
		t.Helper()
		told = nil
		got, err := execute(t, append([]string{"stats"}, append(args, "--audit-log", path, "--alert-url", hook.URL, "--slo-window", "3s", "--until", "2026-06-12T09:30:12Z")...)...)
		if !errors.Is(err, cli.ErrNo) {
			t.Fatalf("error %v, want a no", err)
		}
		return got
	}
	has := func(text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("there is no %q in\n%s", w, text)
			}
		}
	}

	text := slo("--slo")
	has(text, "  persistent latency breach  reader → scorer\n", `
Persistent  reader → scorer  nats
  2026-06-12 09:30:00 – 09:30:03  1 handoff, 1 over 500ms, 0 over 2s, maximum 650ms
  2026-06-12 09:30:03 – 09:30:06  1 handoff, 1 over 500ms, 0 over 2s, maximum 650ms
  2026-06-12 09:30:06 – 09:30:09  1 handoff, 1 over 500ms, 0 over 2s, maximum 650ms

Persistent  reader → writer  nats
`)
	if strings.Contains(text, "persistent latency breach  scorer") {
		t.Error("one late message is persistent")
	}
	const scorer = `"transport":"nats","mode":"durable queue","targetMicros":500000,"maximumMicros":2000000,"windows":[` +
		`{"from":"2026-06-12T09:30:00Z","until":"2026-06-12T09:30:03Z","count":1,"late":1,"unacceptable":0,"maxMicros":650250},` +
		`{"from":"2026-06-12T09:30:03Z","until":"2026-06-12T09:30:06Z","count":1,"late":1,"unacceptable":0,"maxMicros":650250},` +
		`{"from":"2026-06-12T09:30:06Z","until":"2026-06-12T09:30:09Z","count":1,"late":1,"unacceptable":0,"maxMicros":650250}]}`
	if len(told) != 1 {
		t.Fatalf("%d alerts, want 1", len(told))
	}
	if got, _, _ := strings.Cut(told[0], `,{"sender":"reader","receiver":"writer",`); got != `{"alert":"LATENCY_SLO","at":"2026-06-12T09:30:12Z","breaches":[{"sender":"reader","receiver":"scorer",`+scorer {
		t.Errorf("the alert is %s", told[0])
	}

	lines := strings.Split(slo("--slo", "-f", "json"), "\n")
	has(lines[1], `{"sender":"reader","receiver":"scorer",`, `"breaches":[{`+scorer+`],"over":["p99 latency","persistent latency breach"]}`)
	has(lines[3], `"breaches":[],"over":["p99 latency","maximum latency"]`)
	has(slo("--slo", "-f", "prometheus"), `handoff_audit_over_threshold{sender="reader",receiver="scorer",metric="persistent latency breach"} 1`)

	// Without --slo, or with other limits, there is no alert.
	if text := slo(); strings.Contains(strings.ToLower(text), "persistent") || told != nil {
		t.Errorf("told %q:\n%s", told, text)
	}
	if text := slo("--slo", "--slo-limit", "nats=1s/5s"); strings.Contains(text, "Persistent  reader → scorer") || len(told) != 1 || strings.Contains(told[0], "scorer") {
		t.Errorf("told %q:\n%s", told, text)
	}
	if text := slo("--slo", "--slo-limit", "nats=3s/5s"); told != nil || !strings.HasSuffix(text, "Persistent  no pair of agents is in persistent breach of the SLO\n") {
		t.Errorf("told %q:\n%s", told, text)
	}
}

// TestStatsFlags checks that invalid flags are errors before anything is read, and cause no alert.
func TestStatsFlags(t *testing.T) {
	for want, args := range map[string][]string{
		`--slo-limit: "nats=20ms" is not a limit: write TRANSPORT=P99/MAXIMUM, such as nats=20ms/100ms`: {"--slo-limit", "nats=20ms"},
		"--slo: 1 windows: use 2 to 1000, because one window is not persistent":                         {"--slo", "--slo-windows", "1"},
		"--slo: windows of -1s: use a duration above 0, such as 5m":                                     {"--slo", "--slo-window", "-1s"},
	} {
		_, err := execute(t, append([]string{"stats"}, append(args, "--audit-log", "nowhere.db")...)...)
		if err == nil {
			t.Fatalf("%v is taken", args)
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Error(diff)
		}
	}
}
