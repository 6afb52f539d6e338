package collect

import (
	"runtime"

	"github.com/eaapl/handoff/internal/viewer"
)

// A future is the pending details of a handoff.
type future struct {
	details *viewer.Details
	err     error
	done    chan struct{}
}

// ahead wraps details, which must be safe for concurrent use, to prefetch. When the details of the n
// handoffs are requested in order, the next ones are prepared concurrently, as many as there are
// processors. The returned function is not safe for concurrent use.
func ahead(n int, details func(i int) (*viewer.Details, error)) func(i int) (*viewer.Details, error) {
	coming := map[int]*future{}
	next := 0 // first index that was not started
	return func(i int) (*viewer.Details, error) {
		f, ok := coming[i]
		if !ok && i != next {
			return details(i) // out of order
		}
		for ; next < n && next <= i+runtime.GOMAXPROCS(0); next++ {
			coming[next] = begin(next, details)
		}
		if !ok {
			f = coming[i]
		}
		delete(coming, i)
		<-f.done
		return f.details, f.err
	}
}

func begin(i int, details func(i int) (*viewer.Details, error)) *future {
	f := &future{done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.details, f.err = details(i)
	}()
	return f
}
