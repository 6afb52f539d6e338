package guard

import "time"

// SetHeaderTimeout has headers waited for so long, until restore is called.
func SetHeaderTimeout(d time.Duration) (restore func()) {
	was := headerTimeout
	headerTimeout = d
	return func() { headerTimeout = was }
}
