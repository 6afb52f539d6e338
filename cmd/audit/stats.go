package audit

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/report"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/stats"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	reading
	since cli.TimeFlag
}

func newStats(g *cli.Globals) *cobra.Command {
	f := &statsFlags{reading: reading{Globals: g}}
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show the metrics of handoffs, and which are over their thresholds",
		Long: `Stats computes the metrics of EAAPL-MAG006, section 8.1, for all handoffs and for each
pair of agents, and compares them with their thresholds: validation failures (over
2 %), latency by transport (p99 and maximum, section 6.5), safety violations (over
0.1 %), roll-backs (over 1 %) and dead letters (any). How often histories were
compressed has no threshold.

Exit code 0: nothing is over its threshold; 1: something is; 2: the log could not be
read.`,
		Example: `  handoff audit stats --since 24h
  handoff audit stats -f prometheus -o handoff.prom`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.runOn(c, func(log *audit.Log, out *output.File) error {
				found, err := stats.Read(c.Context(), log.Store(), f.since.Time)
				if err != nil {
					return err
				}
				switch f.format {
				case "json":
					err = writeStatsJSON(out, found)
				case "prometheus":
					err = writePrometheus(out, found)
				default:
					err = writeStats(out, f.picture(c, out), found)
				}
				if err == nil && found.Over() {
					err = cli.ErrNo
				}
				return err
			})
		},
	}
	f.register(c, "text", "json", "prometheus")
	c.Flags().Var(&f.since, "since", "only handoffs at this time or later: 2026-06-12T09:30:00Z, 2026-06-12, or how long ago, like 24h or 30d")
	return c
}

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
	Over        []string      `json:"over"`
}

type rateJSON struct {
	Count int     `json:"count"`
	Rate  float64 `json:"rate"` // of the handoffs, from 0 to 1
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

func writeStatsJSON(w io.Writer, found *stats.Report) error {
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
		if err := report.WriteJSON(w, newMetricsJSON(&found.Pairs[i])); err != nil {
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

// maxPair is how many columns the names of a pair take.
const maxPair = 44

func writeStats(w io.Writer, p term.Picture, found *stats.Report) error {
	all := append([]stats.Metrics{found.Total}, found.Pairs...)
	names := len("all handoffs")
	for i := range all {
		names = max(names, term.Width(pairName(i, &all[i])))
	}
	const figure = "  %9s %9s %9s %9s %9s %9s"
	p.Line(p.Bold(term.Left("", names)), p.Dim(fmt.Sprintf(figure, "handoffs", "rejected", "unsafe", "rolled", "dead", "com-")))
	p.Line(p.Bold(term.Left("", names)), p.Dim(fmt.Sprintf(figure, "", "> 2%", "> 0.1%", "back > 1%", "letters", "pressed")))
	for i := range all {
		m := &all[i]
		over := map[stats.Metric]bool{}
		for _, metric := range m.Over() {
			over[metric] = true
		}
		cell := func(text string, metric stats.Metric) string {
			text = term.Right(text, 10)
			if over[metric] {
				return p.Red(text)
			}
			return text
		}
		p.Line(term.Left(pairName(i, m), names), " ", term.Right(term.Grouped(int64(m.Handoffs)), 10), cell(percent(m.Rate(m.Rejected)), stats.FailureRate),
			cell(percent(m.Rate(m.Unsafe)), stats.UnsafeRate), cell(percent(m.Rate(m.RolledBack)), stats.RollbackRate),
			cell(term.Grouped(int64(m.DeadLetters)), stats.DeadLetterDepth), cell(percent(m.Rate(m.Compressed)), stats.CompressionRate))
	}
	if len(found.Total.Latencies) == 0 {
		p.Section("Latency", "no record has one")
	} else {
		p.Section("Latency", "p50, p99 and its target, maximum and what is acceptable")
	}
	for i := range all {
		for _, l := range all[i].Latencies {
			slow, slowest := fmt.Sprint(l.P99, " of ", l.Limits.P99), fmt.Sprint(l.Max, " of ", l.Limits.Maximum)
			slow, slowest = term.Right(slow, 20), term.Right(slowest, 20)
			if l.OverP99() {
				slow = p.Red(slow)
			}
			if l.OverMaximum() {
				slowest = p.Red(slowest)
			}
			p.Line(term.Left(pairName(i, &all[i]), names), "  ", term.Left(l.Transport, 10), " ", term.Right(l.P50.String(), 12), " ", slow, " ", slowest)
		}
	}
	overs(&p, all)
	_, err := p.Text.WriteTo(w)
	return err
}

// overs names what is over its threshold: colours alone would not do.
func overs(p *term.Picture, all []stats.Metrics) {
	title := false
	for i := range all {
		for _, metric := range all[i].Over() {
			if !title {
				p.Section("Over", "")
				title = true
			}
			p.Line("  ", p.Red(string(metric)), "  ", pairName(i, &all[i]))
		}
	}
}

// pairName names the metrics of all handoffs, which are the first, or of a pair.
func pairName(i int, m *stats.Metrics) string {
	switch {
	case i == 0:
		return "all handoffs"
	case m.Pair == (stats.Pair{}):
		return "(unknown)"
	}
	return term.Clip(m.Sender+" → "+m.Receiver, maxPair)
}

func percent(rate float64) string { return fmt.Sprintf("%.2f%%", 100*rate) }
