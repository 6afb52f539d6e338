// Package program is the common part of handoff and handoff-relay: it maps a command line to a command and an
// exit code.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// Exit codes: yes, no, error.
const (
	ExitYes     = 0
	ExitNo      = 1
	ExitTrouble = 2
	exitSignal  = 128 // plus its number
	exitPipe    = exitSignal + int(syscall.SIGPIPE)
)

// Main runs the command line of the process and returns the exit code.
func (p *Program) Main() int {
	// Otherwise, SIGPIPE would end the process before temporary files are removed; now, writing fails with
	// EPIPE.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	interrupts := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) { // nohup ignores it, and a shell for background jobs
			signal.Notify(interrupts, s)
		}
	}
	g, screen := cli.NewGlobals(), &term.Screen{}
	go func() {
		s := (<-interrupts).(syscall.Signal)
		for g.Pass(s) {
			s = (<-interrupts).(syscall.Signal)
		}
		g.RemoveUnfinished()
		g.Children.Close()
		screen.Clear()
		if report := g.LastWords.Load(); report != nil {
			(*report)()
		}
		os.Exit(exitSignal + int(s))
	}()

	delayCollection()
	root := p.RootFor(g, os.Args[1:])
	if term.IsTerminal(os.Stderr) { // otherwise there is no progress to show
		root.SetOut(screen.Stream(os.Stdout))
		root.SetErr(screen.Stream(os.Stderr))
	}
	return Execute(g, root)
}

// Execute runs the command line of root and returns the exit code. It leaves no temporary files or child
// processes.
func Execute(g *cli.Globals, root *cobra.Command) int {
	err := root.ExecuteContext(context.Background())
	if err == nil {
		err = g.HelpError
	}
	g.RemoveUnfinished()
	code := Fail(root.ErrOrStderr(), err)
	g.Children.Close()
	return code
}

// delayCollection lets the heap grow to 32 MB before the first garbage collection, since most runs end before
// that. Later collections are as usual.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800) // of the 4 MB that the runtime starts with
	first := new([64]byte)           // the first collection frees it
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// An ExitError is the exit code of another program, which has printed its errors.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Fail prints an error, if it is not nil, and returns its exit code.
func Fail(stderr io.Writer, err error) int {
	if e := ExitError(0); errors.As(err, &e) {
		return int(e)
	}
	if e := (*cli.SignalError)(nil); errors.As(err, &e) {
		return exitSignal + int(e.Signal)
	}
	code := ExitTrouble
	switch {
	case err == nil:
		return ExitYes
	case errors.Is(err, cli.ErrNo):
		code = ExitNo
	case errors.Is(err, cli.ErrReported):
	case errors.Is(err, syscall.EPIPE) && !errors.As(err, new(*net.OpError)): // on a pipe, not on a connection
		return exitPipe
	default:
		if e := (*fs.PathError)(nil); errors.As(err, &e) && e.Op == "write" && e.Path == os.Stdout.Name() {
			err = fmt.Errorf("standard output: cannot be written: %w", e.Err)
		}
		term.PrintError(stderr, err)
	}
	var h term.Hint
	if errors.As(err, &h) {
		fmt.Fprintf(stderr, "handoff: hint: %s\n", term.Visible(h.Advice))
	}
	return code
}
