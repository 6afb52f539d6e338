package stats

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestClasses checks that each class begins where the previous one ends, and is at most 1/256 wide.
func TestClasses(t *testing.T) {
	next := uint64(0)
	for class := range classes {
		last := uint64(longestOf(class))
		if classOf(uint32(next)) != class || classOf(uint32(last)) != class {
			t.Fatalf("class %d is not from %d to %d", class, next, last)
		}
		if (last-next)*fine > next {
			t.Errorf("class %d is from %d to %d", class, next, last)
		}
		next = last + 1
	}
	if next != longest+1 {
		t.Errorf("the last class ends before %d", next)
	}
}

// TestManyDelays checks many latencies against the plain definition: percentiles are equal or at most 0.4 %
// higher, a p99 over its target is detected exactly, and the result does not depend on the parts in which
// latencies were counted.
func TestManyDelays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := Limits{P99: time.Duration(rapid.IntRange(1, 100_000).Draw(rt, "target")) * time.Microsecond}
		n := rapid.IntRange(1, 3*classes).Draw(rt, "count")
		random := rapid.Uint64().Draw(rt, "seed")
		width := rapid.Uint64Range(2, 1<<34).Draw(rt, "width") // some are longer than an hour
		parts := []*delays{{limits: limits}, {limits: limits}, {limits: limits}}
		all := make([]time.Duration, n)
		for i := range all {
			random = random*6364136223846793005 + 1442695040888963407
			all[i] = time.Duration(1+(random>>16)%width) * time.Microsecond
			parts[i*i%len(parts)].add(all[i])
		}
		d := &delays{limits: limits}
		for _, p := range parts {
			d.merge(p)
		}
		slices.Sort(all)
		p99 := all[rank(n, 99)-1]
		got := d.latency("nats")
		if got.OverP99() != (p99 > limits.P99) {
			rt.Errorf("p99 %v, reported as %v, target %v: over is %v", p99, got.P99, limits.P99, got.OverP99())
		}
		if got.Max != all[n-1] || got.Count != n {
			rt.Errorf("count %d, maximum %v", got.Count, got.Max)
		}
		for percent, reported := range map[int]time.Duration{50: got.P50, 99: d.at(99)} {
			exact := all[rank(n, percent)-1]
			if exact > longest*time.Microsecond {
				exact, reported = 0, 0 // for an hour or more, the maximum is reported
			}
			if reported < exact || reported > exact+exact/fine || n <= classes/3 && reported != exact {
				rt.Errorf("p%d of %d is %v, reported as %v", percent, n, exact, reported)
			}
		}
		if len(d.micros) > classes || len(d.classes) > classes {
			rt.Errorf("%d latencies take %d and %d numbers", n, len(d.micros), len(d.classes))
		}
	})
}
