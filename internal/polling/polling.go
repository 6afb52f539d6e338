// Package polling computes the intervals for polling sources that have no notifications, and waits.
package polling

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	minPause = time.Millisecond
	maxPause = 50 * time.Millisecond
)

// Pause returns the interval before the next poll, a tenth of the idle time, within bounds: frequent events
// are not delayed, and idle sources cost little.
func Pause(idle time.Duration) time.Duration { return max(minPause, min(idle/10, maxPause)) }

// Sleep waits for d or until ctx is done. It reports whether d has passed.
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

// Chance returns a random duration in [0,n). Tests replace it for reproducible runs.
var Chance = rand.N[time.Duration]

// Spread returns a random duration between d/2 and d, so that clients that failed together do not retry
// together.
func Spread(d time.Duration) time.Duration { return d/2 + Chance(d/2) }
