package input

import (
	"runtime"
	"sync"
)

// A Bound limits the number of items in flight.
type Bound[T any] struct {
	// ahead is the maximum number of items in flight while a core works on the first of them, which may be
	// huge: the other cores work on the next ones. Only results with a weight may wait that long.
	ahead int
	// large selects the items that are limited to one in flight per core; nil means none.
	large func(T) bool
}

// A weighed result has an approximate size in bytes.
type weighed interface{ Weight() int }

// maxWaiting is the maximum total weight of the results that wait for a huge item, in bytes.
const maxWaiting = 16 << 20

// Ordered does work on the items that produce emits concurrently and consumes the results in the order of the
// items. A few items per core are in flight at once, or as many as the limit allows. The argument more of
// consume reports whether further results may be ready. When consume fails, Ordered returns its error
// immediately, even if produce is waiting for input; emit then returns false.
func Ordered[T, R any](produce func(emit func(T) bool), work func(T) R, consume func(r R, more bool) error, limit Bound[T]) error {
	type pending struct {
		result chan R
		large  bool
		weight int // of the result, once it is available
	}
	type job struct {
		item T
		*pending
	}
	workers := runtime.GOMAXPROCS(0)
	w := &window{few: 2 * workers, ahead: limit.ahead, larges: workers}
	w.changed.L = &w.mutex
	jobs := make(chan job, workers)
	order := make(chan *pending, max(w.few, w.ahead))

	for range workers {
		go func() {
			for j := range jobs {
				r := work(j.item)
				j.weight = maxWaiting
				if r, ok := any(r).(weighed); ok {
					j.weight = r.Weight()
				}
				w.finish(j.weight)
				j.result <- r
			}
		}()
	}
	go func() {
		defer close(order)
		defer close(jobs)
		produce(func(item T) bool {
			p := &pending{result: make(chan R, 1), large: limit.large != nil && limit.large(item)}
			if !w.enter(p.large) {
				return false
			}
			order <- p // does not block: w limits the number
			jobs <- job{item, p}
			return true
		})
	}()

	for p := range order {
		var r R
		select {
		case r = <-p.result:
		default:
			w.wait(true)
			r = <-p.result
			w.wait(false)
		}
		if err := consume(r, len(order) > 0); err != nil {
			w.stop()
			return err
		}
		w.leave(p.large, p.weight)
	}
	return nil
}

// A window enforces a [Bound].
type window struct {
	few, ahead, larges int // maximum numbers of each

	mutex    sync.Mutex
	changed  sync.Cond
	items    int
	large    int
	finished int  // total weight of the results
	waiting  bool // for the first item
	stopped  bool
}

// enter waits until another item may be in flight. It returns false if no further item may enter.
func (w *window) enter(large bool) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for !w.stopped && !w.hasRoom(large) {
		w.changed.Wait()
	}
	w.items++
	if large {
		w.large++
	}
	return !w.stopped
}

func (w *window) hasRoom(large bool) bool {
	if large && w.large == w.larges {
		return false
	}
	return w.items < w.few || w.waiting && w.items < w.ahead && w.finished < maxWaiting
}

func (w *window) change(by func()) {
	w.mutex.Lock()
	by()
	w.mutex.Unlock()
	w.changed.Signal() // wakes enter, the only waiter
}

func (w *window) finish(weight int) { w.change(func() { w.finished += weight }) }

func (w *window) wait(waiting bool) { w.change(func() { w.waiting = waiting }) }

func (w *window) stop() { w.change(func() { w.stopped = true }) }

func (w *window) leave(large bool, weight int) {
	w.change(func() {
		w.items--
		w.finished -= weight
		if large {
			w.large--
		}
	})
}
