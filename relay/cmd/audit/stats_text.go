package audit

import (
	"fmt"
	"io"
	"time"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit/stats"
)

// maxPair is the width of a pair's names, in columns.
const maxPair = 44

// A statsPicture draws metrics as text.
type statsPicture struct {
	term.Picture
	found *stats.Report
	slo   bool // with an SLO
}

func (p *statsPicture) write(w io.Writer) error {
	all := append([]stats.Metrics{p.found.Total}, p.found.Pairs...)
	names := len("all handoffs")
	for i := range all {
		names = max(names, term.Width(pairName(i, &all[i])))
	}
	p.counts(all, names)
	p.latencies(all, names)
	p.overs(all)
	p.breaches()
	_, err := p.Text.WriteTo(w)
	return err
}

func (p *statsPicture) counts(all []stats.Metrics, names int) {
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
}

func (p *statsPicture) latencies(all []stats.Metrics, names int) {
	if len(p.found.Total.Latencies) == 0 {
		p.Section("Latency", "no record has one")
		return
	}
	p.Section("Latency", "p50, p99 and its target, maximum and its limit")
	for i := range all {
		for _, l := range all[i].Latencies {
			slow, slowest := term.Right(p.of(l.P99, l.Limits.P99), 20), term.Right(p.of(l.Max, l.Limits.Maximum), 20)
			if l.OverP99() {
				slow = p.Red(slow)
			}
			if l.OverMaximum() {
				slowest = p.Red(slowest)
			}
			p.Line(term.Left(pairName(i, &all[i]), names), "  ", term.Left(l.Transport, 10), " ", term.Right(short(l.P50), 8), " ", slow, " ", slowest)
		}
	}
}

// of returns a duration and its limit.
func (*statsPicture) of(is, limit time.Duration) string {
	text := short(is)
	if is > limit && text == short(limit) {
		text = is.String() // the difference is smaller than the displayed precision
	}
	return fmt.Sprint(text, " of ", limit)
}

// short returns a duration with three digits.
func short(d time.Duration) string {
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

// overs lists the metrics over their thresholds: colours alone are not enough.
func (p *statsPicture) overs(all []stats.Metrics) {
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

// breaches draws the windows of each persistent breach.
func (p *statsPicture) breaches() {
	none := p.slo
	for i := range p.found.Pairs {
		m := &p.found.Pairs[i]
		for _, b := range m.Breaches {
			none = false
			p.Section("Persistent", pairName(i+1, m)+"  "+b.Transport)
			for _, w := range b.Windows {
				p.Line("  ", p.Dim(w.From.UTC().Format(time.DateTime), w.Until.UTC().Format(" – 15:04:05")), "  ", term.Plural(w.Count, "handoff"), ", ",
					term.Grouped(int64(w.Late)), " over ", b.Limits.P99.String(), ", ", term.Grouped(int64(w.Unacceptable)), " over ", b.Limits.Maximum.String(), ", maximum ", short(w.Max))
			}
		}
	}
	if none {
		p.Section("Persistent", "no pair of agents is in persistent breach of the SLO")
	}
}

// pairName returns the name of a pair, or of all handoffs, which are first.
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
