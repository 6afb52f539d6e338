package intake

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/receiver"
)

// A Stream is an agent, or something that leads to agents, that gets all messages.
type Stream interface {
	// HandOver gives it messages, in their order, and returns when they are as safe as it can
	// make them. After an error it is not known which it has, and the run ends.
	HandOver(messages [][]byte) error
}

// A Runner runs an agent for a message.
type Runner interface {
	// Start starts an agent and gives it a message. After an error it has not got it.
	Start(ctx context.Context, message []byte) (Run, error)
}

// A Run is an agent that works on a message.
type Run interface {
	// Wait returns how it has ended.
	Wait() receiver.Execution
	// Kill ends it at once.
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
	// FailWithin: one that fails so soon has rejected the message.
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
func (p *Program) Start(ctx context.Context, message []byte) (Run, error) {
	begin := time.Now()
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
	run := &programRun{p, agent, begin}
	if err := agent.Give(message); err != nil {
		run.Kill()
		return nil, err
	}
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
}

func (r *programRun) Wait() receiver.Execution {
	code, how := r.agent.Wait()
	r.forget()
	e := receiver.Execution{ExitCode: code, Duration: time.Since(r.begin)}
	if code != 0 {
		e.AtOnce = e.Duration < r.program.FailWithin
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
