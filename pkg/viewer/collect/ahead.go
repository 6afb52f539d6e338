package collect

import (
	"runtime"

	"github.com/eaapl/handoff/pkg/viewer"
)

// A future is details that are being made.
type future struct {
	details *viewer.Details
	err     error
	done    chan struct{}
}

// ahead returns a function that does what details does, which is safe for concurrent use. Of n
// handoffs whose details are asked for in their order, those of the next ones are made meanwhile, as many
// as there are processors. What is returned is for one goroutine.
func ahead(n int, details func(i int) (*viewer.Details, error)) func(i int) (*viewer.Details, error) {
	coming := map[int]*future{}
	next := 0 // from which on none is coming
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
