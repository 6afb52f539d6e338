// Package stats computes the metrics of EAAPL-MAG006, section 8.1, from the records of the
// audit log, and compares them with their thresholds.
package stats

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Pair is who hands to whom. Both are "" of a message that did not say.
type Pair struct{ Sender, Receiver string }

// Counts are how many handoffs there were.
type Counts struct {
	Handoffs    int // that came: accepted or rejected; the same message again does not count
	Rejected    int
	Unsafe      int // rejected for SAFETY_VIOLATION
	Compressed  int // accepted with a summary of older turns
	RolledBack  int
	DeadLetters int // that wait now, whenever they came
}

// A Latency is how long delivery took, by one transport.
type Latency struct {
	Transport     string
	Limits        Limits
	Count         int
	Sum           time.Duration
	P50, P99, Max time.Duration // of the handoffs in order of their latencies, the one at 50 %, 99 % and 100 %
}

// Limits are those of section 6.5.
type Limits struct {
	Mode         string
	P99, Maximum time.Duration
}

// LimitsOf returns the limits of a transport, by its name in records.
func LimitsOf(transport string) Limits {
	switch strings.ToLower(transport) {
	case "http", "https":
		return Limits{"synchronous HTTP", 200 * time.Millisecond, 500 * time.Millisecond}
	case "temporal":
		return Limits{"Temporal signal", 1000 * time.Millisecond, 5000 * time.Millisecond}
	default:
		return Limits{"durable queue", 500 * time.Millisecond, 2000 * time.Millisecond}
	}
}

// Metrics are those of a pair, or of all handoffs.
type Metrics struct {
	Pair
	Counts
	Latencies []Latency // by transport
}

// A Report is the metrics of a time.
type Report struct {
	Since time.Time // zero for all
	Total Metrics
	Pairs []Metrics // by their names; they add up to the total
}

// A Metric is one of section 8.1.
type Metric string

// The metrics.
const (
	FailureRate     Metric = "validation failure rate"
	LatencyP99      Metric = "p99 latency"
	LatencyMaximum  Metric = "maximum latency"
	UnsafeRate      Metric = "safety violation rate"
	CompressionRate Metric = "context compression rate"
	DeadLetterDepth Metric = "dead-letter depth"
	RollbackRate    Metric = "rollback rate"
)

// Rate returns a part of the handoffs, from 0 to 1; 0 if there are none.
func (c Counts) Rate(part int) float64 {
	if c.Handoffs == 0 {
		return 0
	}
	return float64(part) / float64(c.Handoffs)
}

// Over returns the metrics that are over their thresholds, in the order of section 8.1. The
// rate of compression has none: it is a baseline.
func (m *Metrics) Over() (over []Metric) {
	add := func(metric Metric, is bool) {
		if is {
			over = append(over, metric)
		}
	}
	add(FailureRate, m.Rejected*100 > m.Handoffs*2)
	add(LatencyP99, slices.ContainsFunc(m.Latencies, Latency.OverP99))
	add(LatencyMaximum, slices.ContainsFunc(m.Latencies, Latency.OverMaximum))
	add(UnsafeRate, m.Unsafe*1000 > m.Handoffs)
	add(DeadLetterDepth, m.DeadLetters > 0)
	add(RollbackRate, m.RolledBack*100 > m.Handoffs)
	return over
}

// OverP99 reports whether the p99 latency is over its target.
func (l Latency) OverP99() bool { return l.P99 > l.Limits.P99 }

// OverMaximum reports whether a latency is not acceptable.
func (l Latency) OverMaximum() bool { return l.Max > l.Limits.Maximum }

// Over reports whether anything is over its threshold.
func (r *Report) Over() bool {
	return len(r.Total.Over()) > 0 || slices.ContainsFunc(r.Pairs, func(m Metrics) bool { return len(m.Over()) > 0 })
}

