package live

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/stats"
	"github.com/eaapl/handoff/relay/metrics"
)

// figures caches metrics, which are computed from many records.
type figures struct {
	mu   sync.Mutex
	read map[string]*cachedStats // by period
}

type cachedStats struct {
	at     time.Time
	report *stats.Report
}

// figuresFor is the maximum age of cached metrics.
const figuresFor = 10 * time.Second

// A period is the part of the log that metrics cover.
type period struct {
	Name  string // in addresses
	Label string
	ago   time.Duration // 0 for all
}

func periods() []period {
	return []period{
		{"1h", "the last hour", time.Hour}, {"24h", "the last 24 hours", 24 * time.Hour}, {"7d", "the last 7 days", 7 * 24 * time.Hour},
		{"30d", "the last 30 days", 30 * 24 * time.Hour}, {"all", "all records", 0},
	}
}

// periodOf returns a period by name, or the usual one.
func periodOf(name, usual string) period {
	var found period
	for _, p := range periods() {
		if p.Name == name || p.Name == usual && found.Name == "" {
			found = p
		}
	}
	return found
}

// measure returns the metrics of a period.
func (h *Handler) measure(ctx context.Context, p period) (*cachedStats, error) {
	f := &h.figures
	f.mu.Lock() // so that concurrent requests share one computation
	defer f.mu.Unlock()
	now := h.options.Now()
	if last := f.read[p.Name]; last != nil && now.Sub(last.at) < figuresFor && !now.Before(last.at) {
		return last, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := h.options.Stats
	o.Since, o.Until = time.Time{}, time.Time{}
	if p.ago > 0 {
		o.Since = now.Add(-p.ago)
	}
	report, err := stats.Read(ctx, h.options.Store, o)
	if err != nil {
		return nil, err
	}
	if f.read == nil {
		f.read = map[string]*cachedStats{}
	}
	r := &cachedStats{now, report}
	f.read[p.Name] = r
	return r, nil
}

// A statsPage shows metrics.
type statsPage struct {
	Period  period
	Periods []period
	At      time.Time
	Over    []overLine
	Counts  []countsLine
	More    int // number of pairs left out
	Delays  []delaysLine
}

type overLine struct{ Metric, Sender, Receiver string }

// A countsLine has the numbers of a pair's handoffs. The first line is for all pairs.
type countsLine struct {
	All              bool
	Sender, Receiver string
	Handoffs         int
	Bar              int // percentage of the largest pair
	Rates            []rate
}

type rate struct {
	Text string
	Over bool
}

// A delaysLine has delivery times.
type delaysLine struct {
	All              bool
	Sender, Receiver string
	stats.Latency
}

// maxPairs is the maximum number of pairs on a page.
const maxPairs = 200

// stats shows the metrics of section 8.1.
func (h *Handler) stats(ctx context.Context, r *http.Request) (*answer, error) {
	p := statsPage{Period: periodOf(r.URL.Query().Get("since"), "24h"), Periods: periods()}
	f := frame{Title: "Metrics", Section: "stats", Again: "/stats?since=" + p.Period.Name}
	if err := h.view(ctx, func(_ audit.Reader, m moment) error { f.Of = m; return nil }); err != nil {
		return nil, err
	}
	read, err := h.measure(ctx, p.Period)
	if err != nil {
		return nil, err
	}
	p.At = read.at.UTC()
	p.fill(read.report)
	fresh := r.URL.Query().Get("fresh") != ""
	if fresh {
		f.Steady = f.Again
		f.Again += "&fresh=1"
	} else {
		f.Fresh = f.Again + "&fresh=1"
	}
	f.Content = p
	a, err := h.page("stats", f)
	if err == nil && fresh {
		a.refresh = freshness
	}
	return a, err
}

func (p *statsPage) fill(found *stats.Report) {
	pairs := found.Pairs
	if len(pairs) > maxPairs {
		p.More, pairs = len(pairs)-maxPairs, pairs[:maxPairs]
	}
	most := 0
	for _, m := range pairs {
		most = max(most, m.Handoffs)
	}
	for i, m := range append([]stats.Metrics{found.Total}, pairs...) {
		over := map[stats.Metric]bool{}
		for _, metric := range m.Over() {
			over[metric] = true
			if i > 0 {
				p.Over = append(p.Over, overLine{string(metric), m.Sender, m.Receiver})
			}
		}
		line := countsLine{All: i == 0, Sender: m.Sender, Receiver: m.Receiver, Handoffs: m.Handoffs}
		if i > 0 && most > 0 {
			line.Bar = 100 * m.Handoffs / most
		}
		line.Rates = []rate{
			{percent(m.Rate(m.Rejected)), over[stats.FailureRate]}, {percent(m.Rate(m.Unsafe)), over[stats.UnsafeRate]},
			{percent(m.Rate(m.RolledBack)), over[stats.RollbackRate]}, {grouped(m.DeadLetters), over[stats.DeadLetterDepth]},
			{percent(m.Rate(m.Compressed)), false},
		}
		p.Counts = append(p.Counts, line)
		for _, l := range m.Latencies {
			p.Delays = append(p.Delays, delaysLine{i == 0, m.Sender, m.Receiver, l})
		}
	}
}

// metrics responds to Prometheus.
func (h *Handler) metrics(ctx context.Context, r *http.Request) (*answer, error) {
	read, err := h.measure(ctx, periodOf(r.URL.Query().Get("since"), "all"))
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := metrics.WriteAudit(&text, read.report); err != nil {
		return nil, err
	}
	return &answer{kind: metrics.ContentType, body: text.Bytes()}, nil
}
