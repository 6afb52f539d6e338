// Package cli is what commands share: the flags and the state of a run, what their errors
// come to, groups of flags, and the loop of commands that rewrite messages.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrNo says that the answer is no, and that it has been given.
var ErrNo = errors.New("the answer is no")

// ErrReported reports that something could not be done, after the error was printed.
var ErrReported = errors.New("reported")

// A SignalError says that a signal has ended the run, after it had done what was left to do.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

// Globals are the flags of every command.
type Globals struct {
	Color    string
	Limits   jsonstream.Limits
	MaxRatio int64
	// MaxFindings is how many findings, and how many errors, a run reports; 0 for any.
	MaxFindings int

	*input.Reader
	*output.Files
	Children  child.Set              // the processes that this run has started: none outlives it
	LastWords atomic.Pointer[func()] // what an interrupted run still has to say, nil for nothing

	passing atomic.Pointer[func(syscall.Signal)] // who gets signals in place of this process
}

// PassSignals gives the signals that would end the run to somebody else until release is
// called.
func (g *Globals) PassSignals(to func(syscall.Signal)) (release func()) {
	g.passing.Store(&to)
	return g.KeepSignals
}

// KeepSignals ends what PassSignals began. The function that gets the signals may call it.
func (g *Globals) KeepSignals() { g.passing.Store(nil) }

// Pass gives a signal to whoever gets them in place of this process, and reports whether there
// is somebody.
func (g *Globals) Pass(s syscall.Signal) bool {
	to := g.passing.Load()
	if to != nil {
		(*to)(s)
	}
	return to != nil
}

func NewGlobals() *Globals {
	c := &claim.Set{}
	return &Globals{Reader: &input.Reader{Claims: c}, Files: &output.Files{Claims: c, Warnings: os.Stderr, SyncFolder: output.SyncFolder}}
}

func (g *Globals) Check() error {
	if d := g.Limits.MaxDepth; d < 1 || d > jsonstream.MaxDepth {
		return fmt.Errorf("--max-depth %d: use 1 to %d", d, jsonstream.MaxDepth)
	}
	if g.MaxRatio < 0 {
		return fmt.Errorf("--max-ratio %d: use 1 or more, or 0 for any", g.MaxRatio)
	}
	if g.MaxFindings < 0 {
		return fmt.Errorf("--max-findings %d: use 1 or more, or 0 for any", g.MaxFindings)
	}
	return term.CheckColor(g.Color)
}

// NewProgress is [term.NewProgress] with as many errors as the flags allow.
func (g *Globals) NewProgress(stderr io.Writer) *term.Progress {
	return term.NewProgress(stderr, g.MaxFindings)
}

// StartDoing returns the progress of something that is done, which it begins to show: see
// [term.Progress.StartDoing].
func (g *Globals) StartDoing(stderr io.Writer, what string, total int64) *term.Progress {
	p := g.NewProgress(stderr)
	p.StartDoing(what, total)
	return p
}

// LimitsOfUnpacking returns how compressed input is to be read.
func (g *Globals) LimitsOfUnpacking() compress.ReaderOptions {
	o := compress.ReaderOptions{MaxBytes: g.Limits.MaxBytes, MaxRatio: g.MaxRatio}
	if g.MaxRatio == 0 {
		o.MaxRatio = -1
	}
	return o
}

// Closed is what a run comes to whose err is known, after what it had open was closed: an
// answer does not stand where that went wrong.
func Closed(err error, closing ...error) error {
	problem := errors.Join(closing...)
	if problem != nil && (errors.Is(err, ErrNo) || errors.Is(err, ErrReported)) {
		return problem
	}
	return errors.Join(err, problem)
}

// Answer is what a run comes to: the error that ended it, trouble if something could not be
// read, and otherwise yes or no.
func Answer(err error, unread int, no bool) error {
	switch {
	case err != nil:
		return err
	case unread > 0:
		return ErrReported
	case no:
		return ErrNo
	default:
		return nil
	}
}

// Variables of the environment that are no settings: secrets, which no flag takes.
const (
	SummarizerKeyVariable = "HANDOFF_SUMMARIZER_KEY"
	TokenVariable         = "HANDOFF_TOKEN" // the bearer token of a server
)
