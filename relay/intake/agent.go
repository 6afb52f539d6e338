package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/receiver"
)

// A Stream is an agent, or a connection to agents, that gets all messages.
type Stream interface {
	// HandOver gives it messages, in order, and returns when they are as durable as it can make them. After
	// an error it is not known which messages it has, and the run ends.
	HandOver(messages [][]byte) error
}

// A Runner runs an agent for a message.
type Runner interface {
	// Start starts an agent, whose input is given through the Run.
	Start(ctx context.Context) (Run, error)
}

// A Run is an agent working on a message. Give and End are called sequentially; Wait and Kill may be called
// concurrently with them.
type Run interface {
	// Give writes a part of its input: the message, or a chunk of it. It returns when the agent has read it,
	// or has stopped reading, which is not an error.
	Give(part []byte) error
	// End ends its input.
	End() error
	// Wait waits for its end and returns the result.
	Wait() receiver.Execution
	// Kill ends it at once, so that Wait and Give return.
	Kill()
}

// Lines is a [Stream] that writes messages to W, one per line.
type Lines struct {
	W     io.Writer
	Flush func() error // called after each HandOver; may be nil
	// AsTheyAre keeps the layout of messages, which may have several lines, or are not JSON.
	AsTheyAre bool
}

// HandOver implements [Stream].
func (l Lines) HandOver(messages [][]byte) error {
	for _, m := range messages {
		if !l.AsTheyAre {
			m = jsonstream.Line(m)
		}
		if _, err := l.W.Write(append(bytes.Clone(m), '\n')); err != nil {
			return err
		}
	}
	if l.Flush == nil {
		return nil
	}
	return l.Flush()
}

// A Program is a [Runner] that runs a program for each message, on its standard input. It is safe for
// concurrent use.
type Program struct {
	Args           []string // name and arguments
	Stdout, Stderr io.Writer
	// FailWithin is the time after the end of its input within which a failure of the program counts as
	// rejection of the message.
	FailWithin time.Duration

	mu      sync.Mutex
	running map[*child.Agent]bool
}

// A StartError reports that an agent could not be started.
type StartError struct{ Err error }

func (e *StartError) Error() string { return fmt.Sprintf("the agent cannot be run: %v", e.Err) }

// Unwrap returns the underlying error.
func (e *StartError) Unwrap() error { return e.Err }

// Start implements [Runner]. The error is a [*StartError] if the program could not be started.
func (p *Program) Start(ctx context.Context) (Run, error) {
	run := &programRun{program: p, begin: time.Now()}
	agent, err := child.StartAgent(ctx, p.Args, p.Stdout, p.Stderr)
	if err != nil {
		return nil, &StartError{err}
	}
	p.mu.Lock()
	if p.running == nil {
		p.running = map[*child.Agent]bool{}
	}
	p.running[agent] = true
	p.mu.Unlock()
	run.agent = agent
	run.given.Store(run.begin.UnixNano())
	return run, nil
}

// Signal sends a signal to all running programs, and reports whether there are any.
func (p *Program) Signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for agent := range p.running {
		agent.Signal(s)
	}
	return len(p.running) > 0
}

type programRun struct {
	program *Program
	agent   *child.Agent
	begin   time.Time
	given   atomic.Int64 // time of the last part, in nanoseconds since 1970
}

// Give implements [Run]: it writes the part and a line feed.
func (r *programRun) Give(part []byte) error {
	r.given.Store(time.Now().UnixNano())
	_, err := r.agent.Write(append(bytes.Clone(part), '\n'))
	if errors.Is(err, child.ErrEnded) {
		return nil
	}
	return err
}

func (r *programRun) End() error { return r.agent.CloseInput() }

func (r *programRun) Wait() receiver.Execution {
	code, how := r.agent.Wait()
	r.forget()
	e := receiver.Execution{ExitCode: code, Duration: time.Since(r.begin)}
	if code != 0 {
		e.AtOnce = time.Since(time.Unix(0, r.given.Load())) < r.program.FailWithin
		e.Problem = fmt.Sprintf("the agent ended with %s after %s", how, e.Duration.Round(time.Millisecond))
	}
	return e
}

func (r *programRun) Kill() {
	r.agent.Kill()
	r.forget()
}

func (r *programRun) forget() {
	r.program.mu.Lock()
	defer r.program.mu.Unlock()
	delete(r.program.running, r.agent)
}
