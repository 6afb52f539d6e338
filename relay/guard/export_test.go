package guard

import "time"

// SetHeaderTimeout sets the time limit for the header of a request, until restore is called.
func SetHeaderTimeout(d time.Duration) (restore func()) { return set(&headerTimeout, d) }

// SetGrace sets the time limit for a slow body, until restore is called.
func SetGrace(d time.Duration) (restore func()) { return set(&grace, d) }

func set(to *time.Duration, d time.Duration) (restore func()) {
	was := *to
	*to = d
	return func() { *to = was }
}
