package compress

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// Slow input is flushed in time, and fast input is not flushed.
func TestCopyFlushing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pauses []time.Duration // before each byte
		want   string          // "|" means a flush
	}{
		{name: "nothing"},
		{name: "fast", pauses: []time.Duration{0, 0, 0}, want: "abc"},
		{name: "a pause at the end", pauses: []time.Duration{0, 0, 5 * time.Second}, want: "ab|c"},
		{name: "a trickle", pauses: []time.Duration{0, 400, 400, 400, 400}, want: "abc|de"},
		{name: "long pauses", pauses: []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second}, want: "a|b|c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pr, pw := io.Pipe()
				go func() {
					for i, pause := range tt.pauses {
						if pause < time.Second {
							pause *= time.Millisecond
						}
						time.Sleep(pause)
						pw.Write([]byte{byte('a' + i)})
					}
					pw.Close()
				}()
				var got bytes.Buffer
				err := CopyFlushing(&got, pr, func() error { got.WriteByte('|'); return nil })
				if got.String() != tt.want || err != nil {
					t.Errorf("got %q, %v; want %q", &got, err, tt.want)
				}
			})
		})
	}
}

func TestCopyFlushingFails(t *testing.T) {
	broken := errors.New("broken")
	none := func() error { return nil }
	if err := CopyFlushing(io.Discard, iotest.ErrReader(broken), none); !errors.Is(err, broken) {
		t.Errorf("source: %v", err)
	}
	if err := CopyFlushing(fullDisk{}, bytes.NewReader(make([]byte, 10<<20)), none); !errors.Is(err, errDiskFull) {
		t.Errorf("destination: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		go pw.Write([]byte("a"))
		if err := CopyFlushing(io.Discard, pr, func() error { return broken }); !errors.Is(err, broken) {
			t.Errorf("flush: %v", err)
		}
		pw.Close()
	})
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errDiskFull }

var errDiskFull = errors.New("no space left")
