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

// A Pair is who hands to whom. Both are "" of a message that did not say.
type Pair struct{ Sender, Receiver string }

// Counts are how many handoffs there were.
type Counts struct {
	Handoffs    int // that came: accepted or rejected; the same message again does not count, nor one that was revoked
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

// LimitsOf returns the limits of a transport that section 6.5 has for it, by its name in records.
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
	Breaches  []Breach  // persistent ones, by transport; none of all handoffs, and none without an SLO
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
	SLOBreach       Metric = "persistent latency breach" // section 6.5
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
	add(SLOBreach, len(m.Breaches) > 0)
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

// Options say what is read, and how it is judged. The zero value takes all, by section 6.5.
type Options struct {
	// Since and Until restrict all but the dead letters: not before, and before. Zero for all.
	Since, Until time.Time
	// Limits are those of transports, by their names in small letters, in place of section 6.5's.
	Limits map[string]Limits
	// SLO says which breaches are persistent; nil if that is not asked.
	SLO *SLO
}

// limitsOf returns the limits that hold for a transport.
func (o *Options) limitsOf(transport string) Limits {
	if l, own := o.Limits[strings.ToLower(transport)]; own {
		return l
	}
	return LimitsOf(transport)
}

// Read reads the metrics of the records of a time, and the dead letters a moment later. It reads
// no more of the log than is needed ([audit.Inspector] says what that means for clocks that
// are wrong). Memory is constant for each pair and transport: of up to 6,400 latencies
// percentiles are exact, of more they are up to 0.4 % above. Whether one is over its target is
// always exact.
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

// A sample is what was counted of a pair.
type sample struct {
	Counts
	transports map[string]*arrivals
}

func newSample() *sample { return &sample{transports: map[string]*arrivals{}} }

// arrivals are what came by one transport.
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
	if r.Event == audit.Rejected && string(r.Reason) == string(audit.Revoked) { // package receiver's reason has the event's name
		return // its sender has taken it back: nobody has failed, and nothing was validated
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
		d = &arrivals{delays: delays{limits: c.options.limitsOf(r.Transport)}}
		s.transports[strings.Clone(r.Transport)] = d
	}
	latency := time.Duration(min(r.LatencyMicros, maxMicros)) * time.Microsecond
	d.delays.add(latency)
	if slo := c.options.SLO; slo != nil {
		d.windows.add(slo, r.RecordedAt, latency, d.limits)
	}
}

// maxMicros is the longest latency that is a duration. A sender may say that it dispatched a
// message whenever it likes.
const maxMicros = math.MaxInt64 / int64(time.Microsecond)

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
			all = &arrivals{delays: delays{limits: d.limits}}
			s.transports[name] = all
		}
		all.merge(&d.delays)
	}
}

// metrics returns what was counted; with the persistent breaches, if there is an SLO.
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
