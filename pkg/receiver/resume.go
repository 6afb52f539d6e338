package receiver

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/personal"
)

// A Left is a message that was accepted by a process that died before it had handed it over, or
// while its agent ran.
type Left struct {
	// Answer is what its sender is told: ACCEPTED, with Resumed, if the message is to be handed
	// over, REJECTED if its task is the sender's again, COMPLETED if the agent had ended well and
	// the sender may not know that.
	Answer   Answer
	Accepted audit.Stored // the record by which it was accepted, for [Receiver.Told]; zero if that is not needed
	Raw      []byte       // the message as it came; nil if it was rejected
	ReplyTo  string       // as in [Delivery]
}

// Resume takes over what was left of the messages for this receiver ([Options].As and Place), in
// the order of acceptance, and calls each with it. What is ACCEPTED the caller hands over, and
// then says so. What is REJECTED is settled just then, and the caller tells its sender and the
// people: messages that were revoked before they were handed over, and, unless [Options].Rerun
// says that they are handed over again, those whose agents died with their receivers.
//
// It ends at an error of each, and what has not been handed over then is left again when this
// process ends. A message that was changed in the log is left out, and does not keep back the
// others: the error, an [*audit.ChangedError], comes at the end.
func (r *Receiver) Resume(ctx context.Context, each func(Left) error) error {
	var left []audit.Pending
	err := r.log.Append(ctx, func(b *audit.Batch) (err error) {
		left, err = r.takeOver(ctx, b)
		return err
	})
	if err != nil {
		return err
	}
	var changed error
	for _, p := range left {
		var l Left
		var err error
		if p.Instance == r.instance {
			l, err = r.read(ctx, p)
		} else { // one at a time, so that the others are left again if nobody can be told
			l, err = r.settleLeft(ctx, p)
		}
		switch {
		case errors.As(err, new(*audit.ChangedError)):
			changed = errors.Join(changed, err)
			continue
		case errors.As(err, new(*personal.ErasedError)):
			l.Answer, err = r.letGo(ctx, l.Answer.Record)
		}
		if err == nil && l.Answer.Status != "" {
			err = each(l)
		}
		if err != nil {
			return errors.Join(changed, err)
		}
	}
	return changed
}

// read returns a message that this process has taken over.
func (r *Receiver) read(ctx context.Context, p audit.Pending) (left Left, err error) {
	left.ReplyTo = replyName(p.ReplyTo)
	err = r.log.Store().View(ctx, func(v audit.Reader) error {
		accepted, err := recordAt(v, p.Sequence)
		if err != nil {
			return err
		}
		left.Answer = answerTo(accepted, Accepted)
		left.Answer.Resumed = true
		left.Raw, err = readMessage(ctx, r.options.Personal, v, accepted)
		return err
	})
	return left, err
}

// settleLeft settles a message that nobody is to hand over again. There is no Status if another
// process has done that.
func (r *Receiver) settleLeft(ctx context.Context, left audit.Pending) (Left, error) {
	l := Left{ReplyTo: replyName(left.ReplyTo)}
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		list, err := b.Pending(left.HandoffID)
		if err != nil {
			return err
		}
		revoked, err := r.revocations(b, list)
		if err != nil {
			return err
		}
		for _, p := range list {
			if p.Sequence != left.Sequence || p.Alive {
				continue
			}
			accepted, err := recordAt(b, p.Sequence)
			if err != nil {
				return err
			}
			back, err := revoked.of(b, p)
			if err != nil {
				return err
			}
			l.Answer, l.Accepted, err = r.settleAndTell(ctx, b, p, accepted, back)
			return err
		}
		return nil
	})
	return l, err
}

// settleAndTell is settle for one whose sender is told by its name: that stays to be done, as it
// does if the agent had ended before the process died.
func (r *Receiver) settleAndTell(ctx context.Context, b *audit.Batch, p audit.Pending, accepted audit.Stored, revoked bool) (Answer, audit.Stored, error) {
	var a Answer
	known, err := r.lookUp(b, p.Copy())
	if err != nil {
		return a, accepted, err
	}
	if known.hasEnded(p) {
		a, err = known.Answer, b.ClearPending([]audit.Copy{p.Copy()})
	} else {
		a, _, err = r.settle(b, p, accepted, revoked)
	}
	if err != nil || !p.Running || replyName(p.ReplyTo) == "" {
		return a, audit.Stored{}, err
	}
	p.Instance = r.instance
	return a, accepted, b.SetPending([]audit.Pending{p})
}

