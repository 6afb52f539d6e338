package cmd

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// progress tells a person at a terminal how far a long run is, and prints the errors of
// its documents. One made for anything but a terminal tells nothing of the way.
type progress struct {
	stderr io.Writer
	errors allowance

	out   io.Writer // nil: tell nothing
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

// newProgress returns the progress for a run whose diagnostics go to stderr,
// silent but for errors unless wanted and stderr is a terminal.
func (g *globals) newProgress(stderr io.Writer, wanted bool) *progress {
	p := &progress{stderr: stderr, errors: allowance{most: g.maxFindings}}
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
	for {
		select {
		case <-p.quit:
			p.clear()
			return
		case now := <-tick.C:
			if elapsed := now.Sub(p.began); elapsed > time.Second {
				p.show(p.line(elapsed))
			}
		}
	}
}

func (p *progress) show(line string) {
	p.shown.Lock()
	defer p.shown.Unlock()
	fmt.Fprintf(p.out, "\r%-*s", p.width, line)
	p.width = len(line)
}

// clear takes the line off the screen, for something else to be written there.
func (p *progress) clear() {
	p.shown.Lock()
	defer p.shown.Unlock()
	if p.width > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
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

// fail prints an error, unless there were too many. It returns whether it did.
func (p *progress) fail(err error) bool {
	if p.errors.take(1) == 0 {
		return false
	}
	p.clear()
	printError(p.stderr, err)
	return true
}

// stop ends the telling; it may be called more than once.
func (p *progress) stop() {
	p.stopOnce.Do(func() {
		if p.quit != nil {
			close(p.quit)
			<-p.done
		}
		if p.errors.omitted > 0 {
			fmt.Fprintf(p.stderr, "handoff: … %s\n", notShown(p.errors.omitted, "error", p.errors.most))
		}
	})
}

func (p *progress) bytes(n int) { p.read.Add(int64(n)) }

func (p *progress) message() { p.messages.Add(1) }
