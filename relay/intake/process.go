package intake

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// process processes a group of messages. After an error the run ends, and messages without acknowledgment are
// given back.
func (i *Intake) process(taking, running context.Context, group []*item) error {
	if !group[0].isHandoff() {
		return i.other(taking, running, group[0])
	}
	recorded := make([]*item, 0, len(group))
	deliveries := make([]*receiver.Delivery, 0, len(group))
	now := time.Now()
	for _, it := range group {
		if it.err != nil { // from the scanner or ctx: all others would fail too
			return it.err
		}
		if it.unshown != nil {
			if err := i.discardUnshown(taking, running, it, it.message.Body, it.unshown); err != nil {
				return err
			}
			continue
		}
		it.latency = latency(it.message, now)
		it.found.LatencyMicros = it.latency.Microseconds()
		recorded, deliveries = append(recorded, it), append(deliveries, it.found)
	}
	if len(recorded) == 0 {
		return nil
	}
	var answers []receiver.Answer
	err := i.persist(taking, func() (err error) {
		answers, err = i.handovers.Record(deliveries)
		return err
	})
	if err != nil {
		return err
	}
	return i.handOver(running, recorded, answers)
}

// maxLatency is the maximum plausible latency. Longer ones are due to a wrong clock.
const maxLatency = 365 * 24 * time.Hour

// latency returns the time since a message's dispatch, 0 if unknown.
func latency(m transport.Message, now time.Time) time.Duration {
	if m.DispatchedAt.IsZero() {
		return 0
	}
	if d := now.Sub(m.DispatchedAt); d > 0 && d < maxLatency {
		return d
	}
	return 0
}

// persist calls a function that uses the audit log, and repeats the call until it succeeds, patience is
// exceeded, or the run ends.
func (i *Intake) persist(ctx context.Context, do func() error) error {
	var wait backoff
	waiting, cancel := context.WithTimeout(ctx, i.options.Patience)
	defer cancel()
	for {
		err := do()
		if err == nil {
			if wait.began() {
				i.options.Observer.Recovered()
			}
			return nil
		}
		err = &LogError{err}
		i.options.Observer.Trouble(err)
		if wait.pause(waiting) != nil {
			return err
		}
	}
}

// A LogError reports that the audit log does not work.
type LogError struct{ Err error }

func (e *LogError) Error() string {
	return fmt.Sprintf("the audit log did not accept the record, so no message is handed over: %v", e.Err)
}

// Unwrap returns the underlying error.
func (e *LogError) Unwrap() error { return e.Err }

// handOver hands over the accepted messages, and answers all.
func (i *Intake) handOver(ctx context.Context, items []*item, answers []receiver.Answer) error {
	if i.options.Stream != nil {
		var list []receiver.Handover
		var shown [][]byte
		for n, a := range answers {
			if a.Status == receiver.Accepted {
				list, shown = append(list, receiver.Handover{Accepted: a.Record, Resumed: a.Resumed}), append(shown, items[n].parts[0])
			}
		}
		if err := i.write(list, shown); err != nil {
			return err
		}
	}
	for n, a := range answers {
		if err := i.alert(a.Alerts); err != nil {
			return err
		}
		it := items[n]
		if i.options.Runner != nil && a.Status == receiver.Accepted {
			i.settling.Add(1)
			i.working.Go(func() {
				defer i.window.leave(len(it.message.Body))
				i.run(ctx, work{answer: a, parts: it.parts, agent: it.agent, replyTo: it.message.ReplyTo, attempt: it.message.Attempt, settle: func() {
					i.settle(ctx, it, a)
					i.settling.Done()
				}, giveUp: i.settling.Done})
			})
			continue
		}
		i.settling.Go(func() {
			defer i.window.leave(len(it.message.Body))
			i.settle(ctx, it, a)
		})
	}
	return nil
}

// write gives messages to the stream, and notes that.
func (i *Intake) write(list []receiver.Handover, shown [][]byte) error {
	if len(list) == 0 {
		return nil
	}
	i.handing <- struct{}{}
	defer func() { <-i.handing }()
	if err := i.options.Stream.HandOver(shown); err != nil {
		return err
	}
	i.handovers.Add(list)
	return nil
}

// The maximum time for answering a message and for acknowledging it, and the delay before an unanswered
// message is delivered again, if the transport supports it.
const (
	settleTimeout = 30 * time.Second
	returnAfter   = time.Second
)

// settle answers a message and ends its delivery. If that fails, the message comes again, and is
// answered then.
func (i *Intake) settle(ctx context.Context, it *item, a receiver.Answer) {
	within := func(do func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, settleTimeout)
		defer cancel()
		return do(ctx)
	}
	err := within(func(ctx context.Context) error { return i.answer(ctx, it, a) })
	if err != nil {
		i.options.Observer.Trouble(fmt.Errorf("an answer could not be sent, so its message will be delivered again: %w", err))
		_ = within(func(ctx context.Context) error { return it.Return(ctx, returnAfter) }) // otherwise it is delivered again when the consumer is closed
		return
	}
	if a.ForPeople() {
		err = within(func(ctx context.Context) error { return it.DeadLetter(ctx, letterReason(a)) })
	} else {
		err = within(it.Ack)
	}
	if err != nil {
		i.options.Observer.Trouble(fmt.Errorf("a message could not be acknowledged, so it will be delivered again: %w", err))
	}
}

// letterReason returns the reason why a message is a dead letter, and its record in the audit log.
func letterReason(a receiver.Answer) string {
	place := fmt.Sprintf("record %d of the audit log", a.Letter())
	if a.HandoffID != "" {
		place = "handoff " + a.HandoffID + ", " + place
	}
	return fmt.Sprintf("%s: %s", a.Reason, place)
}

// maxKey is the maximum length of a key made for a message without one, in bytes. No valid handoffId is
// longer; others may not fit into a transport's header.
const maxKey = 200

// answer answers a message under its key. A message without a key gets its handoffId as the key, which
// senders can use to request the answer.
func (i *Intake) answer(ctx context.Context, it *item, a receiver.Answer) error {
	m, err := NewAnswer(i.receiver, a)
	if err != nil {
		return err
	}
	if len(m.Key) > maxKey {
		m.Key = ""
	}
	m.Key, m.Group, m.Attempt = cmp.Or(it.message.Key, m.Key), it.message.Group, it.message.Attempt
	m.Traceparent = it.message.Traceparent
	if it.message.Kind == transport.Revocation {
		i.options.Observer.Revoked(a)
	} else {
		i.options.Observer.Answered(a, it.latency)
	}
	return it.Answer(ctx, m)
}
