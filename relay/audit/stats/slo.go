package stats

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
)

// An SLO says when a breach of section 6.5 is persistent: when one message, or a burst of
// them, is not enough to explain it.
//
// The time before Now is divided into windows. A pair of agents is in persistent breach, by one
// transport, when each of its last Windows windows is over a limit. A window in which the
// pair handed nothing over says nothing, and is passed over; none counts that is longer ago
// than [LookBack] times Windows windows.
type SLO struct {
	Now     time.Time
	Window  time.Duration // above 0
	Windows int           // at least [MinWindows]
}

const (
	// MinWindows is the smallest number of windows: one is not persistent.
	MinWindows = 2
	// LookBack is how many times as long as the windows that are needed the time is in which
	// they are looked for.
	LookBack = 4
)

// A Breach is a persistent one, of a pair, by one transport.
type Breach struct {
	Transport string
	Limits    Limits
	Windows   []Window // those that were over, the oldest first
}

// A Window is what came in a part of the time.
type Window struct {
	From, Until  time.Time
	Count        int           // of latencies
	Late         int           // over the target of the p99
	Unacceptable int           // over the maximum
	Max          time.Duration // the longest
}

// Over reports whether the p99 of a window is over its target, or one of its latencies is not
// acceptable.
func (w Window) Over() bool { return isOver(w.Count, w.Late) || w.Unacceptable > 0 }

// Check returns what is wrong with an SLO, nil if nothing is.
func (s SLO) Check() error {
	if s.Window <= 0 {
		return fmt.Errorf("windows of %s: use a duration above 0, such as 5m", s.Window)
	}
	if s.Windows < MinWindows || s.Windows > maxWindows {
		return fmt.Errorf("%d windows: use %d to %d, as one is not persistent", s.Windows, MinWindows, maxWindows)
	}
	return nil
}

// maxWindows keeps what a pair takes within bounds.
const maxWindows = 1000

// windows are what was counted of a pair by one transport, the newest window first.
type windows []Window

// add counts a latency. What is after Now, by a clock that is ahead, is of the newest window.
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

// breach returns the last windows with latencies, the oldest first, if all are over.
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

// ParseLimits reads limits of one transport, "nats=20ms/100ms": its name in records, the target
// of the p99, and the maximum.
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
		err = fmt.Errorf("%s is no limit: write TRANSPORT=P99/MAXIMUM, such as nats=20ms/100ms", finding.Quote(text))
	case l.P99 <= 0 || l.Maximum < l.P99:
		err = fmt.Errorf("%s: the maximum is below the p99, or not above 0: write the p99 first, such as nats=20ms/100ms", finding.Quote(text))
	}
	return transport, l, err
}
