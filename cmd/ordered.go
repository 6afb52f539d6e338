package cmd

import "runtime"

// A bound says how much ordered may have under way.
type bound[T any] struct {
	// ahead is how many results may wait for one before them: while a core is busy with
	// a huge item, the others go on with those behind it.
	ahead int
	// large tells the items of which only one per core is under way; nil means none.
	large func(T) bool
}

// ordered does work on what produce emits, on all cores, and consumes the
// results in the order in which they were emitted. What waits to be worked on is
// bounded by the number of cores, what waits to be consumed by most. consume is told
// whether further results may be ready. When it fails, ordered returns its error at
// once, even if produce is waiting for input; emit then returns false.
func ordered[T, R any](produce func(emit func(T) bool), work func(T) R, consume func(r R, more bool) error, most bound[T]) error {
	type job struct {
		item   T
		result chan R
	}
	type pending struct {
		result chan R
		large  bool
	}
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan job, workers)
	order := make(chan pending, most.ahead)
	larges := make(chan struct{}, workers)
	stop := make(chan struct{})

	for range workers {
		go func() {
			for j := range jobs {
				j.result <- work(j.item)
			}
		}()
	}
	go func() {
		defer close(order)
		defer close(jobs)
		produce(func(item T) bool {
			j := job{item, make(chan R, 1)}
			p := pending{j.result, most.large != nil && most.large(item)}
			if p.large {
				select {
				case larges <- struct{}{}:
				case <-stop:
					return false
				}
			}
			select {
			case order <- p:
			case <-stop:
				return false
			}
			jobs <- j
			return true
		})
	}()

	for p := range order {
		if err := consume(<-p.result, len(order) > 0); err != nil {
			close(stop)
			return err
		}
		if p.large {
			<-larges
		}
	}
	return nil
}
