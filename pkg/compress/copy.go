package compress

import (
	"io"
	"time"
)

// patience is the maximum time that content waits for more before a flush. Compressing in small
// pieces makes the output longer; waiting indefinitely would starve the reader.
const patience = time.Second

// pieceBytes is the size of a read.
const pieceBytes = 256 << 10

// CopyFlushing copies src to dst for a reader that waits for the compressed data: it calls flush
// when content has waited for a second without more arriving. It returns the first error of src,
// dst or flush. After an error of dst or flush, src may be read once more.
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
	var due <-chan time.Time // when pending content has waited for patience
	for {
		var p piece
		select {
		case p = <-pieces:
		default: // nothing has arrived yet
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