// Read reads the metrics of the records since a time, or of all if that is zero, and the dead
// letters a moment later. It reads no more of the log than is needed ([audit.Inspector] says
// what that means for clocks that are wrong), and keeps four bytes for each latency.
func Read(ctx context.Context, store audit.Store, since time.Time) (*Report, error) {
	c := collector{pairs: map[Pair]*sample{}}
	err := store.Inspect(ctx, func(i audit.Inspector) error {
		return i.Outcomes(since, func(o *audit.Outcome) error { c.count(o); return nil })
	})
	if err != nil {
		return nil, err
	}
	if err := store.View(ctx, c.deadLetters); err != nil {
		return nil, err
	}
	report := &Report{Since: since}
	all := newSample()
	for pair, sample := range c.pairs {
		report.Pairs = append(report.Pairs, sample.metrics(pair))
		all.merge(sample)
	}
	slices.SortFunc(report.Pairs, func(a, b Metrics) int {
		return cmp.Or(strings.Compare(a.Sender, b.Sender), strings.Compare(a.Receiver, b.Receiver))
	})
	report.Total = all.metrics(Pair{})
	return report, nil
}

// A sample is what was counted of a pair.
type sample struct {
	Counts
	transports map[string]*delays
}

func newSample() *sample { return &sample{transports: map[string]*delays{}} }

// delays are the latencies of a transport.
type delays struct {
	micros []uint32 // those over an hour as an hour
	sum    time.Duration
	max    time.Duration
}

const longest = math.MaxUint32

type collector struct{ pairs map[Pair]*sample }

func (c *collector) of(sender, receiver string) *sample {
	s := c.pairs[Pair{sender, receiver}]
	if s == nil {
		s = newSample()
		c.pairs[Pair{strings.Clone(sender), strings.Clone(receiver)}] = s
	}
	return s
}

func (c *collector) count(r *audit.Outcome) {
	s := c.of(r.Sender, r.Receiver)
	switch {
	case r.Event == audit.RolledBack:
		s.RolledBack++
		return
	case r.Event == audit.Rejected:
		s.Handoffs++
		s.Rejected++
		if r.Reason == validate.SafetyViolation {
			s.Unsafe++
		}
		return
	case r.Details.By != "":
		return // released by a person: it was counted when it was rejected
	}
	s.Handoffs++
	if r.Details.Compressed {
		s.Compressed++
	}
	if r.LatencyMicros <= 0 {
		return
	}
	d := s.transports[r.Transport]
	if d == nil {
		d = &delays{}
		s.transports[strings.Clone(r.Transport)] = d
	}
	latency := time.Duration(r.LatencyMicros) * time.Microsecond
	d.micros = append(d.micros, uint32(min(r.LatencyMicros, longest)))
	d.sum += latency
	d.max = max(d.max, latency)
}

// deadLetters counts the messages that wait for a person.
func (c *collector) deadLetters(r audit.Reader) error {
	waiting, err := audit.Waiting(r)
	for _, w := range waiting {
		c.of(w.Sender, w.Receiver).DeadLetters++
	}
	return err
}

func (s *sample) merge(o *sample) {
	s.Handoffs += o.Handoffs
	s.Rejected += o.Rejected
	s.Unsafe += o.Unsafe
	s.Compressed += o.Compressed
	s.RolledBack += o.RolledBack
	s.DeadLetters += o.DeadLetters
	for name, d := range o.transports {
		all := s.transports[name]
		if all == nil {
			all = &delays{}
			s.transports[name] = all
		}
		all.micros = append(all.micros, d.micros...)
		all.sum += d.sum
		all.max = max(all.max, d.max)
	}
}

func (s *sample) metrics(pair Pair) Metrics {
	m := Metrics{Pair: pair, Counts: s.Counts}
	for name, d := range s.transports {
		slices.Sort(d.micros)
		m.Latencies = append(m.Latencies, Latency{
			Transport: name, Limits: LimitsOf(name), Count: len(d.micros), Sum: d.sum,
			P50: d.at(50), P99: d.at(99), Max: d.max,
		})
	}
	slices.SortFunc(m.Latencies, func(a, b Latency) int { return strings.Compare(a.Transport, b.Transport) })
	return m
}

// at returns the latency that so many per cent of all are not over.
func (d *delays) at(percent int) time.Duration {
	rank := (len(d.micros)*percent + 99) / 100
	micros := d.micros[max(rank, 1)-1]
	if micros == longest {
		return d.max
	}
	return time.Duration(micros) * time.Microsecond
}
