package stats

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// delays are the latencies of a transport, in at most [classes] numbers: individual latencies, or counts in
// classes once there are more. The width of a class is at most 1/256 of its latencies; below 512 µs each
// latency has its own class.
type delays struct {
	limits  Limits
	micros  []uint32 // individual latencies, at most one hour; nil if there are classes
	classes []uint32 // number of latencies in each class; nil if there are only a few
	count   int
	sum     time.Duration
	max     time.Duration
	late    int // number over the target
}

const (
	longest  = math.MaxUint32
	fineBits = 8
	fine     = 1 << fineBits
	classes  = 2*fine + fine*(32-fineBits-1)
)

// classOf returns the class of a latency.
func classOf(micros uint32) int {
	if micros < 2*fine {
		return int(micros)
	}
	shift := bits.Len32(micros) - fineBits - 1
	return shift*fine + int(micros>>shift)
}

// longestOf returns the maximum latency of a class.
func longestOf(class int) uint32 {
	if class < 2*fine {
		return uint32(class)
	}
	shift := class/fine - 1
	return uint32((uint64(class%fine+fine+1) << shift) - 1)
}

func (d *delays) add(latency time.Duration) {
	d.count++
	d.sum = plus(d.sum, latency)
	d.max = max(d.max, latency)
	if latency > d.limits.P99 {
		d.late++
	}
	d.put(uint32(min(latency.Microseconds(), longest)))
}

// plus adds two non-negative durations. It saturates at the maximum duration.
func plus(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// put adds one latency.
func (d *delays) put(micros uint32) {
	if d.classes == nil && len(d.micros) < classes {
		d.micros = append(d.micros, micros)
		return
	}
	d.classify()
	d.classes[classOf(micros)]++
}

// classify switches from individual latencies to classes.
func (d *delays) classify() {
	if d.classes != nil {
		return
	}
	d.classes = make([]uint32, classes)
	for _, m := range d.micros {
		d.classes[classOf(m)]++
	}
	d.micros = nil
}

func (d *delays) merge(o *delays) {
	d.count += o.count
	d.sum = plus(d.sum, o.sum)
	d.max = max(d.max, o.max)
	d.late += o.late
	for _, m := range o.micros {
		d.put(m)
	}
	if o.classes != nil {
		d.classify()
		for class, n := range o.classes {
			d.classes[class] += n
		}
	}
}

// rank returns the rank of a percentile, at least one.
func rank(count, percent int) int { return max((count*percent+99)/100, 1) }

// isOver reports whether the p99 is over the target: whether too many latencies are late.
func isOver(count, late int) bool { return count > 0 && count-late < rank(count, 99) }

// at returns a percentile of the latencies, or the maximum of its class.
func (d *delays) at(percent int) time.Duration {
	left := rank(d.count, percent)
	if d.classes == nil {
		slices.Sort(d.micros)
		return d.duration(d.micros[left-1])
	}
	for class, n := range d.classes {
		if left -= int(n); left <= 0 {
			return d.duration(longestOf(class))
		}
	}
	return d.max
}

func (d *delays) duration(micros uint32) time.Duration {
	if micros == longest {
		return d.max
	}
	return min(time.Duration(micros)*time.Microsecond, d.max)
}

// latency returns the reported values. The comparison of the p99 with its target is exact, even if its class
// contains the target.
func (d *delays) latency(transport string) Latency {
	p99 := d.at(99)
	if isOver(d.count, d.late) {
		p99 = max(p99, d.limits.P99+time.Microsecond)
	} else {
		p99 = min(p99, d.limits.P99)
	}
	return Latency{Transport: transport, Limits: d.limits, Count: d.count, Sum: d.sum, P50: d.at(50), P99: p99, Max: d.max}
}
