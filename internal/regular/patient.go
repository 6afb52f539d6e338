package regular

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// patience is the maximum time to wait for a file system.
const patience = 30 * time.Second

// maxWaiting is the maximum number of concurrent calls to file systems. Each holds an operating system
// thread, even after its caller has given up.
const maxWaiting = 64

var waiting = make(chan struct{}, maxWaiting)

// A File is a regular file whose reads end when a context is done. No call blocks longer than the context or
// 30 seconds. It is safe for concurrent use.
type File struct {
	ctx  context.Context
	file file
	size int64
	name string
}

// file is the subset of [os.File] that a File uses.
type file interface {
	io.ReaderAt
	io.Closer
}

// OpenWithin is [Open], but returns an error when ctx is done.
func OpenWithin(ctx context.Context, path string) (*File, error) {
	return within(ctx, path, func() (*File, error) {
		f, err := Open(path)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		return &File{ctx, f, info.Size(), path}, nil
	}, func(f *File) { f.Close() })
}

// Name returns the path by which the file was opened.
func (f *File) Name() string { return f.name }

// Size returns the size of the file when it was opened, in bytes.
func (f *File) Size() int64 { return f.size }

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	own := make([]byte, len(p)) // the caller may reuse p while the file system still writes
	var end error
	n, err := within(f.ctx, f.name, func() (n int, err error) {
		n, end = f.file.ReadAt(own, offset)
		return n, nil
	}, func(int) {})
	if err != nil {
		return 0, err
	}
	return copy(p, own[:n]), end
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// within returns the result of call, or an error when ctx is done or the file system takes too long. A later
// result of call is passed to drop.
func within[T any](ctx context.Context, path string, call func() (T, error), drop func(T)) (none T, err error) {
	type answer struct {
		value T
		err   error
	}
	silent := time.NewTimer(patience)
	defer silent.Stop()
	gone := func(err error) (T, error) {
		return none, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	errSilent := fmt.Errorf("the file system has not answered for %s", patience)
	select {
	case waiting <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	case <-silent.C:
		return gone(errSilent)
	}
	answers, left := make(chan answer), make(chan struct{})
	defer close(left)
	go func() {
		defer func() { <-waiting }()
		value, err := call()
		select {
		case answers <- answer{value, err}:
		case <-left:
			if err == nil {
				drop(value)
			}
		}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-silent.C:
		return gone(errSilent)
	}
}
