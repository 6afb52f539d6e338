package stats

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
)

// An SLO defines when a breach of section 6.5 is persistent, and not just due to one message or a burst.
//
// The time before Now is divided into windows. A pair of agents is in persistent breach, by one transport,
// when each of its last Windows windows is over a limit. Windows without handoffs of the pair are skipped;
// windows older than [LookBack] times Windows windows do not count.
type SLO struct {
	Now     time.Time
	Window  time.Duration // positive
	Windows int           // at least [MinWindows]
}

const (
	// MinWindows is the smallest number of windows: a breach in one window is not persistent.
	MinWindows = 2
	// LookBack is the ratio of the number of searched windows to the number of required ones.
	LookBack = 4
)

// A Breach is a persistent breach of a pair, by one transport.
type Breach struct {
	Transport string
	Limits    Limits
	Windows   []Window // the windows over a limit, oldest first
}

// A Window has the latencies of one window of time.
type Window struct {
	From, Until  time.Time
	Count        int           // number of latencies
	Late         int           // number over the target of the p99
	Unacceptable int           // number over the maximum
	Max          time.Duration // longest latency
}

// Over reports whether the p99 of a window is over its target, or a latency is over the maximum.
func (w Window) Over() bool { return isOver(w.Count, w.Late) || w.Unacceptable > 0 }

// Check returns an error if an SLO is invalid.
func (s SLO) Check() error {
	if s.Window <= 0 {
		return fmt.Errorf("windows of %s: use a duration above 0, such as 5m", s.Window)
	}
	if s.Windows < MinWindows || s.Windows > maxWindows {
		return fmt.Errorf("%d windows: use %d to %d, because one window is not persistent", s.Windows, MinWindows, maxWindows)
	}
	return nil
}

// maxWindows bounds the memory for a pair.
const maxWindows = 1000

// windows are the counts of a pair by one transport, newest window first.
type windows []Window

// add counts a latency. A time after Now, from a clock that is ahead, belongs to the newest window.
func (w *windows) add(s *SLO, at time.Time, latency time.Duration, limits Limits) {
	n := max(s.Now.Sub(at), 0) / s.Window
	if n >= time.Duration(s.Windows*LookBack) {
		return
	}
	if *w == nil {
		*w = make(windows, s.Windows*LookBack)
	}
	one := &(*w)[n]
	one.Count++
	one.Max = max(one.Max, latency)
	if latency > limits.P99 {
		one.Late++
	}
	if latency > limits.Maximum {
		one.Unacceptable++
	}
}

// breach returns the last windows with latencies, oldest first, if all are over a limit.
func (w windows) breach(s *SLO) (last []Window) {
	for n, one := range w {
		if one.Count == 0 {
			continue
		}
		if !one.Over() {
			return nil
		}
		one.Until = s.Now.Add(-time.Duration(n) * s.Window)
		one.From = one.Until.Add(-s.Window)
		if last = append(last, one); len(last) == s.Windows {
			slices.Reverse(last)
			return last
		}
	}
	return nil
}

// ParseLimits parses the limits of one transport, "nats=20ms/100ms": its name in records, the target of the
// p99, and the maximum.
func ParseLimits(text string) (transport string, l Limits, err error) {
	transport, limits, _ := strings.Cut(text, "=")
	target, maximum, _ := strings.Cut(limits, "/")
	transport = strings.ToLower(strings.TrimSpace(transport))
	l = LimitsOf(transport)
	var targetErr, maximumErr error
	l.P99, targetErr = time.ParseDuration(strings.TrimSpace(target))
	l.Maximum, maximumErr = time.ParseDuration(strings.TrimSpace(maximum))
	switch {
	case transport == "" || targetErr != nil || maximumErr != nil:
		err = fmt.Errorf("%s is not a limit: write TRANSPORT=P99/MAXIMUM, such as nats=20ms/100ms", finding.Quote(text))
	case l.P99 <= 0 || l.Maximum < l.P99:
		err = fmt.Errorf("%s: the maximum is below the p99, or not above 0: write the p99 first, such as nats=20ms/100ms", finding.Quote(text))
	}
	return transport, l, err
}
