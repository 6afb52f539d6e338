package receiver

import (
	"context"

	"github.com/eaapl/handoff/relay/audit"
)

// Begin makes durable that an agent begins with the first message of a stream, which d is: BEGUN,
// with the message beside it. Nothing is accepted by that, and [Receiver.Record] decides about the
// whole as if nobody had begun.
//
// begun is false, and nothing is recorded, if by the log the whole could not be accepted: a message
// was accepted under its id, or its sender has taken it back, its task was rolled back since it was
// sent, or its parent is another one than was accepted.
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
