package term

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Progress shows the progress of a run that takes more than a second on a terminal, and prints the errors of
// its documents. If diagnostics do not go to a [Screen], it only prints errors.
type Progress struct {
	stderr io.Writer
	errors Allowance

	screen *screenStream // nil: show nothing
	what   string        // the action, "" for reading messages
	total  int64         // bytes, or the number of steps; -1 if unknown

	read     atomic.Int64 // bytes
	messages atomic.Int64 // or steps

	stopOnce sync.Once
	quit     chan struct{}
	done     chan struct{}
}

// NewProgress returns the progress of a run with diagnostics on stderr. It prints at most maxErrors errors, 0
// for no limit.
func NewProgress(stderr io.Writer, maxErrors int) *Progress {
	screen, _ := stderr.(*screenStream)
	return &Progress{stderr: stderr, errors: Allowance{Max: maxErrors}, screen: screen}
}

// Start shows, from the first second on, how much of total bytes has been read; -1 if the total is unknown.
func (p *Progress) Start(total int64) { p.start("", total) }

// StartDoing shows, from the first second on, the action and how many of total steps are complete by
// [Progress.Reached]; -1 if steps are not counted.
func (p *Progress) StartDoing(what string, total int64) { p.start(what, total) }

func (p *Progress) start(what string, total int64) {
	if p.screen == nil {
		return
	}
	p.what, p.total = what, total
	p.quit, p.done = make(chan struct{}), make(chan struct{})
	began, ticks, stop := p.screen.screen.clock()
	go func() {
		defer close(p.done)
		defer stop()
		for {
			select {
			case <-p.quit:
				p.screen.screen.Clear()
				return
			case now := <-ticks:
				if elapsed := now.Sub(began); elapsed > time.Second {
					p.screen.draw(p.line(elapsed))
				}
			}
		}
	}()
}

func (p *Progress) line(elapsed time.Duration) string {
	if p.what != "" {
		return p.doing(elapsed)
	}
	read := p.read.Load()
	rate := float64(read) / elapsed.Seconds()
	line := fmt.Sprintf("%s, %.1f MB, %.1f MB/s", Counted(p.messages.Load(), "message"), float64(read)/1e6, rate/1e6)
	return line + p.left(read, rate)
}

func (p *Progress) doing(elapsed time.Duration) string {
	if p.total < 0 {
		return fmt.Sprintf("%s, %s", p.what, elapsed.Truncate(time.Second))
	}
	n := p.messages.Load()
	return fmt.Sprintf("%s: %s of %s", p.what, Grouped(n), Grouped(p.total)) + p.left(n, float64(n)/elapsed.Seconds())
}

// left returns the completed part of the total and the remaining time at a rate; "" if unknown.
func (p *Progress) left(done int64, rate float64) string {
	if p.total <= 0 || rate <= 0 {
		return ""
	}
	left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
	return fmt.Sprintf(", %d%%, %s left", 100*done/p.total, max(left, 0).Round(time.Second))
}

// Fail prints an error, unless there were too many. It reports whether it did.
func (p *Progress) Fail(err error) bool {
	if p.errors.Take(1) == 0 {
		return false
	}
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

// Bytes counts bytes that were read, and Message a message.
func (p *Progress) Bytes(n int) { p.read.Add(int64(n)) }

func (p *Progress) Message() { p.messages.Add(1) }

// Reached sets the number of complete steps of StartDoing.
func (p *Progress) Reached(n int64) { p.messages.Store(n) }
