package receiver

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
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
// It ends at an error of each, and what each has not been called with is left for the next Resume, of
// this process or of another after this one has ended. So it is if the log fails, also if the log may
// have taken the record all the same. A message that was changed in the log is left out, and does not
// keep back the others: the error, an [*audit.ChangedError], comes at the end.
func (r *Receiver) Resume(ctx context.Context, each func(Left) error) error {
	var left []leftover
	err := r.log.Append(ctx, func(b *audit.Batch) (err error) {
		left, err = r.takeOver(b)
		return err
	})
	fail := func(list []leftover) {
		for _, one := range list {
			r.takeovers.fail(one.takeover)
		}
	}
	if err != nil {
		fail(left)
		return err
	}
	var changed error
	for i, one := range left {
		l, err := r.takeOne(ctx, one)
		switch {
		case errors.As(err, new(*audit.ChangedError)):
			changed = errors.Join(changed, err)
			r.takeovers.end(one.takeover)
			continue
		case err != nil:
			fail(left[i:])
			return errors.Join(changed, err)
		}
		r.takeovers.end(one.takeover)
		if l.Answer.Status == "" {
			continue
		}
		if err := each(l); err != nil {
			fail(left[i+1:])
			return errors.Join(changed, err)
		}
	}
	return changed
}

// A leftover is a message that was left, and what is to be done with it.
type leftover struct {
	*takeover
	what int
}

const (
	handOver int = iota // this process has it now
	settle              // one at a time, so that the others are left again if nobody can be told
	tell                // the try that settled it was recorded, and nobody knew
)

// takeOne returns what is left of a message for the caller of Resume. There is no Status if it is
// nothing.
func (r *Receiver) takeOne(ctx context.Context, one leftover) (Left, error) {
	switch one.what {
	case tell:
		return one.tried, nil
	case settle:
		return r.settleLeft(ctx, one.takeover)
	}
	l, err := r.read(ctx, one.pending)
	if errors.As(err, new(*personal.ErasedError)) {
		return r.letGo(ctx, one.takeover, l)
	}
	return l, err
}

// read returns a message that this process has taken over; with an error, as much of it as is known.
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
func (r *Receiver) settleLeft(ctx context.Context, t *takeover) (Left, error) {
	l := Left{ReplyTo: replyName(t.pending.ReplyTo)}
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		list, err := b.Pending(t.pending.HandoffID)
		if err != nil {
			return err
		}
		revoked, err := r.revocations(b, list)
		if err != nil {
			return err
		}
		for _, p := range list {
			if p.Sequence != t.pending.Sequence || p.Alive && p.Instance != t.pending.Instance {
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
			l.Answer, l.Accepted, err = r.settleAndTell(b, p, accepted, back)
			return err
		}
		return nil
	})
	t.tried = l
	return l, err
}

// settleAndTell is settle for one whose sender is told by its name: that stays to be done, as it
// does if the agent had ended before the process died.
func (r *Receiver) settleAndTell(b *audit.Batch, p audit.Pending, accepted audit.Stored, revoked bool) (Answer, audit.Stored, error) {
	a, ended, err := r.answerOfEnd(b, p, accepted, revoked)
	if err != nil {
		return a, accepted, err
	}
	if ended {
		err = b.ClearPending([]audit.Copy{p.Copy()})
	} else {
		a, _, err = r.settle(b, p, accepted, revoked)
	}
	if err != nil || !p.Running || replyName(p.ReplyTo) == "" {
		return a, audit.Stored{}, err
	}
	p.Instance = r.instance
	return a, accepted, b.SetPending([]audit.Pending{p})
}

// answerOfEnd returns what the sender of a message that is under way is told if its agent has ended.
// Whatever came of the message since, that is told first: only a success, and a failure that came at
// once, stay to be told.
func (r *Receiver) answerOfEnd(b *audit.Batch, p audit.Pending, accepted audit.Stored, revoked bool) (a Answer, ended bool, err error) {
	if !p.Running {
		return a, false, nil
	}
	end, err := endOf(b, accepted)
	if end == nil || err != nil {
		return a, false, err
	}
	a = answerToEnd(answerTo(accepted, Accepted), *end, true)
	a.Retryable = a.Retryable && !revoked
	list, err := follows(b, *end) // people have heard of these
	a.Escalated = slices.ContainsFunc(list, func(s audit.Stored) bool { return s.Event == audit.Escalated })
	return a, true, err
}

