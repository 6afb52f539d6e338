// Package polling says how often to look for what may come at any time, where nobody says
// that it has, and waits until then.
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

// Chance returns a time from 0 to before n, by chance. Tests whose runs are to be the same replace it.
var Chance = rand.N[time.Duration]

// Spread returns a time from half of d to d, by chance: who failed together does not try again
// together.
func Spread(d time.Duration) time.Duration { return d/2 + Chance(d/2) }
