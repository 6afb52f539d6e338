package cmd

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/child"
	"github.com/eaapl/handoff/pkg/receiver"
)

// runAgent runs the agent with a message on its standard input, and records how that went.
// Signals that would end this process go to the agent until it has ended; then a.signalled is
// set.
func (a *acceptance) runAgent(h receiver.Handover, answer receiver.Answer, shown []byte) (receiver.Answer, error) {
	stdout := a.command.OutOrStdout()
	if a.format == acceptAnswers { // which are alone on standard output
		stdout = a.command.ErrOrStderr()
	}
	if err := a.out.Flush(); err != nil {
		return answer, err
	}
	begin := time.Now()
	agent, err := child.StartAgent(a.ctx, a.agent, stdout, a.command.ErrOrStderr())
	if err != nil {
		return answer, term.WithHint(fmt.Errorf("the agent cannot be run: %w", err), "what was accepted waits: handoff accept --exec --resume -- AGENT hands it over")
	}
	var signalled atomic.Pointer[syscall.Signal]
	release := a.PassSignals(func(s syscall.Signal) {
		signalled.Store(&s)
		agent.Signal(s)
	})
	defer release()
	err = agent.Give(shown)
	if err == nil {
		err = a.receiver.HandedOver(a.ctx, []receiver.Handover{h})
	}
	if err != nil {
		agent.Kill()
		return answer, err
	}
	code, how := agent.Wait()
	e := receiver.Execution{ExitCode: code, Duration: time.Since(begin)}
	if code != 0 {
		e.AtOnce = e.Duration < a.failWithin
		e.Problem = fmt.Sprintf("the agent ended with %s after %s", how, e.Duration.Round(time.Millisecond))
		a.progress.Fail(fmt.Errorf("%s: %s", term.Visible(answer.HandoffID), e.Problem))
	}
	if s := signalled.Load(); s != nil {
		a.signalled = &cli.SignalError{Signal: *s}
	}
	return a.receiver.Finished(a.ctx, answer, e)
}
