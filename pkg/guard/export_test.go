package guard

import "time"

// SetHeaderTimeout sets the time limit for the header of a request until restore is called.
func SetHeaderTimeout(d time.Duration) (restore func()) {
	was := headerTimeout
	headerTimeout = d
	return func() { headerTimeout = was }
}
