package input

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"
)

// closes records whether it was closed.
type closes struct {
	io.Reader
	closed chan struct{}
}

func (c closes) Close() error {
	close(c.closed)
	return nil
}

func TestAheadReader(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 200_000) // more than the buffer blocks hold
	damaged := errors.New("damaged")
	for _, test := range []struct {
		name string
		in   io.Reader
		err  error
	}{
		{"whole", bytes.NewReader(content), nil},
		{"in halves", iotest.HalfReader(bytes.NewReader(content)), nil},
		{"error with the last bytes", iotest.DataErrReader(bytes.NewReader(content)), nil},
		{"damaged at the end", io.MultiReader(bytes.NewReader(content), iotest.ErrReader(damaged)), damaged},
	} {
		in := closes{test.in, make(chan struct{})}
		r := newAheadReader(in)
		got, err := io.ReadAll(r)
		if !errors.Is(err, test.err) || !bytes.Equal(got, content) {
			t.Errorf("%s: got %d bytes and error %v, want %d and %v", test.name, len(got), err, len(content), test.err)
		}
		if _, again := r.Read(make([]byte, 1)); test.err == nil && again != io.EOF {
			t.Errorf("%s: reading after the end: got error %v, want EOF", test.name, again)
		}
		r.Close()
		<-in.closed
	}
}

// Data is handed on as soon as it is read, while the next read waits.
func TestAheadReaderDoesNotHoldBack(t *testing.T) {
	in, out := io.Pipe()
	r := newAheadReader(in)
	defer r.Close()
	go out.Write([]byte("first"))
	got := make([]byte, 100)
	if n, err := r.Read(got); string(got[:n]) != "first" || err != nil {
		t.Errorf("got %q and error %v", got[:n], err)
	}
	out.Close()
}

// A reader that is closed before its end closes its source, and leaves nothing running.
func TestAheadReaderClosed(t *testing.T) {
	in := closes{iotest.OneByteReader(bytes.NewReader(make([]byte, 1000))), make(chan struct{})}
	r := newAheadReader(in)
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	select {
	case <-in.closed:
	case <-time.After(time.Minute):
		t.Error("still reading")
	}
}
