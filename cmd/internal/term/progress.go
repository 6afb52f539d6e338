package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Progress shows a person at a terminal how far a long run is, and prints the errors of its
// documents. One made for anything but a terminal only prints errors.
type Progress struct {
	stderr io.Writer
	errors Allowance

	out   io.Writer // nil: show nothing
	total int64     // bytes, -1 if unknown
	began time.Time

	read     atomic.Int64
	messages atomic.Int64

	shown sync.Mutex // held while writing
	width int        // of the line on the screen

	stopOnce sync.Once
	quit     chan struct{}
	done     chan struct{}
}

// NewProgress returns the progress for a run whose diagnostics go to stderr, silent but
// for errors, of which it prints maxErrors (0 for any), unless wanted and stderr is
// a terminal.
func NewProgress(stderr io.Writer, wanted bool, maxErrors int) *Progress {
	p := &Progress{stderr: stderr, errors: Allowance{Max: maxErrors}}
	if wanted && IsTerminal(stderr) {
		p.out = stderr
	}
	return p
}

// Start begins to show, after the first second, how much of total has been read, in bytes;
// -1 if that is unknown.
func (p *Progress) Start(total int64) {
	if p.out == nil {
		return
	}
	p.total = total
	p.began = time.Now()
	p.quit, p.done = make(chan struct{}), make(chan struct{})
	go p.report()
}

func (p *Progress) report() {
	defer close(p.done)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.quit:
			p.Clear()
			return
		case now := <-tick.C:
			if elapsed := now.Sub(p.began); elapsed > time.Second {
				p.show(p.line(elapsed))
			}
		}
	}
}

func (p *Progress) show(line string) {
	p.shown.Lock()
	defer p.shown.Unlock()
	fmt.Fprintf(p.out, "\r%-*s", p.width, line)
	p.width = len(line)
}

// Clear takes the line off the screen, for something else to be written there.
func (p *Progress) Clear() {
	p.shown.Lock()
	defer p.shown.Unlock()
	if p.width > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}

func (p *Progress) line(elapsed time.Duration) string {
	read := p.read.Load()
	rate := float64(read) / elapsed.Seconds()
	line := fmt.Sprintf("%d messages, %.1f MB, %.1f MB/s", p.messages.Load(), float64(read)/1e6, rate/1e6)
	if p.total > 0 && rate > 0 {
		left := time.Duration(float64(p.total-read) / rate * float64(time.Second))
		line += fmt.Sprintf(", %d%%, %s left", 100*read/p.total, max(left, 0).Round(time.Second))
	}
	return line
}

// Fail prints an error, unless there were too many. It returns whether it did.
func (p *Progress) Fail(err error) bool {
	if p.errors.Take(1) == 0 {
		return false
	}
	p.Clear()
	PrintError(p.stderr, err)
	return true
}

// Stop ends the progress; it may be called more than once.
func (p *Progress) Stop() {
	p.stopOnce.Do(func() {
		if p.quit != nil {
			close(p.quit)
			<-p.done
		}
		if p.errors.Omitted > 0 {
			fmt.Fprintf(p.stderr, "handoff: … %s\n", NotShown(p.errors.Omitted, "error", p.errors.Max))
		}
	})
}

func (p *Progress) Bytes(n int) { p.read.Add(int64(n)) }

func (p *Progress) Message() { p.messages.Add(1) }
