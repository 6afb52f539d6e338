package stats_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/audit/stats"
)

func fill(t *testing.T, n int, record func(i int) audit.Record) *audit.Log {
	t.Helper()
	l := audittest.New(t)
	err := l.Append(t.Context(), func(b *audit.Batch) error {
		for i := range n {
			if _, err := b.Add(record(i), nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func read(t *testing.T, l *audit.Log, since time.Time) *stats.Report {
	t.Helper()
	report, err := stats.Read(t.Context(), l.Store(), stats.Options{Since: since})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestThresholds checks that the permitted number does not exceed the thresholds of sections 8.1 and 6.5, and
// that one more does.
func TestThresholds(t *testing.T) {
	accepted := func(transport string, micros int64) audit.Record {
		return audit.Record{Event: audit.Accepted, Transport: transport, LatencyMicros: micros}
	}
	rejected := audit.Record{Event: audit.Rejected, Reason: "SCHEMA_INVALID"}
	unsafe := audit.Record{Event: audit.Rejected, Reason: "SAFETY_VIOLATION"}
	for _, tt := range []struct {
		metric  stats.Metric
		all     int // records
		record  audit.Record
		allowed int // of them
	}{
		{stats.FailureRate, 100, rejected, 2},
		{stats.UnsafeRate, 1000, unsafe, 1},
		{stats.DeadLetterDepth, 1, audit.Record{Event: audit.DeadLettered}, 0},
		{stats.LatencyP99, 1000, accepted("http", 200_001), 10},
		{stats.LatencyP99, 1000, accepted("nats", 500_001), 10},
		{stats.LatencyP99, 1000, accepted("temporal", 1_000_001), 10},
		{stats.LatencyMaximum, 1000, accepted("http", 500_001), 0},
		{stats.LatencyMaximum, 1000, accepted("redis", 2_000_001), 0},
		{stats.LatencyMaximum, 1000, accepted("temporal", 5_000_001), 0},
	} {
		for _, n := range []int{tt.allowed, tt.allowed + 1} {
			t.Run(fmt.Sprint(tt.metric, tt.record.Transport, n), func(t *testing.T) {
				l := fill(t, max(tt.all, n), func(i int) audit.Record {
					r := accepted(tt.record.Transport, 1)
					if i < n {
						r = tt.record
					}
					r.Sender, r.Receiver = "a", "b"
					return r
				})
				report := read(t, l, time.Time{})
				if got := slices.Contains(report.Pairs[0].Over(), tt.metric); got != (n > tt.allowed) {
					t.Errorf("%d of %d: over %v", n, tt.all, report.Pairs[0].Over())
				}
				if report.Over() != (len(report.Total.Over()) > 0) {
					t.Errorf("one pair and all are not the same")
				}
			})
		}
	}
	t.Run("rollback rate", func(t *testing.T) {
		for _, n := range []int{1, 2} {
			l := fill(t, 100+n, func(i int) audit.Record {
				if i >= 100 {
					return audit.Record{Event: audit.RolledBack, Sender: "a", Receiver: "b"}
				}
				return audit.Record{Event: audit.Accepted, Sender: "a", Receiver: "b"}
			})
			if over := read(t, l, time.Time{}).Over(); over != (n > 1) {
				t.Errorf("%d of 100: over %v", n, over)
			}
		}
	})
}

// TestDeadLetters checks that dead letters wait until a person decides, whatever their age, and that a released
// one is not another handoff.
func TestDeadLetters(t *testing.T) {
	l := audittest.New(t)
	letter := audittest.Add(t, l, audit.Record{Event: audit.DeadLettered, Sender: "a", Receiver: "b"}, nil)
	since := letter.RecordedAt.Add(time.Second)
	if got := read(t, l, since).Total.DeadLetters; got != 1 {
		t.Errorf("%d wait, want 1", got)
	}
	audittest.Add(t, l, audit.Record{Event: audit.Released, Details: audit.Details{Concerns: &letter.Sequence}}, nil)
	audittest.Add(t, l, audit.Record{Event: audit.Accepted, Details: audit.Details{By: "someone"}}, nil)
	if got := read(t, l, since).Total; got.DeadLetters != 0 || got.Handoffs != 0 {
		t.Errorf("got %+v", got)
	}
}

// TestPairs checks that pairs are counted separately, and add up to the total.
func TestPairs(t *testing.T) {
	l := fill(t, 30, func(i int) audit.Record {
		r := audit.Record{Event: audit.Accepted, Sender: "a", Receiver: string(rune('b' + i%3)), Transport: "nats", LatencyMicros: int64(i + 1)}
		r.Details.Compressed = i%3 == 0
		return r
	})
	report := read(t, l, time.Time{})
	var got []string
	for _, m := range append([]stats.Metrics{report.Total}, report.Pairs...) {
		x := m.Latencies[0]
		got = append(got, fmt.Sprint(m.Receiver, " ", m.Handoffs, " ", m.Compressed, " ", m.Rate(m.Compressed) > 0.3, " ", x.Transport, x.Count, " ", x.P50, " ", x.P99, " ", x.Max))
	}
	want := []string{" 30 10 true nats30 15µs 30µs 30µs", "b 10 10 true nats10 13µs 28µs 28µs", "c 10 0 false nats10 14µs 29µs 29µs", "d 10 0 false nats10 15µs 30µs 30µs"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPercentiles checks the percentiles against the plain definition.
func TestPercentiles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		micros := rapid.SliceOfN(rapid.Int64Range(1, 1000), 1, 300).Draw(rt, "micros")
		l := fill(t, len(micros), func(i int) audit.Record { return audit.Record{Event: audit.Accepted, LatencyMicros: micros[i]} })
		x := read(t, l, time.Time{}).Total.Latencies[0]
		for percent, got := range map[int]time.Duration{50: x.P50, 99: x.P99, 100: x.Max} {
			atMost, below := 0, 0
			for _, m := range micros {
				if time.Duration(m)*time.Microsecond <= got {
					atMost++
				}
				if time.Duration(m)*time.Microsecond < got {
					below++
				}
			}
			if atMost*100 < percent*len(micros) || below*100 >= percent*len(micros) {
				rt.Errorf("p%d of %v is %v", percent, micros, got)
			}
		}
	})
}

// TestRevoked checks that a message that its sender revoked before it arrived is not counted as a failure.
func TestRevoked(t *testing.T) {
	l := fill(t, 4, func(i int) audit.Record {
		r := audit.Record{Event: audit.Rejected, Reason: "REVOKED", Sender: "a", Receiver: "b"}
		if i == 0 {
			r.Event, r.Reason = audit.Accepted, ""
		}
		return r
	})
	if total := read(t, l, time.Time{}).Total; total.Handoffs != 1 || total.Rejected != 0 || len(total.Over()) > 0 {
		t.Errorf("%+v", total)
	}
}
