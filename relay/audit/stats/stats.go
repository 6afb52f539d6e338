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

	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
)

// A Pair is a sender and a receiver. Both are "" for a message that did not name them.
type Pair struct{ Sender, Receiver string }

// Counts are numbers of handoffs.
type Counts struct {
	Handoffs    int // accepted or rejected; without duplicates and revoked handoffs
	Rejected    int
	Unsafe      int // rejected with SAFETY_VIOLATION
	Compressed  int // accepted with a summary of older turns
	RolledBack  int
	DeadLetters int // waiting now, from any time
}

// A Latency has the delivery times by one transport.
type Latency struct {
	Transport     string
	Limits        Limits
	Count         int
	Sum           time.Duration
	P50, P99, Max time.Duration // the percentiles 50, 99 and 100 of the latencies
}

// Limits are the limits of section 6.5.
type Limits struct {
	Mode         string
	P99, Maximum time.Duration
}

// LimitsOf returns section 6.5's limits for a transport, by its name in records.
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

// Metrics are the metrics of a pair, or of all handoffs.
type Metrics struct {
	Pair
	Counts
	Latencies []Latency // by transport
	Breaches  []Breach  // persistent breaches, by transport; nil for all handoffs, and without an SLO
}

// A Report has the metrics of a period.
type Report struct {
	Since time.Time // zero for no limit
	Total Metrics
	Pairs []Metrics // sorted by name; they add up to the total
}

// A Metric is a metric of section 8.1.
type Metric string

// The metrics.
const (
	FailureRate     Metric = "validation failure rate"
	LatencyP99      Metric = "p99 latency"
	LatencyMaximum  Metric = "maximum latency"
	SLOBreach       Metric = "persistent latency breach" // section 6.5
	UnsafeRate      Metric = "safety violation rate"
	CompressionRate Metric = "context compression rate"
	DeadLetterDepth Metric = "dead-letter depth"
	RollbackRate    Metric = "rollback rate"
)

// Rate returns a part of the handoffs as a fraction from 0 to 1; 0 if there are none.
func (c Counts) Rate(part int) float64 {
	if c.Handoffs == 0 {
		return 0
	}
	return float64(part) / float64(c.Handoffs)
}

// Over returns the metrics that are over their thresholds, in the order of section 8.1. The compression rate
// has no threshold: it is a baseline.
func (m *Metrics) Over() (over []Metric) {
	add := func(metric Metric, is bool) {
		if is {
			over = append(over, metric)
		}
	}
	add(FailureRate, m.Rejected*100 > m.Handoffs*2)
	add(LatencyP99, slices.ContainsFunc(m.Latencies, Latency.OverP99))
	add(LatencyMaximum, slices.ContainsFunc(m.Latencies, Latency.OverMaximum))
	add(SLOBreach, len(m.Breaches) > 0)
	add(UnsafeRate, m.Unsafe*1000 > m.Handoffs)
	add(DeadLetterDepth, m.DeadLetters > 0)
	add(RollbackRate, m.RolledBack*100 > m.Handoffs)
	return over
}

// OverP99 reports whether the p99 latency is over its target.
func (l Latency) OverP99() bool { return l.P99 > l.Limits.P99 }

// OverMaximum reports whether a latency is over the maximum.
func (l Latency) OverMaximum() bool { return l.Max > l.Limits.Maximum }

// Over reports whether any metric is over its threshold.
func (r *Report) Over() bool {
	return len(r.Total.Over()) > 0 || slices.ContainsFunc(r.Pairs, func(m Metrics) bool { return len(m.Over()) > 0 })
}

// Options are the options of [Read]. The zero value selects all records, with the limits of section 6.5.
type Options struct {
	// Since and Until restrict all metrics except dead letters: Since is inclusive, Until exclusive. Zero
	// means no limit.
	Since, Until time.Time
	// Limits are the limits of transports, by lower-case name, in place of section 6.5's.
	Limits map[string]Limits
	// SLO defines persistent breaches; nil to skip them.
	SLO *SLO
}

