package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"runtime"
	"syscall"
)

// An Agent is a program that works on one input for as long as it takes. Unlike the commands
// of a [Set], it is not started by a shell, has the whole environment, and is in the group of
// its parent. On Linux the system kills it when this process dies, however it does.
type Agent struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	ended   chan struct{} // closed when err says how it has ended
	err     error
}

// ErrNotFound says that there is no program of a name.
var ErrNotFound = errors.New("no program of this name in PATH")

// FindAgent returns why there is no program of a name, which is a path or is looked for as the
// system does, nil if there is one. It is [ErrNotFound] if there is none in PATH.
func FindAgent(name string) error {
	_, err := exec.LookPath(name)
	cause := err
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		cause = inner
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: %w: give its path, as in ./%[1]s", name, ErrNotFound)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: not executable: chmod +x makes it so", name)
	default:
		return fmt.Errorf("%s: %w", name, cause)
	}
}

// StartAgent starts a program with its arguments. It is killed when ctx is done.
func StartAgent(ctx context.Context, args []string, stdout, stderr io.Writer) (*Agent, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stdout, c.Stderr = stdout, stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	endWithParent(c)
	a := &Agent{command: c, stdin: stdin, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// For the system, its parent is the thread that has started it: that lives as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.Start()
		started <- err
		if err == nil {
			a.err = c.Wait()
			close(a.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, startError(c, err)
	}
	return a, nil
}

// startError says in plain words why a command could not be started.
func startError(c *exec.Cmd, err error) error {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		err = errors.New("no program that this system runs: a script begins with a line such as #!/bin/sh")
	case errors.Is(err, fs.ErrNotExist) && FindAgent(c.Args[0]) == nil:
		err = errors.New("the interpreter in its first line, or a library, is not there")
	default:
		if e := (*fs.PathError)(nil); errors.As(err, &e) { // without the system call
			err = e.Err
		}
	}
	return fmt.Errorf("%s: %w", c.Args[0], err)
}

// Write writes a part of its input to the agent. The error is [ErrEnded] if the agent does not read
// any more.
func (a *Agent) Write(input []byte) (int, error) {
	n, err := a.stdin.Write(input)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, fs.ErrClosed) {
		err = ErrEnded
	}
	return n, err
}

// ErrEnded says that an agent takes no more input.
var ErrEnded = errors.New("the agent takes no more input")

// CloseInput ends the input.
func (a *Agent) CloseInput() error {
	if err := a.stdin.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// Signal sends a signal, unless the agent has ended.
func (a *Agent) Signal(s syscall.Signal) { _ = a.command.Process.Signal(s) }

// Kill ends the agent at once, and waits until it has.
func (a *Agent) Kill() {
	_ = a.command.Process.Kill() // it may have ended
	<-a.ended
}

// signalled is added to the number of the signal that has ended a program, as shells do.
const signalled = 128

// Wait waits until the agent has ended, and returns its exit code: of a signal, 128 and its
// number. how says it in words, and is "" for exit code 0.
func (a *Agent) Wait() (code int, how string) {
	<-a.ended
	state := a.command.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal()), state.String()
	}
	if state.ExitCode() == 0 && a.err != nil { // what it printed could not be passed on
		return 1, a.err.Error()
	}
	if state.ExitCode() == 0 {
		return 0, ""
	}
	return state.ExitCode(), state.String()
}
