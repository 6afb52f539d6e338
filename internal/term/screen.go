package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// A Screen is the terminal of a run, to which both standard output and standard error may go. It shows the
// line of a [Progress] only at the beginning of a line and clears it before a write to one of the screen's
// streams, so that they do not mix. It is safe for concurrent use.
type Screen struct {
	// Clock, if not nil, replaces the time: it returns the start time of a progress, the times at which to
	// show it, and a function that stops them.
	Clock func() (began time.Time, ticks <-chan time.Time, stop func())

	mu     sync.Mutex
	drawn  int           // width of the shown line, in columns
	on     *screenStream // the stream that shows it
	inLine bool          // the last write did not end its line
}

// Stream returns a file as a stream of the screen, or unchanged if it is not a terminal.
func (s *Screen) Stream(f *os.File) io.Writer {
	if !IsTerminal(f) {
		return f
	}
	return &screenStream{f, s}
}

// A screenStream is a stream of a screen.
type screenStream struct {
	file   *os.File
	screen *Screen
}

// Fd returns the file descriptor of the terminal.
func (s *screenStream) Fd() uintptr { return s.file.Fd() }

func (s *screenStream) Write(p []byte) (int, error) {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	s.screen.clear()
	n, err := s.file.Write(p)
	if n > 0 {
		s.screen.inLine = p[n-1] != '\n'
	}
	return n, err
}

// Unscreened returns the file of a screen's stream, and any other writer unchanged: for child processes,
// which write to the terminal themselves. No progress may be shown at the same time.
func Unscreened(w io.Writer) io.Writer {
	if s, ok := w.(*screenStream); ok {
		return s.file
	}
	return w
}

// Clear clears the line of a progress.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

func (s *Screen) clear() {
	if s.drawn > 0 {
		fmt.Fprintf(s.on.file, "\r%s\r", strings.Repeat(" ", s.drawn))
		s.drawn = 0
	}
}

// draw shows the line of a progress, cut to the width of the terminal.
func (s *screenStream) draw(line string) {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	if s.screen.inLine {
		return
	}
	columns := DefaultWidth
	if of, _, err := term.GetSize(int(s.Fd())); err == nil && of > 0 {
		columns = of
	}
	line = Clip(line, columns-1) // in the last column, some terminals begin a new line
	fmt.Fprintf(s.file, "\r%-*s", s.screen.drawn, line)
	s.screen.drawn, s.screen.on = max(Width(line), s.screen.drawn), s
}

// clock returns the start time of a progress and the times at which to show it.
func (s *Screen) clock() (began time.Time, ticks <-chan time.Time, stop func()) {
	if s.Clock != nil {
		return s.Clock()
	}
	ticker := time.NewTicker(200 * time.Millisecond)
	return time.Now(), ticker.C, ticker.Stop
}
