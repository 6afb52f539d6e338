package compress

import (
	"io"
	"time"
)

// patience is how long content waits for more of it when none comes. What is
// compressed in small pieces grows; waiting for ever would starve the reader.
const patience = time.Second

// pieceBytes is how much is read at once.
const pieceBytes = 256 << 10

// CopyFlushing copies src to dst, as somebody needs it who waits for what is compressed: it
// calls flush when nothing comes from src and something has waited for a second. Errors are
// those of src, dst and flush. After an error of dst or flush src may still be read, once.
func CopyFlushing(dst io.Writer, src io.Reader, flush func() error) error {
	type piece struct {
		bytes []byte
		err   error
	}
	pieces, free := make(chan piece), make(chan []byte, 2)
	free <- make([]byte, pieceBytes)
	free <- make([]byte, pieceBytes)
	defer close(free)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for buffer := range free {
			n, err := src.Read(buffer)
			select {
			case pieces <- piece{buffer[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var due <-chan time.Time // when something will have waited for too long
	for {
		var p piece
		select {
		case p = <-pieces:
		default: // nothing is there yet
			select {
			case p = <-pieces:
			case <-due:
				due = nil
				if err := flush(); err != nil {
					return err
				}
				continue
			}
		}
		if len(p.bytes) > 0 && due == nil {
			due = time.After(patience)
		}
		if _, err := dst.Write(p.bytes); err != nil {
			return err
		}
		if p.err == io.EOF {
			return nil
		}
		if p.err != nil {
			return p.err
		}
		free <- p.bytes[:cap(p.bytes)]
	}
}
