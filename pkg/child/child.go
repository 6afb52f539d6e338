// Package child runs shell commands, and other programs, that cannot hold up, flood or outlive
// the program that starts them.
//
// A command runs in a group of its own, with everything that it starts. The group is
// killed when the command's context is done, when the command itself ends, and when its
// [Set] is closed. A process that leaves the group, as a daemon does, stays out of reach,
// but nothing waits for it.
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

// Options say what to run.
type Options struct {
	// Command is what the system's shell runs: sh, or cmd on Windows.
	Command string
	// Args, if there are any, are a program and its arguments that run instead, without a
	// shell. The name is a path, or is looked for as the system does.
	Args []string
	// Env is the whole environment, as NAME=VALUE; see [Environment].
	Env []string
	// Inherit is set for a program that gets the environment of this process, and not Env.
	Inherit bool
	// Stderr is called with every line of standard error, without its end, until they
	// come to 64 KiB; what follows is left out, and so is the end of a long line. A line
	// is shown to nobody as it is: it may hold control characters. It must be set.
	// Calls come one after the other, from another goroutine.
	Stderr func(line string)
	// Endless is set for a program that runs as long as this one: Stderr gets all lines.
	Endless bool
}

// grace is how long is waited for what should come at once: the end of a process that was
// killed, and the end of the output of one that has ended.
const grace = 2 * time.Second

var (
	errHeld  = errors.New("its output is held open by a process that it started and left running")
	errAlive = errors.New("cannot be killed")
)

// A Set keeps the processes that are running, so that none outlives the program. The zero
// value is an empty set. It is safe for concurrent use.
type Set struct {
	mu      sync.Mutex
	running map[*Process]bool
}

// Close kills all processes. It is for a program that is about to exit: afterwards Start
// does not return, and Wait not soon, so that nobody reports the end of a process that
// was meant to end.
func (s *Set) Close() {
	s.mu.Lock() // for good
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
	gone  bool // the group is no more, and its id may become that of another

	killing   sync.Once
	killed    chan struct{}
	linesRead chan struct{} // closed when all lines of stderr have been read
	held      *time.Timer   // closes an output that does not end
	ended     chan struct{} // closed when err says how the command ended
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

// command returns what the options say, in a group of its own.
func command(o Options) *exec.Cmd {
	var c *exec.Cmd
	if len(o.Args) > 0 {
		c = exec.Command(o.Args[0], o.Args[1:]...)
		c.SysProcAttr = ownGroup()
	} else {
		c = shell(o.Command)
	}
	if !o.Inherit {
		c.Env = append([]string{}, o.Env...) // nil would be our own
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

// Wait waits for the command to end, and returns the cause of the context if that has
// ended it, or an [exec.ExitError] unless the exit code is 0. It closes the output.
func (p *Process) Wait() error {
	select {
	case <-p.ended:
	case <-p.killed:
		select {
		case <-p.ended:
		case <-time.After(2 * grace): // one for the command, one for its output
			return errAlive
		}
	}
	p.held.Stop()
	p.stdout.Close()
	return p.err
}

// end waits for the command, and clears up after it.
func (p *Process) end(s *Set, stop func() bool) {
	state, err := p.command.Process.Wait()
	if !stop() {
		err = context.Cause(p.ctx)
	} else if err == nil && !state.Success() {
		err = &exec.ExitError{ProcessState: state}
	}
	p.mu.Lock()
	p.group.kill() // what the command has left running
	p.group.release()
	p.gone = true
	p.mu.Unlock()

	// All that they wrote is in the pipes. What has left the group may hold these open.
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

// kill kills the group and ends what is waiting for it.
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
