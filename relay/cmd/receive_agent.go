package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
)

// receive receives messages for standard output, or for an agent.
func (f *receiveFlags) receive(c *cobra.Command, r *receiver.Receiver, o intake.Options, out *output.File, agent []string) error {
	switch {
	case agent == nil:
		o.Stream = intake.Lines{W: out, Flush: out.FlushDurably, AsTheyAre: f.render != "" || f.keepLayout}
		return f.runIntake(c.Context(), c.ErrOrStderr(), r, o, nil)
	case f.stream:
		return f.receiveForOne(c, r, o, agent)
	default:
		program := &intake.Program{Args: agent, Stdout: f.stdoutOfAgents(c), Stderr: term.Unscreened(c.ErrOrStderr()), FailWithin: f.failWithin}
		o.Runner = program
		err := f.runIntake(c.Context(), c.ErrOrStderr(), r, o, program.Signal)
		if errors.As(err, new(*intake.StartError)) {
			err = term.WithHint(err, "accepted messages wait: the next receiver of this place hands them over")
		}
		return err
	}
}

// stdoutOfAgents returns the output of agents: standard output has only answers.
func (f *receiveFlags) stdoutOfAgents(c *cobra.Command) io.Writer {
	if f.format == acceptAnswers {
		return term.Unscreened(c.ErrOrStderr())
	}
	return term.Unscreened(c.OutOrStdout())
}

// runIntake runs an intake until the first signal. Later signals are passed to the agents, if there are any;
// otherwise they end the process as usual.
func (f *receiveFlags) runIntake(ctx context.Context, stderr io.Writer, r *receiver.Receiver, o intake.Options, toAgents func(syscall.Signal) bool) error {
	i, err := intake.New(r, o)
	if err != nil {
		return err
	}
	f.running.Store(i)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	release := f.PassSignals(func(s syscall.Signal) {
		if toAgents == nil || f.stopped.Load() && !toAgents(s) {
			f.KeepSignals()
		}
		if !f.stopped.Swap(true) && !f.quiet {
			fmt.Fprintln(stderr, "handoff: stopping: accepted messages are finished, and all others given back")
		}
		cancel()
	})
	defer release()
	return i.Run(ctx)
}

// receiveForOne receives messages for one agent, until it ends.
func (f *receiveFlags) receiveForOne(c *cobra.Command, r *receiver.Receiver, o intake.Options, args []string) error {
	agent, err := child.StartAgent(context.WithoutCancel(c.Context()), args, f.stdoutOfAgents(c), term.Unscreened(c.ErrOrStderr()))
	if err != nil {
		return fmt.Errorf("the agent cannot be run: %w", err)
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	var code int
	var how string
	var early, finished atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		code, how = agent.Wait()
		early.Store(!finished.Load())
		cancel()
	}()
	o.Stream = intake.Lines{W: agent, AsTheyAre: f.render != "" || f.keepLayout}
	err = f.runIntake(ctx, c.ErrOrStderr(), r, o, func(s syscall.Signal) bool {
		agent.Signal(s)
		return true
	})
	if errors.Is(err, child.ErrEnded) { // reported below
		err = nil
	}
	finished.Store(true)
	release := f.PassSignals(agent.Signal)
	defer release()
	err = errors.Join(err, agent.CloseInput())
	<-ended
	switch {
	case code != 0 && !f.stopped.Load():
		err = errors.Join(err, fmt.Errorf("the agent ended with %s", how))
	case early.Load() && !f.stopped.Load():
		err = errors.Join(err, errors.New("the agent ended with exit status 0, and reads no more messages: the remaining ones were given back"))
	}
	return err
}
