package input

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Results come in the order of the input, whatever their durations, and only a few are in
// flight at once.
func TestOrdered(t *testing.T) {
	const items = 2000
	var inFlight, most atomic.Int64
	next := 0
	err := Ordered(
		func(emit func(int) bool) {
			for i := range items {
				most.Store(max(most.Load(), inFlight.Add(1)))
				if !emit(i) {
					return
				}
			}
		},
		func(i int) int {
			if i%7 == 0 {
				runtime.Gosched()
			}
			return 2 * i
		},
		func(r int, _ bool) error {
			if r != 2*next {
				t.Fatalf("result %d, want %d", r, 2*next)
			}
			next++
			inFlight.Add(-1)
			return nil
		}, Bound[int]{})
	if err != nil || next != items {
		t.Errorf("%d results, error %v", next, err)
	}
	// The items that wait to be processed, the results that wait to be consumed, and one each
	// for the producer and the consumer.
	if limit := int64(2*runtime.GOMAXPROCS(0) + 2); most.Load() > limit {
		t.Errorf("%d items in flight, want %d at most", most.Load(), limit)
	}
}

// A light is a result with the given weight.
type light int

func (l light) Weight() int { return int(l) }

// While a huge item is processed, the following ones are too, unless their results are
// heavy. Large items are processed one per core.
func TestOrderedAroundHugeItem(t *testing.T) {
	const ahead, huge = 50, 0
	for _, test := range []struct {
		name   string
		weight light
		behind int // number of items processed during the huge one
	}{
		{"light", 1, ahead - 1},
		{"heavy", maxWaiting, 1},
	} {
		if runtime.GOMAXPROCS(0) == 1 {
			t.Skip("needs two cores: something else has to work beside the huge item")
		}
		enough := make(chan struct{})
		var worked, large, maxLarge atomic.Int64
		isLarge := func(i int) bool { return i == huge || i > ahead }
		err := Ordered(
			func(emit func(int) bool) {
				for i := range 2 * ahead {
					if isLarge(i) {
						maxLarge.Store(max(maxLarge.Load(), large.Add(1)))
					}
					if !emit(i) {
						return
					}
				}
			},
			func(i int) light {
				if i == huge {
					<-enough
				} else if worked.Add(1) == int64(test.behind) {
					close(enough)
				}
				return test.weight
			},
			func(light, bool) error {
				large.Add(-1) // the first result, and those ahead after it, are of large items
				return nil
			}, Bound[int]{ahead, isLarge})
		if err != nil {
			t.Error(err)
		}
		// The producer and the consumer each have one more.
		if limit := int64(runtime.GOMAXPROCS(0) + 2); maxLarge.Load() > limit {
			t.Errorf("%s: %d large items in flight, want %d at most", test.name, maxLarge.Load(), limit)
		}
	}
}

// While the consumer is busy, only a few results wait, however light they are.
func TestOrderedWaitsForItsConsumer(t *testing.T) {
	var emitted atomic.Int64
	const ahead = 500
	first := true
	err := Ordered(
		func(emit func(int) bool) {
			for i := range 1000 {
				if !emit(i) {
					return
				}
				emitted.Add(1)
			}
		},
		func(int) light { return 1 },
		func(light, bool) error {
			if first {
				first = false
				before := emitted.Load()          // a busy machine may have emitted many before the first result
				time.Sleep(50 * time.Millisecond) // time for the others to run ahead
				if n := emitted.Load() - before; n > ahead/2 {
					t.Errorf("%d items emitted while the consumer has the first", n)
				}
			}
			return nil
		}, Bound[int]{ahead: ahead})
	if err != nil || emitted.Load() != 1000 {
		t.Errorf("%d items, error %v", emitted.Load(), err)
	}
}

// A failing consumer, such as a closed pipe, ends the run at once, even while the producer
// waits for input, and leaves nothing running.
func TestOrderedEndsWithItsConsumer(t *testing.T) {
	before := runtime.NumGoroutine()
	failed := errors.New("closed")
	input := make(chan int, 1)
	input <- 1
	err := Ordered(
		func(emit func(int) bool) {
			for i := range input {
				if !emit(i) {
					return
				}
			}
		},
		func(i int) int { return i },
		func(int, bool) error { return failed }, Bound[int]{})
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	close(input)
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
