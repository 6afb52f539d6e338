// Package polling says how often to look for what may come at any time, where nobody says
// that it has, and waits until then.
package polling

import (
	"context"
	"time"
)

const (
	minPause = time.Millisecond
	maxPause = 50 * time.Millisecond
)

// Pause returns how long to wait before looking again, after nothing has come for a time: a
// tenth of that, so that what comes often is not held up and what is idle costs nothing.
func Pause(idle time.Duration) time.Duration { return max(minPause, min(idle/10, maxPause)) }

// Sleep waits for a time, or for the end of ctx. It reports whether the time is over.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
