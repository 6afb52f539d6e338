package input

import "io"

const (
	aheadBytes  = 256 << 10 // of a block
	aheadBlocks = 4
)

// An aheadReader reads ahead in its own goroutine, a few blocks at most, so that the consumer does not wait
// for decompression.
type aheadReader struct {
	blocks chan block
	free   chan []byte
	stop   chan struct{}
	block  block // the rest of the current block
}

// A block is the result of one read.
type block struct {
	memory []byte
	rest   []byte
	err    error
}

// newAheadReader starts reading r. It closes r at its end or after [aheadReader.Close].
func newAheadReader(r io.ReadCloser) *aheadReader {
	a := &aheadReader{blocks: make(chan block, aheadBlocks), free: make(chan []byte, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks {
		a.free <- make([]byte, aheadBytes)
	}
	go func() {
		defer r.Close() // read only: nothing can be lost
		defer close(a.blocks)
		for {
			var b block
			select {
			case b.memory = <-a.free:
			case <-a.stop:
				return
			}
			n, err := r.Read(b.memory)
			b.rest, b.err = b.memory[:n], err
			a.blocks <- b // does not block: at most cap(blocks) blocks are in flight
			if err != nil {
				return
			}
		}
	}()
	return a
}

func (a *aheadReader) Read(p []byte) (int, error) {
	for len(a.block.rest) == 0 {
		if a.block.err != nil {
			return 0, a.block.err
		}
		if a.block.memory != nil {
			a.free <- a.block.memory
		}
		a.block = <-a.blocks
	}
	n := copy(p, a.block.rest)
	a.block.rest = a.block.rest[n:]
	return n, nil
}

// Close stops reading when the current read returns.
func (a *aheadReader) Close() error {
	close(a.stop)
	return nil
}
