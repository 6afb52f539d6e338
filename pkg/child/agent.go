package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"syscall"
)

// An Agent is a program that works on one input for as long as it takes. Unlike the commands
// of a [Set], it is not started by a shell, has the whole environment, and is in the group of
// its parent.
type Agent struct {
	command *exec.Cmd
	stdin   io.WriteCloser
}

// FindAgent returns why there is no program of a name, which is a path or is looked for as the
// system does, nil if there is one.
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
		return fmt.Errorf("%s: no program of this name in PATH: give its path, as in ./%[1]s", name)
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
	err = c.Start()
	switch {
	case err == nil:
		return &Agent{c, stdin}, nil
	case errors.Is(err, syscall.ENOEXEC):
		err = errors.New("no program that this system runs: a script begins with a line such as #!/bin/sh")
	case errors.Is(err, fs.ErrNotExist) && FindAgent(args[0]) == nil:
		err = errors.New("the interpreter in its first line, or a library, is not there")
	default:
		if e := (*fs.PathError)(nil); errors.As(err, &e) { // without the system call
			err = e.Err
		}
	}
	return nil, fmt.Errorf("%s: %w", args[0], err)
}

// Give writes all of its input to the agent, with a line feed after it, and ends the input. An
// agent need not read to the end.
func (a *Agent) Give(input []byte) error {
	_, err := a.stdin.Write(append(bytes.Clone(input), '\n'))
	err = errors.Join(err, a.stdin.Close())
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// Signal sends a signal, unless the agent has ended.
func (a *Agent) Signal(s syscall.Signal) { _ = a.command.Process.Signal(s) }

// Kill ends the agent at once, and waits until it has.
func (a *Agent) Kill() {
	_ = a.command.Process.Kill() // it may have ended
	_ = a.command.Wait()         // it was killed
}

// signalled is added to the number of the signal that has ended a program, as shells do.
const signalled = 128

// Wait waits until the agent has ended, and returns its exit code: of a signal, 128 and its
// number. how says it in words, and is "" for exit code 0.
func (a *Agent) Wait() (code int, how string) {
	err := a.command.Wait()
	state := a.command.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal()), state.String()
	}
	if state.ExitCode() == 0 && err != nil { // what it printed could not be passed on
		return 1, err.Error()
	}
	if state.ExitCode() == 0 {
		return 0, ""
	}
	return state.ExitCode(), state.String()
}
