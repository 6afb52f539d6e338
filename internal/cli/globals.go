// Package cli has the common parts of commands: global flags, the state of a run, its errors, groups of
// flags, and the loop of commands that rewrite messages.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrNo reports a negative answer that has already been printed.
var ErrNo = errors.New("the answer is no")

// ErrReported reports a failure whose error has already been printed.
var ErrReported = errors.New("reported")

// A SignalError reports that a signal has ended the run, after its cleanup.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

// Globals are the flags of every command.
type Globals struct {
	Color    string
	Limits   jsonstream.Limits
	MaxRatio int64
	// MaxFindings is the maximum number of findings, and of errors, that a run reports; 0 for no limit.
	MaxFindings int

	*input.Reader
	*output.Files
	Children  child.Set              // the processes that this run has started: none outlives it
	LastWords atomic.Pointer[func()] // prints the final messages of an interrupted run, nil for none
	HelpError error                  // of writing a help text, which cobra does not return

	passing atomic.Pointer[func(syscall.Signal)] // receives signals in place of this process
}

// PassSignals passes the signals that would end the run to a function until release is called.
func (g *Globals) PassSignals(to func(syscall.Signal)) (release func()) {
	g.passing.Store(&to)
	return g.KeepSignals
}

// KeepSignals undoes PassSignals. The function passed to PassSignals may call it.
func (g *Globals) KeepSignals() { g.passing.Store(nil) }

// Pass passes a signal to the function of [Globals.PassSignals], and reports whether there is one.
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
		return fmt.Errorf("--max-ratio %d: use 1 or more, or 0 for no limit", g.MaxRatio)
	}
	if g.MaxFindings < 0 {
		return fmt.Errorf("--max-findings %d: use 1 or more, or 0 for no limit", g.MaxFindings)
	}
	return term.CheckColor(g.Color)
}

// NewProgress is [term.NewProgress] with the maximum number of errors of the flags.
func (g *Globals) NewProgress(stderr io.Writer) *term.Progress {
	return term.NewProgress(stderr, g.MaxFindings)
}

// StartDoing returns a new progress and starts it with [term.Progress.StartDoing].
func (g *Globals) StartDoing(stderr io.Writer, what string, total int64) *term.Progress {
	p := g.NewProgress(stderr)
	p.StartDoing(what, total)
	return p
}

// LimitsOfUnpacking returns the options for reading compressed input.
func (g *Globals) LimitsOfUnpacking() compress.ReaderOptions {
	o := compress.ReaderOptions{MaxBytes: g.Limits.MaxBytes, MaxRatio: g.MaxRatio}
	if g.MaxRatio == 0 {
		o.MaxRatio = -1
	}
	return o
}

// Closed returns the error of a run from err and the errors of closing its files. A failure to close
// overrides an answer.
func Closed(err error, closing ...error) error {
	problem := errors.Join(closing...)
	if problem != nil && (errors.Is(err, ErrNo) || errors.Is(err, ErrReported)) {
		return problem
	}
	return errors.Join(err, problem)
}

// Answer returns the error of a run: err if it is not nil, [ErrReported] if something could not be read,
// [ErrNo] for a negative answer, or else nil.
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

// Environment variables with secrets, which no flag accepts.
const (
	SummarizerKeyVariable = "HANDOFF_SUMMARIZER_KEY"
	TokenVariable         = "HANDOFF_TOKEN" // the bearer token for a server
)
