package cmd

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
)

// openAccepted returns the output for accepted messages. Messages that no agent gets must not be lost, since
// they count as handed over; if there is an agent, it has its message, and answers are in the log.
func openAccepted(g *cli.Globals, c *cobra.Command, agent []string, format string) (*output.File, error) {
	if agent != nil || format == acceptAnswers {
		return g.Open("", c.OutOrStdout())
	}
	return g.OpenData("", c.OutOrStdout())
}

// runAgent runs the agent with a message on its standard input, and records the result. Signals that would
// end this process are passed to the agent until it has ended; then a.signalled is set.
func (a *acceptance) runAgent(h receiver.Handover, answer receiver.Answer, shown []byte) (receiver.Answer, error) {
	stdout := a.command.OutOrStdout()
	if a.format == acceptAnswers { // standard output has only answers
		stdout = a.command.ErrOrStderr()
	}
	if err := a.out.Flush(); err != nil {
		return answer, err
	}
	program := intake.Program{Args: a.agent, Stdout: term.Unscreened(stdout), Stderr: term.Unscreened(a.command.ErrOrStderr()), FailWithin: a.failWithin}
	var signalled atomic.Pointer[syscall.Signal]
	release := a.PassSignals(func(s syscall.Signal) {
		signalled.Store(&s)
		program.Signal(s)
	})
	defer release()
	run, err := program.Start(a.ctx)
	if errors.As(err, new(*intake.StartError)) {
		return answer, term.WithHint(err, "accepted messages wait: handoff accept --exec --resume -- AGENT hands them over")
	}
	if err != nil {
		return answer, err
	}
	err = errors.Join(run.Give(shown), run.End())
	if err == nil {
		err = a.receiver.HandedOver(a.ctx, []receiver.Handover{h})
	}
	if err != nil {
		run.Kill()
		return answer, err
	}
	e := run.Wait()
	if e.ExitCode != 0 {
		a.progress.Fail(fmt.Errorf("%s: %s", term.Visible(answer.HandoffID), e.Problem))
	}
	if s := signalled.Load(); s != nil {
		a.signalled = &cli.SignalError{Signal: *s}
	}
	after, err := a.receiver.Finished(a.ctx, answer, e)
	if err == nil && after.Status == receiver.Completed { // the acceptance has not been reported yet
		return answer, nil
	}
	return after, err
}
