package term

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/term/termtest"
)

// A watched is a screen on a terminal with a clock under control of the test.
type watched struct {
	*termtest.Terminal
	screen *Screen
	ticks  chan time.Time
}

func watch(t *testing.T, columns uint16) *watched {
	t.Helper()
	w := &watched{Terminal: termtest.Open(t, columns), ticks: make(chan time.Time)}
	w.screen = &Screen{Clock: func() (time.Time, <-chan time.Time, func()) { return time.Time{}, w.ticks, func() {} }}
	return w
}

// progress returns a progress on the screen.
func (w *watched) progress() *Progress { return NewProgress(w.screen.Stream(w.File), 0) }

// at advances the clock to a time since the progress began. It returns after all earlier output is shown.
func (w *watched) at(d time.Duration) { w.ticks <- time.Time{}.Add(d) }

func TestProgress(t *testing.T) {
	w := watch(t, 80)
	p := w.progress()
	p.Start(4e6)
	p.Bytes(1e6)
	p.Message()
	w.at(time.Second) // nothing is shown yet
	w.at(2 * time.Second)
	const line = "1 message, 1.0 MB, 0.5 MB/s, 25%, 6s left"
	if got := w.Until(t, "left"); got != "\r"+line {
		t.Errorf("after 2 seconds it shows %q", got)
	}

	// An error removes the line first.
	p.Fail(errors.New("it is broken"))
	if got, want := w.Until(t, "\n"), "\r"+strings.Repeat(" ", len(line))+"\rhandoff: it is broken\r\n"; got != want {
		t.Errorf("an error shows %q, want %q", got, want)
	}

	// While either stream has an unfinished line, nothing is shown.
	stdout := w.screen.Stream(w.File)
	_, _ = stdout.Write([]byte("{"))
	w.at(3 * time.Second)
	w.at(time.Second)
	_, _ = stdout.Write([]byte("}\n"))
	w.at(4 * time.Second)
	if got := w.Until(t, "left"); got != "{}\r\n\r1 message, 1.0 MB, 0.2 MB/s, 25%, 12s left" {
		t.Errorf("output and progress show %q", got)
	}

	// At the end, the line is removed.
	p.Stop()
	p.Stop()
	_, _ = stdout.Write([]byte("done\n"))
	if got := w.Until(t, "\n"); strings.Trim(got, " \r\n") != "done" || !strings.HasSuffix(got, "\rdone\r\n") {
		t.Errorf("the end shows %q", got)
	}
}

func TestProgressOfWork(t *testing.T) {
	w := watch(t, 80)
	counted := w.progress()
	counted.StartDoing("verifying records", 20000)
	counted.Reached(5000)
	w.at(2 * time.Second)
	if got := w.Until(t, "left"); got != "\rverifying records: 5,000 of 20,000, 25%, 6s left" {
		t.Errorf("it shows %q", got)
	}
	counted.Stop()

	w = watch(t, 80)
	timed := w.progress()
	timed.StartDoing("training", -1)
	w.at(2500 * time.Millisecond)
	if got := w.Until(t, "s"); got != "\rtraining, 2s" {
		t.Errorf("it shows %q", got)
	}
	timed.Stop()
}

// A line that the terminal wraps cannot be removed.
func TestProgressIsCut(t *testing.T) {
	w := watch(t, 20)
	p := w.progress()
	p.Start(4e6)
	p.Bytes(1e6)
	w.at(2 * time.Second)
	if got := w.Until(t, "…"); Width(strings.TrimPrefix(got, "\r")) > 19 {
		t.Errorf("it shows %q", got)
	}
	p.Stop()
}

func TestNoScreen(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	s := &Screen{Clock: func() (time.Time, <-chan time.Time, func()) {
		t.Error("there is no terminal, and progress begins")
		return time.Time{}, nil, func() {}
	}}
	if s.Stream(w) != w {
		t.Error("a pipe has become a screen")
	}
	p := NewProgress(s.Stream(w), 0)
	p.Start(-1)
	p.Stop()
}
