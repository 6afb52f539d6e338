package metrics

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// latencyBounds are the bucket bounds for latencies, in seconds. They include all limits of section 6.5 of
// EAAPL-MAG006, so that the messages over each limit are counted exactly.
var latencyBounds = [...]float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}

// runBounds are the bucket bounds for agents' runs, in seconds.
var runBounds = [...]float64{.1, .5, 1, 5, 10, 30, 60, 300, 900, 3600}

// A histogram counts durations.
type histogram struct {
	bounds []float64 // in seconds
	counts []uint64  // by bucket; the last one has no bound
	sum    float64
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

func (h *histogram) add(d time.Duration) {
	seconds := max(d, 0).Seconds()
	at, _ := slices.BinarySearch(h.bounds, seconds)
	h.counts[at]++
	h.sum += seconds
}

// write writes the samples of a histogram with labels.
func (h *histogram) write(w *Writer, labels ...string) {
	total := uint64(0)
	for i, n := range h.counts {
		total += n
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = strconv.FormatFloat(h.bounds[i], 'g', -1, 64)
		}
		w.Sample("_bucket", float64(total), append(slices.Clip(labels), "le", bound)...)
	}
	w.Sample("_sum", math.Max(h.sum, 0), labels...)
	w.Sample("_count", float64(total), labels...)
}
