package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
)

// work is an accepted message for an agent of its own.
type work struct {
	answer  receiver.Answer
	parts   [][]byte // the agent's input; the last part follows the durable acceptance
	agent   *agent   // nil to start one now
	replyTo string
	attempt int // the sender's attempt, 0 if unknown
	// settle is called when the agent has the message, giveUp if the agent will never get it.
	settle, giveUp func()
}

// run runs an agent on an accepted message, and reports the result.
func (i *Intake) run(ctx context.Context, w work) {
	a := w.agent
	if a == nil {
		var err error
		if a, err = i.start(ctx, len(w.parts)); err != nil {
			w.giveUp()
			i.fail(err)
			return
		}
	}
	last := len(w.parts) - 1
	a.give(w.parts[:last]...)
	handover := []receiver.Handover{{Accepted: w.answer.Record, Resumed: w.answer.Resumed, Running: true}}
	err := i.persist(ctx, func() error { return i.receiver.HandedOver(ctx, handover) })
	if err != nil {
		w.giveUp()
		a.kill()
		i.fail(err)
		return
	}
	a.give(w.parts[last])
	close(a.parts)
	w.settle()
	e := a.wait()
	i.options.Observer.Ended(w.answer, e)
	var after receiver.Answer
	err = i.persist(ctx, func() (err error) {
		after, err = i.receiver.Finished(ctx, w.answer, e)
		return err
	})
	if err == nil {
		err = i.alert(after.Alerts)
	}
	if err != nil {
		i.fail(err)
		return
	}
	if after.Status != receiver.Accepted { // otherwise the agent had accepted the task, and failed later
		i.fail(i.tell(ctx, w.replyTo, after, w.attempt, w.answer.Record))
	}
}

// tell sends the result of an agent to the sender and notes that.
func (i *Intake) tell(ctx context.Context, replyTo string, a receiver.Answer, attempt int, accepted audit.Stored) error {
	if err := i.reply(ctx, replyTo, a, attempt); err != nil || replyTo == "" || accepted.HandoffID == "" {
		return err
	}
	return i.persist(ctx, func() error { return i.receiver.Told(ctx, accepted) })
}

// reply sends an answer about an attempt of an already acknowledged message.
func (i *Intake) reply(ctx context.Context, replyTo string, a receiver.Answer, attempt int) error {
	i.options.Observer.Answered(a, 0)
	m, err := NewAnswer(i.receiver, a)
	if m.Attempt = attempt; err == nil {
		err = i.source.reply(ctx, replyTo, m)
	}
	if err != nil {
		return fmt.Errorf("the answer %s to handoff %s could not be sent, and is in the audit log: %w", a.Status, a.HandoffID, err)
	}
	return nil
}

func (i *Intake) alert(records []audit.Stored) error {
	if i.options.Alert == nil || len(records) == 0 {
		return nil
	}
	return i.options.Alert(records)
}

// resume hands over the messages left by dead receivers, and answers the others. temporary is an error of the
// audit log, or of a message changed in it.
func (i *Intake) resume(taking, running context.Context) (temporary error, err error) {
	logErr := i.receiver.Resume(running, func(left receiver.Left) error {
		err = i.resumeOne(taking, running, left)
		return err
	})
	if err != nil {
		logErr = nil
	}
	if errors.Is(err, errStopped) {
		err = nil
	}
	return logErr, err
}

// errStopped is the error of a message that was not handed over because the run ended.
var errStopped = errors.New("stopped")

func (i *Intake) resumeOne(taking, running context.Context, left receiver.Left) error {
	if err := i.alert(left.Answer.Alerts); err != nil {
		return err
	}
	if left.Answer.Status != receiver.Accepted {
		return i.tell(running, left.ReplyTo, left.Answer, left.Accepted.Details.SenderAttempt, left.Accepted)
	}
	attempt := left.Answer.Record.Details.SenderAttempt
	shown, err := i.options.Show(left.Raw) // the whole message, even if it came in chunks
	if err != nil {
		return err
	}
	if !i.window.enterAgain(taking) {
		return errStopped
	}
	i.window.hold(len(left.Raw))
	i.makeRoom(taking)
	leave := func() { i.window.leave(len(left.Raw)) }
	tell := func() { i.fail(i.reply(running, left.ReplyTo, left.Answer, attempt)) }
	if i.options.Runner != nil {
		i.working.Go(func() {
			defer leave()
			i.run(running, work{answer: left.Answer, parts: [][]byte{shown}, replyTo: left.ReplyTo, attempt: attempt, settle: tell, giveUp: func() {}})
		})
		return nil
	}
	defer leave()
	if err := i.write([]receiver.Handover{{Accepted: left.Answer.Record, Resumed: true}}, [][]byte{shown}); err != nil {
		return err
	}
	i.settling.Go(tell)
	return nil
}

// resumeLater resumes messages of receivers that have died since.
func (i *Intake) resumeLater(taking, running context.Context) {
	tick := time.NewTicker(i.options.ResumeEvery)
	defer tick.Stop()
	for {
		select {
		case <-taking.Done():
			return
		case <-tick.C:
			temporary, err := i.resume(taking, running)
			if temporary != nil {
				i.options.Observer.Trouble(temporary)
			}
			i.fail(err)
		}
	}
}
