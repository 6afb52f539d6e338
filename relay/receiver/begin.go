package receiver

import (
	"context"

	"github.com/eaapl/handoff/relay/audit"
)

// Begin durably records that an agent begins with d, the first message of a stream: BEGUN, with the message.
// This accepts nothing: [Receiver.Record] decides about the whole message independently.
//
// begun is false, and nothing is recorded, if the log rules out that the whole message can be accepted: a
// message with its id was accepted, its sender has revoked it, its task was rolled back after it was sent, or
// its parent differs from the accepted one.
func (r *Receiver) Begin(ctx context.Context, d *Delivery) (s audit.Stored, begun bool, err error) {
	err = r.log.Append(ctx, func(b *audit.Batch) error {
		if err := r.unlock(ctx, b, d); err != nil {
			return err
		}
		known, err := r.known(b, []*Delivery{d})
		if err != nil {
			return err
		}
		foreign, err := r.foreignParent(ctx, known, d)
		if err != nil {
			return err
		}
		before := known.of(d)
		if begun = before.accepted == nil && before.revoked == nil && !d.isStale(before) && foreign == nil; !begun {
			return nil
		}
		record := d.recorded()
		record.Event, record.Transport, record.Attempt = audit.Begun, d.Transport, before.failures+1
		s, err = d.add(b, record)
		return err
	})
	return s, begun && err == nil, err
}
