package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// NewAnswer returns a receiver's answer as a transport message, without the attempt of the answered message.
func NewAnswer(r *receiver.Receiver, a receiver.Answer) (transport.Message, error) {
	body, err := r.AppendAnswer(nil, a)
	return transport.Message{
		ID: fmt.Sprintf("%s/%s", a.RecordHash, a.Status), Key: a.HandoffID, Group: a.TaskID, Kind: transport.Answer,
		Body: body, Outcome: outcome(a),
	}, err
}

func outcome(a receiver.Answer) transport.Outcome {
	switch {
	case a.Status != receiver.Rejected:
		return transport.Taken
	case a.Reason == receiver.HandoffIDReused || a.Reason == receiver.Revoked:
		return transport.Conflict
	default:
		return transport.Refused
	}
}

// other handles a message that is not a handoff.
func (i *Intake) other(taking, running context.Context, it *item) error {
	var a receiver.Answer
	switch it.message.Kind {
	case transport.Revocation:
		v, err := i.receiver.ReadRevocation(it.message.Body, time.Now())
		if err != nil {
			return i.discard(taking, running, it, err.Error())
		}
		refused := (*receiver.RevocationError)(nil)
		err = i.persist(taking, func() (err error) {
			if a, err = i.receiver.Revoke(running, v); errors.As(err, &refused) {
				return nil
			}
			return err
		})
		if err == nil && refused != nil {
			return i.discard(taking, running, it, refused.Error())
		}
		if err := errors.Join(err, i.alert(a.Alerts)); err != nil {
			return err
		}
		if i.streams != nil && a.Reason == receiver.Revoked {
			if err := i.streams.revoke(taking, running, v.HandoffID); err != nil {
				return err
			}
		}
	case transport.Chunk:
		if i.streams != nil {
			i.streams.in <- it // it leaves the window there
			return nil
		}
		a = receiver.Answer{HandoffID: it.message.Key, TaskID: it.message.Group, Status: receiver.Rejected, Reason: validate.SchemaInvalid,
			Details: "this receiver does not accept messages in chunks", Attempt: max(it.message.Attempt, 1)}
	default:
		return i.discard(taking, running, it, "a receiver does not accept messages of the kind "+finding.Quote(string(it.message.Kind)))
	}
	i.settling.Go(func() {
		defer i.window.leave(len(it.message.Body))
		i.settle(running, it, a)
	})
	return nil
}

// discard makes an unusable message a dead letter of the transport.
func (i *Intake) discard(taking, running context.Context, it *item, why string) error {
	return i.bury(taking, running, it, why, func() *receiver.Delivery { return i.receiver.ExamineUnusable(it.message.Body, why) })
}

// discardUnshown makes a valid message that cannot be converted for its receiver a dead letter of the
// transport. raw is the whole message.
func (i *Intake) discardUnshown(taking, running context.Context, it *item, raw []byte, unshown error) error {
	why := unshown.Error()
	return i.bury(taking, running, it, why, func() *receiver.Delivery { return i.receiver.ExamineUnshown(raw, why) })
}

func (i *Intake) bury(taking, running context.Context, it *item, why string, examine func() *receiver.Delivery) error {
	why, err := i.withheld(taking, why, examine)
	if err != nil {
		return err
	}
	i.options.Observer.Trouble(fmt.Errorf("a message became a dead letter: %s", why))
	i.settling.Go(func() {
		defer i.window.leave(len(it.message.Body))
		ctx, cancel := context.WithTimeout(running, settleTimeout)
		defer cancel()
		if err := it.DeadLetter(ctx, why); err != nil {
			i.options.Observer.Trouble(err)
		}
	})
	return nil
}

// withheld returns the reason for a dead letter that is unusable. If messages must not be quoted, the
// transport does not store it: the audit log does, as examined by examine.
func (i *Intake) withheld(taking context.Context, why string, examine func() *receiver.Delivery) (string, error) {
	if !i.receiver.Withholds() {
		return why, nil
	}
	d := examine()
	d.Transport = i.options.Transport
	var answers []receiver.Answer
	err := i.persist(taking, func() (err error) {
		answers, err = i.handovers.Record([]*receiver.Delivery{d})
		return err
	})
	if err != nil {
		return "", err
	}
	return letterReason(answers[0]), nil
}
