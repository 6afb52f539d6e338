package audit

import (
	"io"
	"time"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/relay/audit/stats"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// A metricsJSON is a line of stats -f json: docs/audit.md.
type metricsJSON struct {
	Sender      *string       `json:"sender"` // null for all handoffs
	Receiver    *string       `json:"receiver"`
	Since       *time.Time    `json:"since,omitempty"`
	Handoffs    int           `json:"handoffs"`
	Rejected    rateJSON      `json:"rejected"`
	Unsafe      rateJSON      `json:"unsafe"`
	Compressed  rateJSON      `json:"compressed"`
	RolledBack  rateJSON      `json:"rolledBack"`
	DeadLetters int           `json:"deadLetters"`
	Latencies   []latencyJSON `json:"latencies"`
	Breaches    []breachJSON  `json:"breaches,omitzero"` // persistent ones; absent without an SLO
	Over        []string      `json:"over"`
}

type rateJSON struct {
	Count int     `json:"count"`
	Rate  float64 `json:"rate"` // fraction of the handoffs, from 0 to 1
}

type latencyJSON struct {
	Transport     string `json:"transport"`
	Mode          string `json:"mode"`
	Count         int    `json:"count"`
	P50Micros     int64  `json:"p50Micros"`
	P99Micros     int64  `json:"p99Micros"`
	MaxMicros     int64  `json:"maxMicros"`
	TargetMicros  int64  `json:"targetMicros"`
	MaximumMicros int64  `json:"maximumMicros"`
}

func writeStatsJSON(w io.Writer, found *stats.Report, slo bool) error {
	total := newMetricsJSON(&found.Total)
	total.Sender, total.Receiver = nil, nil
	if !found.Since.IsZero() {
		since := found.Since.UTC()
		total.Since = &since
	}
	if err := report.WriteJSON(w, total); err != nil {
		return err
	}
	for i := range found.Pairs {
		pair := newMetricsJSON(&found.Pairs[i])
		if slo {
			pair.Breaches = newBreachesJSON([]breachJSON{}, &found.Pairs[i])
		}
		if err := report.WriteJSON(w, pair); err != nil {
			return err
		}
	}
	return nil
}

func newMetricsJSON(m *stats.Metrics) metricsJSON {
	rate := func(part int) rateJSON { return rateJSON{part, m.Rate(part)} }
	j := metricsJSON{
		Sender: &m.Sender, Receiver: &m.Receiver, Handoffs: m.Handoffs, Rejected: rate(m.Rejected), Unsafe: rate(m.Unsafe),
		Compressed: rate(m.Compressed), RolledBack: rate(m.RolledBack), DeadLetters: m.DeadLetters,
		Latencies: []latencyJSON{}, Over: []string{},
	}
	for _, l := range m.Latencies {
		j.Latencies = append(j.Latencies, latencyJSON{
			l.Transport, l.Limits.Mode, l.Count, l.P50.Microseconds(), l.P99.Microseconds(), l.Max.Microseconds(),
			l.Limits.P99.Microseconds(), l.Limits.Maximum.Microseconds(),
		})
	}
	for _, metric := range m.Over() {
		j.Over = append(j.Over, string(metric))
	}
	return j
}

// A breachJSON is a persistent breach of a pair, by one transport.
type breachJSON struct {
	Sender        *string      `json:"sender,omitempty"` // only in alerts: a line of stats has them already
	Receiver      *string      `json:"receiver,omitempty"`
	Transport     string       `json:"transport"`
	Mode          string       `json:"mode"`
	TargetMicros  int64        `json:"targetMicros"`
	MaximumMicros int64        `json:"maximumMicros"`
	Windows       []windowJSON `json:"windows"` // oldest first
}

type windowJSON struct {
	From         time.Time `json:"from"`
	Until        time.Time `json:"until"`
	Count        int       `json:"count"`
	Late         int       `json:"late"`
	Unacceptable int       `json:"unacceptable"`
	MaxMicros    int64     `json:"maxMicros"`
}

// newBreachesJSON appends the breaches of a pair.
func newBreachesJSON(all []breachJSON, m *stats.Metrics) []breachJSON {
	for _, b := range m.Breaches {
		j := breachJSON{
			Transport: b.Transport, Mode: b.Limits.Mode,
			TargetMicros: b.Limits.P99.Microseconds(), MaximumMicros: b.Limits.Maximum.Microseconds(),
		}
		for _, w := range b.Windows {
			j.Windows = append(j.Windows, windowJSON{w.From.UTC(), w.Until.UTC(), w.Count, w.Late, w.Unacceptable, w.Max.Microseconds()})
		}
		all = append(all, j)
	}
	return all
}

// An alertJSON is an alert about persistent breaches: docs/audit.md.
type alertJSON struct {
	Alert    string       `json:"alert"`
	At       time.Time    `json:"at"`
	Breaches []breachJSON `json:"breaches"`
}

// latencySLO is the event of an alert about persistent breaches.
const latencySLO = "LATENCY_SLO"

// alertOfBreaches sends one alert about the persistent breaches of all pairs, if there are any.
func alertOfBreaches(alerts *relayflags.Alerts, found *stats.Report, now time.Time) error {
	a := alertJSON{Alert: latencySLO, At: now.UTC()}
	for i := range found.Pairs {
		pair := &found.Pairs[i]
		before := len(a.Breaches)
		a.Breaches = newBreachesJSON(a.Breaches, pair)
		for n := before; n < len(a.Breaches); n++ {
			a.Breaches[n].Sender, a.Breaches[n].Receiver = &pair.Sender, &pair.Receiver
		}
	}
	if len(a.Breaches) == 0 {
		return nil
	}
	return alerts.Say(a)
}
