package stats_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/stats"
)

// TestPersistentBreach checks that a breach is persistent if each of the last windows with handoffs is over a
// limit, on one transport, between two agents. Each latency is a letter for one second, the oldest first: "-"
// none, "o" in time, "L" over the target of the p99, "X" over the maximum.
func TestPersistentBreach(t *testing.T) {
	for _, tt := range []struct {
		name    string
		windows string // of one second
		want    string // the windows of the breach
	}{
		{"none", "ooooooo", ""},
		{"one record", "------L", ""},
		{"one unacceptable record", "------X", ""},
		{"two windows", "-----LL", ""},
		{"three windows", "----LLL", "LLL"},
		{"more than three", "LLLLLLL", "LLL"},
		{"unacceptable ones, too", "----LXL", "LXL"},
		{"it is over", "LLLLLLo", ""},
		{"it was in time in between", "--LLoLL", ""},
		{"quiet windows say nothing", "-L--L-L----", "LLL"},
		{"too long ago", "LLL----------", ""},
		{"the first one is too long ago", "LL---------L", "LLL"},
		{"the first one is a window too long ago", "LL----------L", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			letters := map[int64]byte{1: 'o', 500_001: 'L', 2_000_001: 'X'}
			store, now := clocked(t)
			for i := range len(tt.windows) {
				*now = now.Add(time.Second)
				for micros, letter := range letters {
					if tt.windows[i] == letter {
						audittest.Add(t, store, audit.Record{Event: audit.Accepted, Sender: "a", Receiver: "b", Transport: "nats", LatencyMicros: micros}, nil)
					}
				}
			}
			report, err := stats.Read(t.Context(), store.Store(), stats.Options{SLO: &stats.SLO{Now: now.Add(time.Millisecond), Window: time.Second, Windows: 3}})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, m := range report.Pairs {
				for _, b := range m.Breaches {
					for _, w := range b.Windows {
						got += string(letters[w.Max.Microseconds()])
						if w.Until.Sub(w.From) != time.Second || w.Count != 1 || w.Late != 1 || !w.Over() {
							t.Errorf("window %+v", w)
						}
					}
				}
			}
			if got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.windows, got, tt.want)
			}
			if report.Total.Breaches != nil {
				t.Error("all handoffs are no pair")
			}
		})
	}
}

// clocked returns a log and the time of its records.
func clocked(t *testing.T) (*audit.Log, *time.Time) {
	now := time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC)
	return audit.NewLog(audittest.New(t).Store(), func() time.Time { return now }), &now
}

// TestBreachIsOfAPair checks that pairs and transports are separate: only the slow ones are reported.
func TestBreachIsOfAPair(t *testing.T) {
	l, now := clocked(t)
	for range 3 {
		*now = now.Add(time.Minute)
		for _, r := range []audit.Record{
			{Sender: "a", Receiver: "b", Transport: "http", LatencyMicros: 300_000}, // late only over HTTP
			{Sender: "a", Receiver: "b", Transport: "nats", LatencyMicros: 300_000},
			{Sender: "a", Receiver: "c", Transport: "http", LatencyMicros: 100_000},
		} {
			r.Event = audit.Accepted
			audittest.Add(t, l, r, nil)
		}
	}
	o := stats.Options{SLO: &stats.SLO{Now: *now, Window: time.Minute, Windows: 3}}
	check := func(want ...string) {
		t.Helper()
		report, err := stats.Read(t.Context(), l.Store(), o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range report.Pairs {
			for _, b := range m.Breaches {
				got = append(got, fmt.Sprint(m.Sender, m.Receiver, " ", b.Transport, " ", b.Limits.P99, " ", m.Over()))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	check("ab http 200ms [p99 latency persistent latency breach]")
	o.Limits = map[string]stats.Limits{"nats": {P99: 100 * time.Millisecond, Maximum: 200 * time.Millisecond}, "http": {P99: time.Second, Maximum: time.Second}}
	check("ab nats 100ms [p99 latency maximum latency persistent latency breach]")
	o.Until = now.Add(-time.Minute) // the last two are not there
	check()
}

// TestBreachIsOfP99 checks that one late message of a hundred, which does not change the p99, is not a breach,
// and that two are.
func TestBreachIsOfP99(t *testing.T) {
	for late := range 3 {
		l, now := clocked(t)
		for range 3 {
			*now = now.Add(time.Minute)
			err := l.Append(t.Context(), func(b *audit.Batch) error {
				for i := range 100 {
					r := audit.Record{Event: audit.Accepted, Sender: "a", Receiver: "b", Transport: "redis", LatencyMicros: 1}
					if i < late {
						r.LatencyMicros = 600_000
					}
					if _, err := b.Add(r, nil); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		report, err := stats.Read(t.Context(), l.Store(), stats.Options{SLO: &stats.SLO{Now: *now, Window: time.Minute, Windows: 3}})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(report.Pairs[0].Breaches) > 0; got != (late > 1) {
			t.Errorf("%d of 100 late: breach %v", late, got)
		}
	}
}

func TestSLOThatIsNone(t *testing.T) {
	for _, s := range []stats.SLO{{Window: time.Minute, Windows: 1}, {Windows: 3}, {Window: -1, Windows: 3}, {Window: 1, Windows: 1 << 30}} {
		if _, err := stats.Read(t.Context(), audittest.New(t).Store(), stats.Options{SLO: &s}); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

func TestParseLimits(t *testing.T) {
	name, l, err := stats.ParseLimits("NATS=20ms/1s")
	if want := (stats.Limits{Mode: "durable queue", P99: 20 * time.Millisecond, Maximum: time.Second}); name != "nats" || l != want || err != nil {
		t.Errorf("got %s %+v %v", name, l, err)
	}
	for _, text := range []string{"", "nats", "nats=", "nats=20ms", "nats=20/100", "=1s/2s", "nats=2s/1s", "nats=0s/1s", "nats=-1s/1s", "nats=1s/2s/3s"} {
		if _, _, err := stats.ParseLimits(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestAbsurdLatency checks that an absurd latency counts as late, and has no other effect.
func TestAbsurdLatency(t *testing.T) {
	l, now := clocked(t)
	for range 3 {
		*now = now.Add(time.Minute)
		audittest.Add(t, l, audit.Record{Event: audit.Accepted, Sender: "a", Receiver: "b", LatencyMicros: 1<<53 - 1}, nil)
		audittest.Add(t, l, audit.Record{Event: audit.Accepted, Sender: "a", Receiver: "b", LatencyMicros: 1}, nil)
	}
	report, err := stats.Read(t.Context(), l.Store(), stats.Options{SLO: &stats.SLO{Now: *now, Window: time.Minute, Windows: 3}})
	if err != nil {
		t.Fatal(err)
	}
	x := report.Pairs[0].Latencies[0]
	if x.P50 != time.Microsecond || x.P99 != x.Max || x.Max < 100*365*24*time.Hour || x.Sum < x.Max || len(report.Pairs[0].Breaches) != 1 {
		t.Errorf("got %+v", x)
	}
}
