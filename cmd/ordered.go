package cmd

import "runtime"

// ordered does work on what produce emits, on all cores, and consumes the
// results in the order in which they were emitted. At most a few results per
// core are under way at once. consume is told whether further results may be
// ready. When it fails, ordered returns its error at once, even if produce is
// waiting for input; emit then returns false.
func ordered[T, R any](produce func(emit func(T) bool), work func(T) R, consume func(r R, more bool) error) error {
	type job struct {
		item   T
		result chan R
	}
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan job, workers)
	order := make(chan job, 2*workers)
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
			select {
			case order <- j:
			case <-stop:
				return false
			}
			jobs <- j
			return true
		})
	}()

	for j := range order {
		if err := consume(<-j.result, len(order) > 0); err != nil {
			close(stop)
			return err
		}
	}
	return nil
}
