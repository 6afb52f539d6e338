package input

import "io"

const (
	aheadBytes  = 256 << 10 // of a block
	aheadBlocks = 4
)

// An aheadReader reads from another reader in a goroutine of its own, a few blocks before
// they are asked for: decompressing then takes no time from whoever uses the content.
type aheadReader struct {
	blocks chan block
	free   chan []byte
	stop   chan struct{}
	block  block // what is left of the present one
}

// A block is what one read gave.
type block struct {
	memory []byte
	rest   []byte
	err    error
}

// newAheadReader begins to read r, which it closes once that has ended, or is not
// wanted any more.
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
			a.blocks <- b // there is room: no more blocks than it holds are in flight
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

// Close ends the reading, as soon as a read in flight returns.
func (a *aheadReader) Close() error {
	close(a.stop)
	return nil
}
