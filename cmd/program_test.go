package cmd

import (
	"bytes"
	"io"
	"maps"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/program"
	relaycmd "github.com/eaapl/handoff/relay/cmd"
)

// both returns one program with the commands of both, as users see them.
func both() *program.Program {
	p := relaycmd.New()
	maps.Copy(p.Make, New().Make)
	return p
}

// newRoot returns the tree of all commands of both programs.
func newRoot() *cobra.Command { return both().Root() }

// runHere runs a command line in this process. Only tests of signals, streams or the end of a process start one,
// with programtest.Run.
func runHere(stdin string, args ...string) (stdout, stderr string) {
	return runReading(strings.NewReader(stdin), args...)
}

// runReading is runHere with any standard input.
func runReading(stdin io.Reader, args ...string) (stdout, stderr string) {
	var out, problems bytes.Buffer
	runWriting(stdin, &out, &problems, args...)
	return out.String(), problems.String()
}

// runWriting is runReading with any standard output and error, and returns the exit code. Both must allow
// writes from several goroutines, as files do.
func runWriting(stdin io.Reader, stdout, stderr io.Writer, args ...string) (code int) {
	out := &lockedWriter{w: stdout}
	problems := out
	if stderr != stdout {
		problems = &lockedWriter{w: stderr}
	}
	return runProgram(New(), stdin, out, problems, args)
}

func runProgram(p *program.Program, stdin io.Reader, stdout, stderr io.Writer, args []string) (code int) {
	g := cli.NewGlobals()
	root := p.RootFor(g, args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return program.Execute(g, root)
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