// hasEnded reports whether the agent of a message that is under way has ended.
func (s *state) hasEnded(p audit.Pending) bool {
	return p.Running && s.Record.Sequence > p.Sequence && (s.Record.Event == audit.Completed || s.Record.Event == audit.ExecutionFailed)
}

// letGo settles a message that this process has taken over and that cannot be handed over any
// more, since its personal data was erased: an erasure lets go of it, too, unless its agent ran or
// its process was alive. If its agent ran, the answer is that of a failure, else there is none.
func (r *Receiver) letGo(ctx context.Context, accepted audit.Stored) (a Answer, err error) {
	err = r.log.Append(ctx, func(b *audit.Batch) error {
		list, err := b.Pending(accepted.HandoffID)
		if err != nil {
			return err
		}
		for _, p := range list {
			if p.Sequence != accepted.Sequence {
				continue
			}
			if p.Running {
				if a, err = r.lose(b, accepted); err != nil {
					return err
				}
			}
			return b.ClearPending([]audit.Copy{p.Copy()})
		}
		return nil
	})
	return a, err
}

// lose records that an agent has died with its receiver.
func (r *Receiver) lose(b *audit.Batch, accepted audit.Stored) (Answer, error) {
	return r.fail(b, answerTo(accepted, Accepted), audit.Details{Explanation: "the receiver ended while its agent was running"}, true)
}

// takeOver returns what was left. What is to be handed over again, this process has taken over.
func (r *Receiver) takeOver(ctx context.Context, b *audit.Batch) (left []audit.Pending, err error) {
	list, err := b.Pending()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(p audit.Pending) bool {
		return p.Alive || r.options.As != "" && p.Receiver != r.options.As || !r.from(p.ReplyTo)
	})
	revoked, err := r.revocations(b, list)
	if err != nil {
		return nil, err
	}
	var copies []audit.Copy
	var taken []audit.Pending
	for _, p := range list {
		back, err := revoked.of(b, p)
		if err != nil {
			return nil, err
		}
		known := state{}
		if p.Running && r.options.Rerun {
			if known, err = r.lookUp(b, p.Copy()); err != nil {
				return nil, err
			}
		}
		switch {
		case r.settles(p, back), known.hasEnded(p):
		case r.options.AtMostOnce:
			continue
		default:
			p.Instance = r.instance
			copies, taken = append(copies, p.Copy()), append(taken, p)
		}
		left = append(left, p)
	}
	return left, errors.Join(b.ClearPending(copies), b.SetPending(taken))
}

// settles reports whether nobody is to hand over again a message whose process has died, so that
// its task is the sender's again.
func (r *Receiver) settles(p audit.Pending, revoked bool) bool {
	if p.Running {
		return revoked || !r.options.Rerun || r.options.AtMostOnce
	}
	return revoked
}

// settle gives the task of an accepted message, whose process has died, back to its sender if
// nobody is to hand the message over again, and reports whether it did.
func (r *Receiver) settle(b *audit.Batch, p audit.Pending, accepted audit.Stored, revoked bool) (a Answer, settled bool, err error) {
	if !r.settles(p, revoked) {
		return a, false, nil
	}
	if p.Running {
		a, err = r.lose(b, accepted)
		a.Retryable = !revoked
	} else {
		a, err = withdraw(b, accepted)
	}
	return a, true, errors.Join(err, b.ClearPending([]audit.Copy{p.Copy()}))
}

// recordAt returns the record with a sequence number, or if that was removed the next one.
func recordAt(r audit.Reader, sequence int64) (audit.Stored, error) {
	for s, err := range r.Records(audit.Filter{From: sequence, Limit: 1}) {
		return s, err
	}
	return audit.Stored{}, nil
}

// readMessage returns the message of a record as it came. One that was changed in the log, or
// is not there any more, is an error: nobody is to get it.
func readMessage(ctx context.Context, sealer Sealer, r audit.Reader, of audit.Stored) ([]byte, error) {
	frame, err := r.Frame(of.Sequence)
	if err == nil && of.FrameDigest != (audit.Hash{}) {
		err = of.CheckFrame(frame)
	}
	if err != nil {
		return nil, err
	}
	text, err := audit.ReadFrame(frame, of.MessageBytes)
	if err != nil {
		return nil, &audit.UnreadableError{Sequence: of.Sequence, Err: err}
	}
	return restore(ctx, sealer, r, of, text)
}
