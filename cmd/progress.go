package cmd

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// progress tells a person at a terminal how far a long run is. Its zero value,
// and one made for anything but a terminal, tells nothing.
type progress struct {
	out   io.Writer // nil: tell nothing
	total int64     // bytes, -1 if unknown
	began time.Time

	read     atomic.Int64
	messages atomic.Int64

	stopOnce sync.Once
	quit     chan struct{}
	done     chan struct{}
}

// newProgress returns the progress for a run whose diagnostics go to stderr,
// silent unless wanted and stderr is a terminal.
func newProgress(stderr io.Writer, wanted bool) *progress {
	p := &progress{}
	if wanted && isTerminal(stderr) {
		p.out = stderr
	}
	return p
}

// start begins to tell, after the first second.
func (p *progress) start(list []source) {
	if p.out == nil {
		return
	}
	for _, s := range list {
		if s.size < 0 {
			p.total = -1
			break
		}
		p.total += s.size
	}
	p.began = time.Now()
	p.quit, p.done = make(chan struct{}), make(chan struct{})
	go p.tell()
}

func (p *progress) tell() {
	defer close(p.done)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	width := 0
	for {
		select {
		case <-p.quit:
			if width > 0 {
				fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", width))
			}
			return
		case now := <-tick.C:
			if elapsed := now.Sub(p.began); elapsed > time.Second {
				line := p.line(elapsed)
				fmt.Fprintf(p.out, "\r%-*s", width, line)
				width = len(line)
			}
		}
	}
}

func (p *progress) line(elapsed time.Duration) string {
	read := p.read.Load()
	rate := float64(read) / elapsed.Seconds()
	line := fmt.Sprintf("%d messages, %.1f MB, %.1f MB/s", p.messages.Load(), float64(read)/1e6, rate/1e6)
	if p.total > 0 && rate > 0 {
		left := time.Duration(float64(p.total-read) / rate * float64(time.Second))
		line += fmt.Sprintf(", %d%%, %s left", 100*read/p.total, max(left, 0).Round(time.Second))
	}
	return line
}

// stop takes the line back; it may be called more than once.
func (p *progress) stop() {
	if p.quit == nil {
		return
	}
	p.stopOnce.Do(func() {
		close(p.quit)
		<-p.done
	})
}

func (p *progress) bytes(n int) { p.read.Add(int64(n)) }

func (p *progress) message() { p.messages.Add(1) }