// letGo settles a message that this process has taken over and that cannot be handed over any
// more, since its personal data was erased: an erasure lets go of it, too, unless its agent ran or
// its process was alive. If its agent ran, the answer is that of a failure, else there is none.
func (r *Receiver) letGo(ctx context.Context, t *takeover, l Left) (Left, error) {
	l.Answer = Answer{}
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		list, err := b.Pending(t.pending.HandoffID)
		if err != nil {
			return err
		}
		for _, p := range list {
			if p.Sequence != t.pending.Sequence {
				continue
			}
			if p.Running {
				accepted, err := recordAt(b, p.Sequence)
				if err != nil {
					return err
				}
				if l.Answer, err = r.lose(b, accepted); err != nil {
					return err
				}
			}
			return b.ClearPending([]audit.Copy{p.Copy()})
		}
		return nil
	})
	t.tried = l
	return l, err
}

// lose records that an agent has died with its receiver.
func (r *Receiver) lose(b *audit.Batch, accepted audit.Stored) (Answer, error) {
	return r.fail(b, answerTo(accepted, Accepted), audit.Details{Explanation: "the receiver ended while its agent was running"}, true)
}

// takeOver returns what was left, with an error what it has come to. What is to be handed over again,
// this process has taken over.
func (r *Receiver) takeOver(b *audit.Batch) (left []leftover, err error) {
	list, err := b.Pending()
	if err != nil {
		return nil, err
	}
	left, list, err = r.settledBefore(b, list)
	if err != nil {
		return left, err
	}
	list = slices.DeleteFunc(list, func(p audit.Pending) bool {
		return !r.isLeft(p) || r.options.As != "" && p.Receiver != r.options.As || !r.from(p.ReplyTo)
	})
	revoked, err := r.revocations(b, list)
	if err != nil {
		return left, err
	}
	var copies []audit.Copy
	var taken []audit.Pending
	for _, p := range list {
		back, err := revoked.of(b, p)
		if err != nil {
			return left, err
		}
		var end *audit.Stored
		if p.Running && r.options.Rerun {
			accepted, err := recordAt(b, p.Sequence)
			if err != nil {
				return left, err
			}
			if end, err = endOf(b, accepted); err != nil {
				return left, err
			}
		}
		what := settle
		switch {
		case r.settles(p, back), end != nil:
		case r.options.AtMostOnce:
			continue
		default:
			what, p.Instance = handOver, r.instance
			copies, taken = append(copies, p.Copy()), append(taken, p)
		}
		left = append(left, leftover{r.takeovers.begin(p), what})
	}
	return left, errors.Join(b.ClearPending(copies), b.SetPending(taken))
}

// settledBefore returns what this process has settled before and nobody knew, so that it is to be
// told, and what remains of a list of messages that are under way.
func (r *Receiver) settledBefore(b *audit.Batch, list []audit.Pending) (left []leftover, rest []audit.Pending, err error) {
	for _, of := range r.takeovers.allFailed() {
		i := slices.IndexFunc(list, func(p audit.Pending) bool { return p.Sequence == of.pending.Sequence })
		if i >= 0 && list[i].Instance != r.instance { // it was not recorded
			continue
		}
		made, err := isRecorded(b, of.tried.Answer.Record)
		switch {
		case err != nil:
			return left, list, err
		case made:
			again := r.takeovers.begin(of.pending)
			again.tried = of.tried
			left = append(left, leftover{again, tell})
			if i >= 0 {
				list = slices.Delete(list, i, i+1)
			}
		case i < 0: // others have come to its end
			r.takeovers.end(of)
		}
	}
	return left, list, nil
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
