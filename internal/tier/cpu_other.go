//go:build !unix

package tier

import "time"

// cpuTime is 0 on systems where it is not measured.
func cpuTime() time.Duration { return 0 }
