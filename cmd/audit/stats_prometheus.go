package audit

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/audit/stats"
)

// writePrometheus writes metrics in Prometheus' text format, version 0.0.4: of the pairs,
// which add up to all handoffs.
func writePrometheus(out io.Writer, found *stats.Report) error {
	w := &exposition{bufio.NewWriter(out)} // keeps the first error
	for _, family := range []struct {
		name, help string
		of         func(*stats.Metrics) int
	}{
		{"handoffs", "Handoffs that came: accepted or rejected.", func(m *stats.Metrics) int { return m.Handoffs }},
		{"rejected_handoffs", "Handoffs that were rejected; the threshold is 2 % of those that came.", func(m *stats.Metrics) int { return m.Rejected }},
		{"unsafe_handoffs", "Handoffs rejected for SAFETY_VIOLATION; the threshold is 0.1 %.", func(m *stats.Metrics) int { return m.Unsafe }},
		{"compressed_handoffs", "Handoffs whose older turns were summarised.", func(m *stats.Metrics) int { return m.Compressed }},
		{"rolled_back_handoffs", "Handoffs that were rolled back; the threshold is 1 %.", func(m *stats.Metrics) int { return m.RolledBack }},
		{"dead_letters", "Messages that wait for a person; the threshold is 0.", func(m *stats.Metrics) int { return m.DeadLetters }},
	} {
		w.family(family.name, "gauge", family.help)
		for i := range found.Pairs {
			w.sample(family.name, pairLabels(&found.Pairs[i]), fmt.Sprint(family.of(&found.Pairs[i])))
		}
	}
	w.family("latency_seconds", "summary", "From dispatch to acceptance.")
	for i := range found.Pairs {
		for _, l := range found.Pairs[i].Latencies {
			labels := append(pairLabels(&found.Pairs[i]), "transport", l.Transport)
			for _, q := range []struct {
				name  string
				value time.Duration
			}{{"0.5", l.P50}, {"0.99", l.P99}, {"1", l.Max}} {
				w.sample("latency_seconds", append(labels[:len(labels):len(labels)], "quantile", q.name), seconds(q.value))
			}
			w.sample("latency_seconds_sum", labels, seconds(l.Sum))
			w.sample("latency_seconds_count", labels, fmt.Sprint(l.Count))
		}
	}
	w.family("over_threshold", "gauge", "1 for each metric of EAAPL-MAG006, section 8.1, that is over its threshold.")
	for i := range found.Pairs {
		for _, metric := range found.Pairs[i].Over() {
			w.sample("over_threshold", append(pairLabels(&found.Pairs[i]), "metric", string(metric)), "1")
		}
	}
	return w.Flush()
}

func pairLabels(m *stats.Metrics) []string {
	return []string{"sender", m.Sender, "receiver", m.Receiver}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%g", d.Seconds()) }

// An exposition writes metrics.
type exposition struct{ *bufio.Writer }

// prefix is what the names of all metrics begin with.
const prefix = "handoff_audit_"

func (w *exposition) family(name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s%s %s\n# TYPE %s%s %s\n", prefix, name, help, prefix, name, kind)
}

// sample writes a value, with labels by name and value in turn.
func (w *exposition) sample(name string, labels []string, value string) {
	pairs := make([]string, 0, len(labels)/2)
	for i := 0; i < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+labelEscapes.Replace(term.Visible(labels[i+1]))+`"`)
	}
	fmt.Fprintf(w, "%s%s{%s} %s\n", prefix, name, strings.Join(pairs, ","), value)
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
