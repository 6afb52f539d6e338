// Package child runs shell commands and other programs that cannot block, flood or outlive their
// parent.
//
// A command and its descendants run in their own process group. The group is killed when the
// command's context is done, when the command itself ends, and when its [Set] is closed. A process
// that leaves the group, as a daemon does, is not killed, but nothing waits for it.
package child

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"sync"
	"time"
)

// Options describe a command.
type Options struct {
	// Command is run by the system's shell: sh, or cmd on Windows.
	Command string
	// Args, if not empty, are a program and its arguments, run instead of Command and without a
	// shell. The program is a path or is looked up as the system does.
	Args []string
	// Env is the whole environment, as NAME=VALUE; see [Environment].
	Env []string
	// Inherit passes the environment of this process instead of Env.
	Inherit bool
	// Stderr is called with every line of standard error, without its line ending, up to a total of
	// 64 KiB; further lines and the ends of long lines are dropped. A line may hold control
	// characters and must be escaped before it is displayed. Stderr must be set. Calls are
	// sequential, from another goroutine.
	Stderr func(line string)
	// Endless passes all lines to Stderr, for a program that runs as long as this one.
	Endless bool
}

// grace bounds the waits for events that should be immediate: the end of a killed process, and the
// end of the output of a process that has ended.
const grace = 2 * time.Second

var (
	errHeld  = errors.New("its output is held open by a process that it started and left running")
	errAlive = errors.New("cannot be killed")
)

// A Set tracks running processes so that none outlives the program. The zero value is an empty set.
// It is safe for concurrent use.
type Set struct {
	mu      sync.Mutex
	running map[*Process]bool
}

// Close kills all processes. It is for a program that is about to exit: afterwards Start blocks, and
// Wait blocks for a while, so that the killed processes are not reported as failures.
func (s *Set) Close() {
	s.mu.Lock() // never unlocked
	for p := range s.running {
		p.kill()
	}
}

// A Process is a running command, with everything in its group. Its methods may be called
// at the same time.
type Process struct {
	ctx     context.Context
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.ReadCloser
	stderr  io.ReadCloser

	mu    sync.Mutex
	group group
	gone  bool // the group has ended, and its id may be reused

	killing   sync.Once
	killed    chan struct{}
	linesRead chan struct{} // closed after the last line of stderr
	held      *time.Timer   // closes an output that stays open
	ended     chan struct{} // closed when err is set
	err       error
}

// Start starts a command. When ctx is done, its group is killed, and Read and Write
// return. The caller reads to the end of the output, or ends ctx, and then calls Wait.
func (s *Set) Start(ctx context.Context, o Options) (*Process, error) {
	p := &Process{
		ctx:       ctx,
		command:   command(o),
		killed:    make(chan struct{}),
		linesRead: make(chan struct{}),
		ended:     make(chan struct{}),
	}
	var problems [3]error
	p.stdin, problems[0] = p.command.StdinPipe()
	p.stdout, problems[1] = p.command.StdoutPipe()
	p.stderr, problems[2] = p.command.StderrPipe()
	if err := errors.Join(problems[:]...); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if err := p.command.Start(); err != nil {
		return nil, startError(p.command, err)
	}
	var err error
	if p.group, err = groupOf(p.command); err != nil {
		p.command.Process.Kill()
		p.command.Wait()
		return nil, err
	}
	if s.running == nil {
		s.running = make(map[*Process]bool)
	}
	s.running[p] = true
	stop := context.AfterFunc(ctx, p.kill)
	go p.readLines(o.Stderr, o.Endless)
	go p.end(s, stop)
	return p, nil
}

// command returns the command for o, in its own process group.
func command(o Options) *exec.Cmd {
	var c *exec.Cmd
	if len(o.Args) > 0 {
		c = exec.Command(o.Args[0], o.Args[1:]...)
		c.SysProcAttr = ownGroup()
	} else {
		c = shell(o.Command)
	}
	if !o.Inherit {
		c.Env = append([]string{}, o.Env...) // nil would inherit our environment
	}
	return c
}

// Write writes to the standard input.
func (p *Process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// CloseInput closes the standard input.
func (p *Process) CloseInput() error { return p.stdin.Close() }

// Read reads from the standard output.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if errors.Is(err, fs.ErrClosed) {
		if err = context.Cause(p.ctx); err == nil {
			err = errHeld
		}
	}
	return n, err
}

// Wait waits for the command to end, and returns the cause of the context if its end has ended the
// command, or an [exec.ExitError] unless the exit code is 0. It closes the output.
func (p *Process) Wait() error {
	select {
	case <-p.ended:
	case <-p.killed:
		select {
		case <-p.ended:
		case <-time.After(2 * grace): // one grace for the command, one for its output
			return errAlive
		}
	}
	p.held.Stop()
	p.stdout.Close()
	return p.err
}

// end waits for the command and cleans up.
func (p *Process) end(s *Set, stop func() bool) {
	state, err := p.command.Process.Wait()
	if !stop() {
		err = context.Cause(p.ctx)
	} else if err == nil && !state.Success() {
		err = &exec.ExitError{ProcessState: state}
	}
	p.mu.Lock()
	p.group.kill() // descendants that are still running
	p.group.release()
	p.gone = true
	p.mu.Unlock()

	// All output is in the pipes by now. A process that left the group may hold them open.
	p.stdin.Close()
	p.held = time.AfterFunc(grace, func() {
		p.stdout.Close()
		p.stderr.Close()
	})
	<-p.linesRead
	p.stderr.Close()
	s.mu.Lock()
	delete(s.running, p)
	s.mu.Unlock()
	p.err = err
	close(p.ended)
}

// kill kills the group and ends pending waits.
func (p *Process) kill() {
	p.killing.Do(func() {
		p.mu.Lock()
		if !p.gone {
			p.group.kill()
		}
		p.mu.Unlock()
		p.stdin.Close()
		p.stdout.Close()
		close(p.killed)
	})
}
