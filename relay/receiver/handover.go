package receiver

import (
	"context"

	"github.com/eaapl/handoff/relay/audit"
)

// A Handover reports that an agent has a message.
type Handover struct {
	Accepted audit.Stored // record of its acceptance
	Resumed  bool
	// Running reports that this process waits for the agent, and will report its result by
	// [Receiver.Finished]. If this process dies first, the agent is assumed to have died, too.
	Running bool

	tried audit.Stored // record of the last try, zero before the first
}

// HandedOver durably records that messages were handed over: they are not handed over again, except those
// with Running after this process has died (see [Options].Rerun). After an error it may be called again with
// the same list; it finds records that were made nevertheless.
func (r *Receiver) HandedOver(ctx context.Context, list []Handover) error {
	if len(list) == 0 {
		return nil
	}
	return r.log.Append(ctx, func(b *audit.Batch) error { return r.addHandovers(b, list) })
}

func (r *Receiver) addHandovers(b *audit.Batch, list []Handover) error {
	var copies []audit.Copy
	var running []audit.Pending
	for i, h := range list {
		made, err := isRecorded(b, h.tried)
		if err != nil {
			return err
		}
		if made { // by a try with an unknown result
			continue
		}
		c := h.Accepted.Copy()
		copies = append(copies, c)
		record := audit.Record{Event: audit.HandedOver, HandoffID: h.Accepted.HandoffID, TaskID: h.Accepted.TaskID, Receiver: h.Accepted.Receiver,
			Details: audit.Details{Resumed: h.Resumed}}
		if h.Running {
			replyTo, err := replyTo(b, c)
			if err != nil {
				return err
			}
			own := r.own(h.Accepted, replyTo)
			own.Running = true
			running = append(running, own)
			record.Details.Running, record.Details.Concerns = true, &own.Sequence
		}
		if list[i].tried, err = b.Add(record, nil); err != nil {
			return err
		}
	}
	if err := b.ClearPending(copies); err != nil {
		return err
	}
	return b.SetPending(running)
}

// replyTo returns the address for answers of a copy that is in flight.
func replyTo(b *audit.Batch, c audit.Copy) (string, error) {
	list, err := b.Pending(c.HandoffID)
	for _, p := range list {
		if p.Copy() == c {
			return p.ReplyTo, err
		}
	}
	return "", err
}
