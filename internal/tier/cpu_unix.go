//go:build unix

package tier

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of this process and of the children that it has waited for.
func cpuTime() time.Duration {
	var total int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			total += usage.Utime.Nano() + usage.Stime.Nano()
		}
	}
	return time.Duration(total)
}
