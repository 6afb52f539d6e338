package receiver

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

// A Left is a message accepted by a process that died before it had handed it over, or while its agent ran.
type Left struct {
	// Answer is the answer for its sender: ACCEPTED, with Resumed, if the message must be handed over;
	// REJECTED if the sender has the task again; COMPLETED if the agent had ended successfully and the sender
	// may not know.
	Answer   Answer
	Accepted audit.Stored // record of its acceptance, for [Receiver.Told]; zero if not needed
	Raw      []byte       // the message as received; nil if it was rejected
	ReplyTo  string       // as in [Delivery]
}

// Resume takes over the messages for this receiver ([Options].As and Place) that dead processes have left, in
// the order of acceptance, and calls each with them. The caller hands over the ACCEPTED ones, and reports
// that. The REJECTED ones are already settled, and the caller alerts their senders and people: messages that
// were revoked before they were handed over, and, without [Options].Rerun, those whose agents died with their
// receivers.
//
// It stops if each returns an error, and leaves the rest for the next Resume, of this process or of another
// one after it has ended. It also stops if the log fails, even if the record may have been written. A message
// that was changed in the log is skipped, and does not block the others: the error, an [*audit.ChangedError],
// is returned at the end.
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

// A leftover is a message left by a dead process, and the action for it.
type leftover struct {
	*takeover
	what int
}

const (
	handOver int = iota // now owned by this process
	settle              // one at a time, so that the others stay if the caller fails
	tell                // settled and recorded by an earlier try with an unknown result
)

// takeOne returns a leftover for the caller of Resume. Status is empty if nothing is left to do.
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

// read returns a message that this process has taken over; with an error, the known part of it.
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

// settleLeft settles a message that must not be handed over again. Status is empty if another process has
// settled it.
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

// settleAndTell is like settle, for a message whose sender gets its answers by name: the answer stays
// pending, even if the agent had ended before the process died.
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

// answerOfEnd returns the answer for the sender of a message in flight whose agent has ended. It is sent
// before any later answer; only a success, and a failure at once, remain to be sent.
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
	list, err := follows(b, *end) // alerts for these were already sent
	a.Escalated = slices.ContainsFunc(list, func(s audit.Stored) bool { return s.Event == audit.Escalated })
	return a, true, err
}

// letGo settles a message that this process has taken over but cannot hand over, because its personal data
// was erased. An erasure settles such a message itself, unless its agent ran or its process was alive. If its
// agent ran, the answer reports a failure; otherwise there is none.
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

// lose records that an agent died with its receiver.
func (r *Receiver) lose(b *audit.Batch, accepted audit.Stored) (Answer, error) {
	return r.fail(b, answerTo(accepted, Accepted), audit.Details{Explanation: "the receiver ended while its agent was running"}, true)
}

// takeOver returns the leftovers; with an error, those found before it. Messages to be handed over again now
// belong to this process.
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

// settledBefore splits a list of messages in flight. left are the messages that an earlier try of this
// process settled with an unknown result: their answers must be sent.
func (r *Receiver) settledBefore(b *audit.Batch, list []audit.Pending) (left []leftover, rest []audit.Pending, err error) {
	for _, of := range r.takeovers.allFailed() {
		i := slices.IndexFunc(list, func(p audit.Pending) bool { return p.Sequence == of.pending.Sequence })
		if i >= 0 && list[i].Instance != r.instance { // not recorded
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
		case i < 0: // settled by others
			r.takeovers.end(of)
		}
	}
	return left, list, nil
}

// settles reports whether the task of a message whose process has died returns to the sender, instead of
// being handed over again.
func (r *Receiver) settles(p audit.Pending, revoked bool) bool {
	if p.Running {
		return revoked || !r.options.Rerun || r.options.AtMostOnce
	}
	return revoked
}

// settle returns the task of an accepted message, whose process has died, to its sender if the message must
// not be handed over again, and reports whether it did.
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

// recordAt returns the record with a sequence number or, if it was removed, the next record.
func recordAt(r audit.Reader, sequence int64) (audit.Stored, error) {
	for s, err := range r.Records(audit.Filter{From: sequence, Limit: 1}) {
		return s, err
	}
	return audit.Stored{}, nil
}

// readMessage returns the message of a record as received. A changed or missing message is an error: it must
// not be handed over.
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
