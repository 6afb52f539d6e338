package metrics

import (
	"io"
	"slices"
	"time"

	"github.com/eaapl/handoff/relay/audit/stats"
)

// WriteAudit writes the metrics of an audit log by pair of agents; they add up to all handoffs.
func WriteAudit(out io.Writer, found *stats.Report) error {
	w := NewWriter(out, "handoff_audit_")
	for _, family := range []struct {
		name, help string
		of         func(*stats.Metrics) int
	}{
		{"handoffs", "Handoffs received: accepted or rejected.", func(m *stats.Metrics) int { return m.Handoffs }},
		{"rejected_handoffs", "Handoffs rejected; the threshold is 2 % of the received ones.", func(m *stats.Metrics) int { return m.Rejected }},
		{"unsafe_handoffs", "Handoffs rejected for SAFETY_VIOLATION; the threshold is 0.1 %.", func(m *stats.Metrics) int { return m.Unsafe }},
		{"compressed_handoffs", "Handoffs with summarised older turns.", func(m *stats.Metrics) int { return m.Compressed }},
		{"rolled_back_handoffs", "Handoffs rolled back; the threshold is 1 %.", func(m *stats.Metrics) int { return m.RolledBack }},
		{"dead_letters", "Messages that wait for a person; the threshold is 0.", func(m *stats.Metrics) int { return m.DeadLetters }},
	} {
		w.Family(family.name, Gauge, family.help)
		for i := range found.Pairs {
			w.Sample("", float64(family.of(&found.Pairs[i])), pairLabels(&found.Pairs[i])...)
		}
	}
	w.Family("latency_seconds", Summary, "Latency from dispatch to acceptance.")
	for i := range found.Pairs {
		for _, l := range found.Pairs[i].Latencies {
			labels := append(pairLabels(&found.Pairs[i]), "transport", Label(l.Transport))
			for _, q := range []struct {
				name  string
				value time.Duration
			}{{"0.5", l.P50}, {"0.99", l.P99}, {"1", l.Max}} {
				w.Sample("", q.value.Seconds(), append(slices.Clip(labels), "quantile", q.name)...)
			}
			w.Sample("_sum", l.Sum.Seconds(), labels...)
			w.Sample("_count", float64(l.Count), labels...)
		}
	}
	w.Family("over_threshold", Gauge, "1 for each metric of EAAPL-MAG006, section 8.1, that is over its threshold.")
	for i := range found.Pairs {
		for _, metric := range found.Pairs[i].Over() {
			w.Sample("", 1, append(pairLabels(&found.Pairs[i]), "metric", string(metric))...)
		}
	}
	return w.Flush()
}

func pairLabels(m *stats.Metrics) []string {
	return []string{"sender", Label(m.Sender), "receiver", Label(m.Receiver)}
}