// limitsOf returns the limits of a transport.
func (o *Options) limitsOf(transport string) Limits {
	if l, own := o.Limits[strings.ToLower(transport)]; own {
		return l
	}
	return LimitsOf(transport)
}

// Read computes the metrics from the records of a period, and counts the dead letters a moment later. It
// reads only the necessary part of the log (see [audit.Inspector] for the effect of wrong clocks). Memory is
// constant for each pair and transport: percentiles of up to 6,400 latencies are exact, and percentiles of
// more may be up to 0.4 % too high. The comparison with the target is always exact.
func Read(ctx context.Context, store audit.Store, o Options) (*Report, error) {
	if o.SLO != nil {
		if err := o.SLO.Check(); err != nil {
			return nil, err
		}
	}
	c := collector{options: o, pairs: map[Pair]*sample{}}
	err := store.Inspect(ctx, func(i audit.Inspector) error {
		return i.Outcomes(o.Since, func(r *audit.Outcome) error {
			if o.Until.IsZero() || r.RecordedAt.Before(o.Until) {
				c.count(r)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if err := store.View(ctx, c.deadLetters); err != nil {
		return nil, err
	}
	report := &Report{Since: o.Since}
	all := newSample()
	for pair, sample := range c.pairs {
		report.Pairs = append(report.Pairs, sample.metrics(pair, o.SLO))
		all.merge(sample)
	}
	slices.SortFunc(report.Pairs, func(a, b Metrics) int {
		return cmp.Or(strings.Compare(a.Sender, b.Sender), strings.Compare(a.Receiver, b.Receiver))
	})
	report.Total = all.metrics(Pair{}, nil)
	return report, nil
}

// A sample has the counts of a pair.
type sample struct {
	Counts
	transports map[string]*arrivals
}

func newSample() *sample { return &sample{transports: map[string]*arrivals{}} }

// arrivals are the messages received by one transport.
type arrivals struct {
	delays
	windows
}

type collector struct {
	options Options
	pairs   map[Pair]*sample
}

func (c *collector) of(sender, receiver string) *sample {
	s := c.pairs[Pair{sender, receiver}]
	if s == nil {
		s = newSample()
		c.pairs[Pair{strings.Clone(sender), strings.Clone(receiver)}] = s
	}
	return s
}

func (c *collector) count(r *audit.Outcome) {
	if r.Event == audit.Rejected && string(r.Reason) == string(audit.Revoked) { // package receiver's reason has the name of the event
		return // revoked by its sender: neither a failure nor a result of validation
	}
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
		return // released by a person: already counted at its rejection
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
		d = &arrivals{delays: delays{limits: c.options.limitsOf(r.Transport)}}
		s.transports[strings.Clone(r.Transport)] = d
	}
	latency := time.Duration(min(r.LatencyMicros, maxMicros)) * time.Microsecond
	d.delays.add(latency)
	if slo := c.options.SLO; slo != nil {
		d.windows.add(slo, r.RecordedAt, latency, d.limits)
	}
}

// maxMicros is the largest latency that fits in a duration. The time of dispatch is the sender's, and may be
// arbitrary.
const maxMicros = math.MaxInt64 / int64(time.Microsecond)

// deadLetters counts the dead letters.
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
			all = &arrivals{delays: delays{limits: d.limits}}
			s.transports[name] = all
		}
		all.merge(&d.delays)
	}
}

// metrics returns the metrics of a sample, with the persistent breaches if there is an SLO.
func (s *sample) metrics(pair Pair, slo *SLO) Metrics {
	m := Metrics{Pair: pair, Counts: s.Counts}
	for name, d := range s.transports {
		m.Latencies = append(m.Latencies, d.latency(name))
		if slo == nil {
			continue
		}
		if last := d.breach(slo); last != nil {
			m.Breaches = append(m.Breaches, Breach{Transport: name, Limits: d.limits, Windows: last})
		}
	}
	slices.SortFunc(m.Latencies, func(a, b Latency) int { return strings.Compare(a.Transport, b.Transport) })
	slices.SortFunc(m.Breaches, func(a, b Breach) int { return strings.Compare(a.Transport, b.Transport) })
	return m
}
