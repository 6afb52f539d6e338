package input

import (
	"runtime"
	"sync"
)

// A Bound limits what Ordered has in flight.
type Bound[T any] struct {
	// ahead is how many items may be in flight while a core is busy with the first of
	// them, which may be huge: the other cores work on those after it. Only results with a
	// weight may wait like that.
	ahead int
	// large reports the items of which only one per core is in flight; nil means none.
	large func(T) bool
}

// A weighed result knows about how many bytes it takes.
type weighed interface{ Weight() int }

// maxWaiting is how much the results that wait for a huge item may weigh, in bytes.
const maxWaiting = 16 << 20

// Ordered does work on what produce emits, on all cores, and consumes the
// results in the order in which they were emitted. At most a few items per core are
// in flight at once, or those that limit allows. consume gets whether further results
// may be ready. When it fails, ordered returns its error at once, even if produce is
// waiting for input; emit then returns false.
func Ordered[T, R any](produce func(emit func(T) bool), work func(T) R, consume func(r R, more bool) error, limit Bound[T]) error {
	type pending struct {
		result chan R
		large  bool
		weight int // of the result, once it is there
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
			order <- p // there is room: w counts
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

// A window bounds what Ordered has in flight.
type window struct {
	few, ahead, larges int // how many there may be of each

	mutex    sync.Mutex
	changed  sync.Cond
	items    int
	large    int
	finished int  // the weight of the results
	waiting  bool // for the first item
	stopped  bool
}

// enter waits until another item may be in flight. It returns false if none ever will.
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
	w.changed.Signal() // to enter, which alone waits
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
