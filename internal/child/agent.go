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

// An Agent is a long-running program that works on one input. Unlike the commands of a [Set], it is
// not started by a shell, inherits the whole environment, and stays in the process group of its
// parent. On Linux the kernel kills it when this process dies for any reason.
type Agent struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	ended   chan struct{} // closed when err is set
	err     error
}

// ErrNotFound is returned when no program of the given name is in PATH.
var ErrNotFound = errors.New("no program of this name in PATH")

// FindAgent returns nil if the program exists, [ErrNotFound] if it is not in PATH, and the reason
// otherwise. The name is a path or is looked up as the system does.
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
		return fmt.Errorf("%s: not executable: run chmod +x on it", name)
	default:
		return fmt.Errorf("%s: %w", name, cause)
	}
}

// StartAgent starts a program with its arguments. The program is killed when ctx is done.
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
		// The kernel regards the starting thread as the parent, so the thread must live as long as
		// the agent.
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

// startError describes why a command could not be started, without jargon.
func startError(c *exec.Cmd, err error) error {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		err = errors.New("not a program that this system can run: a script must begin with a line such as #!/bin/sh")
	case errors.Is(err, fs.ErrNotExist) && FindAgent(c.Args[0]) == nil:
		err = errors.New("the interpreter in its first line, or a library, does not exist")
	default:
		if e := (*fs.PathError)(nil); errors.As(err, &e) { // without the system call
			err = e.Err
		}
	}
	return fmt.Errorf("%s: %w", c.Args[0], err)
}

// Write writes a part of the agent's input. The error is [ErrEnded] if the agent no longer reads.
func (a *Agent) Write(input []byte) (int, error) {
	n, err := a.stdin.Write(input)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, fs.ErrClosed) {
		err = ErrEnded
	}
	return n, err
}

// ErrEnded is returned by [Agent.Write] when the agent takes no more input.
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

// Kill kills the agent and waits for it to end.
func (a *Agent) Kill() {
	_ = a.command.Process.Kill() // it may have ended
	<-a.ended
}

// signalled is added to the number of the signal that ended a program to form its exit code, as in
// shells.
const signalled = 128

// Wait waits for the agent to end and returns its exit code: for a signal, 128 plus its number. how
// describes the end, and is "" for exit code 0.
func (a *Agent) Wait() (code int, how string) {
	<-a.ended
	state := a.command.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal()), state.String()
	}
	if state.ExitCode() == 0 && a.err != nil { // its output could not be passed on
		return 1, a.err.Error()
	}
	if state.ExitCode() == 0 {
		return 0, ""
	}
	return state.ExitCode(), state.String()
}
