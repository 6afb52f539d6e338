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

	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/relay/receiver"
)

// A Stream is an agent, or something that leads to agents, that gets all messages.
type Stream interface {
	// HandOver gives it messages, in their order, and returns when they are as safe as it can
	// make them. After an error it is not known which it has, and the run ends.
	HandOver(messages [][]byte) error
}

// A Runner runs an agent for a message.
type Runner interface {
	// Start starts an agent, which gets its input by the Run.
	Start(ctx context.Context) (Run, error)
}

// A Run is an agent that works on a message. Give and End are called one after the other; Wait and
// Kill may be called at the same time.
type Run interface {
	// Give gives it a part of its input: the message, or a chunk of it. It returns when the agent
	// has it, or reads no more, which is no error.
	Give(part []byte) error
	// End ends its input.
	End() error
	// Wait returns how it has ended.
	Wait() receiver.Execution
	// Kill ends it at once, so that Wait and Give return.
	Kill()
}

// Lines is a [Stream] that writes messages to W, one a line.
type Lines struct {
	W     io.Writer
	Flush func() error // called after each call of HandOver; nil for nothing
	// AsTheyAre: what is written is not JSON, whose line feeds are spaces, and may have several
	// lines.
	AsTheyAre bool
}

// HandOver implements [Stream].
func (l Lines) HandOver(messages [][]byte) error {
	for _, m := range messages {
		if !l.AsTheyAre {
			m = oneLine(m)
		}
		if _, err := l.W.Write(append(m, '\n')); err != nil {
			return err
		}
	}
	if l.Flush == nil {
		return nil
	}
	return l.Flush()
}

// oneLine returns a copy of a JSON text without line feeds: in JSON they are only between values,
// where a space is as good.
func oneLine(text []byte) []byte {
	text = bytes.Clone(bytes.TrimSpace(text))
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text
}

// A Program is a [Runner] that runs a program for each message, which it reads from its standard
// input. It is safe for concurrent use.
type Program struct {
	Args           []string // its name, and its arguments
	Stdout, Stderr io.Writer
	// FailWithin: one that fails so soon after it got the end of the message has rejected it.
	FailWithin time.Duration

	mu      sync.Mutex
	running map[*child.Agent]bool
}

// A StartError says that an agent could not be started.
type StartError struct{ Err error }

func (e *StartError) Error() string { return fmt.Sprintf("the agent cannot be run: %v", e.Err) }

// Unwrap returns why.
func (e *StartError) Unwrap() error { return e.Err }

// Start implements [Runner]. The error is a [*StartError] if there is no such program.
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

// Signal sends a signal to all that run, and reports whether there are any.
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
	given   atomic.Int64 // when the last part came, in nanoseconds since 1970
}

// Give implements [Run]: it writes the part, with a line feed after it.
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
