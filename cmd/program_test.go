package cmd

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/eaapl/handoff/internal/cli"
)

// runHere runs a command line in this process. A test uses a process, with programtest.Run, only if it
// is about the process: its signals, its streams, its death.
func runHere(stdin string, args ...string) (stdout, stderr string) {
	return runReading(strings.NewReader(stdin), args...)
}

// runReading is runHere with any standard input.
func runReading(stdin io.Reader, args ...string) (stdout, stderr string) {
	var out, problems bytes.Buffer
	runWriting(stdin, &out, &problems, args...)
	return out.String(), problems.String()
}

// runWriting is runReading with any standard output and error, and returns the exit code. Several
// goroutines may write to each, as to a file.
func runWriting(stdin io.Reader, stdout, stderr io.Writer, args ...string) (code int) {
	g := cli.NewGlobals()
	root := newRootFor(g, args)
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &lockedWriter{w: stdout}
	problems := out
	if stderr != stdout {
		problems = &lockedWriter{w: stderr}
	}
	root.SetOut(out)
	root.SetErr(problems)
	return execute(g, root)
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
