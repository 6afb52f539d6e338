package vectors

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eaapl/handoff/internal/child"
	suite "github.com/eaapl/handoff/vectors"
)

// An Outcome is the outcome of a case for a program.
type Outcome string

// The outcomes.
const (
	Passed        Outcome = "passed"
	Failed        Outcome = "failed"
	NotApplicable Outcome = "not_applicable"
)

// A Result is the outcome of one case.
type Result struct {
	ID       string  `json:"id"`
	Group    string  `json:"group"`
	Outcome  Outcome `json:"outcome"`
	Expected bool    `json:"expected,omitzero"` // a failure that the baseline names
	Problem  string  `json:"problem,omitzero"`  // of a failure
	Answer   Answer  `json:"answer"`
}

// A Runner asks one program.
type Runner struct {
	Children *child.Set
	Program  child.Options
	Timeout  time.Duration // for one answer

	process *child.Process
	lines   *bufio.Scanner
	stop    context.CancelCauseFunc
	silent  int // cases without an answer since the last answer
	spoken  bool
}

// maxSilent is the number of consecutive cases without an answer that ends a run.
const maxSilent = 5

var errNoAnswer = errors.New("the program has ended without an answer")

// Ask asks the program about a case. A program that ends or does not answer in time has failed the case, and is
// started again for the next one. The error reports a program that cannot be started or never answers.
func (r *Runner) Ask(ctx context.Context, group string, c suite.Case) (Result, error) {
	result := Result{ID: c.ID, Group: group, Outcome: Passed}
	a, err := r.ask(ctx, Request{c.ID, c.Operation, c.Input})
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	if err != nil {
		if r.silent++; !r.spoken || r.silent == maxSilent {
			return result, err
		}
		result.Outcome, result.Problem = Failed, err.Error()
		return result, nil
	}
	r.silent, r.spoken = 0, true
	result.Answer = a
	if a.Verdict == suite.NotApplicable {
		result.Outcome = NotApplicable
	} else if result.Problem = problem(c, a); result.Problem != "" {
		result.Outcome = Failed
	}
	return result, nil
}

func (r *Runner) ask(ctx context.Context, q Request) (a Answer, err error) {
	if r.process == nil {
		var running context.Context
		running, r.stop = context.WithCancelCause(ctx)
		if r.process, err = r.Children.Start(running, r.Program); err != nil {
			r.stop(nil)
			r.process = nil
			return a, fmt.Errorf("the program cannot be started: %w", err)
		}
		r.lines = newLines(r.process)
	}
	stop := r.stop
	late := time.AfterFunc(r.Timeout, func() { stop(fmt.Errorf("the program has not answered for %s", r.Timeout)) })
	defer late.Stop()
	written := writeLine(r.process, q)
	if !r.lines.Scan() {
		err := r.lines.Err()
		r.process.CloseInput()
		ended := r.process.Wait()
		stop(nil)
		r.process = nil
		return a, cmp.Or(err, ended, written, errNoAnswer)
	}
	if a, err = parseAnswer(r.lines.Bytes(), q.ID); err != nil { // its next line may be the answer to this case
		stop(err)
		r.process.Wait()
		r.process = nil
	}
	return a, err
}

// Close ends the program.
func (r *Runner) Close() {
	if r.process == nil {
		return
	}
	r.process.CloseInput()
	late := time.AfterFunc(r.Timeout, func() { r.stop(nil) })
	defer late.Stop()
	for r.lines.Scan() {
	}
	r.process.Wait()
	r.stop(nil)
	r.process = nil
}
