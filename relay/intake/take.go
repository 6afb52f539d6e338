package intake

import (
	"context"
	"errors"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// An item is a message taken from the transport.
type item struct {
	transport.Delivery
	message  transport.Message
	latency  time.Duration // from its dispatch to the decision, 0 if unknown
	examined chan struct{} // closed when the fields below are set

	found   *receiver.Delivery // nil if the message is not a handoff
	parts   [][]byte           // the agent's input, if valid: the message, or its chunks
	agent   *agent             // began early with it, and gets the last part now; nil to start one
	err     error              // why it could not be examined
	unshown error              // why a valid message cannot be handed over
}

// take takes messages in order, while the window has places.
func (i *Intake) take(ctx context.Context, queue, examining chan<- *item) error {
	last := time.Now()
	for i.window.enter(ctx) {
		waiting, cancel := i.waiting(ctx, last)
		d, err := i.source.next(waiting)
		ended := waiting.Err()
		i.window.interruptible(nil)
		cancel()
		switch {
		case err == nil:
		case ctx.Err() == nil && errors.Is(ended, context.Canceled) && errors.Is(err, ended): // interrupted
			i.window.cancel()
			continue
		case ended != nil && errors.Is(err, ended):
			i.window.cancel()
			return nil
		default:
			i.window.cancel()
			return err
		}
		last = time.Now()
		it := &item{Delivery: d, message: d.Message(), examined: make(chan struct{})}
		i.window.hold(len(it.message.Body))
		if i.streams != nil && it.message.Kind == transport.Chunk {
			i.window.chunk() // its message is counted
		} else if it.isHandoff() {
			i.makeRoom(ctx)
		}
		i.options.Observer.Taken(it.message)
		queue <- it
		examining <- it
	}
	return nil
}

// waiting returns the context for waiting for a message: it ends when nothing has come for IdleTimeout, or
// when another message needs the place.
func (i *Intake) waiting(ctx context.Context, last time.Time) (context.Context, context.CancelFunc) {
	waiting, cancel := context.WithCancel(ctx)
	i.window.interruptible(cancel)
	if i.options.IdleTimeout == 0 {
		return waiting, cancel
	}
	timed, end := context.WithDeadline(waiting, last.Add(i.options.IdleTimeout))
	return timed, func() { end(); cancel() }
}

// examine examines a message, on any core.
func (i *Intake) examine(ctx context.Context, it *item) {
	defer close(it.examined)
	if !it.isHandoff() {
		return
	}
	raw := jsonstream.NewRaw(it.message.Body)
	if it.found, it.err = i.receiver.Examine(ctx, raw, nil); it.err != nil {
		return
	}
	it.found.Transport, it.found.ReplyTo = i.options.Transport, it.message.ReplyTo
	it.found.DispatchedAt, it.found.Attempt = it.message.DispatchedAt, it.message.Attempt
	if it.found.Result.Valid {
		var shown []byte
		shown, it.unshown = i.options.Show(raw.Bytes)
		it.parts = [][]byte{shown}
	}
}

func (it *item) isHandoff() bool {
	return it.message.Kind == transport.Handoff || it.message.Kind == ""
}

// linger is the maximum time that a message waits for others that are being examined.
const linger = 5 * time.Millisecond

// collect waits for a message and returns it with other available ones that are recorded together; a message
// of another kind is returned alone. It returns nil at the end.
func (i *Intake) collect(queue <-chan *item) []*item {
	first := i.held
	i.held = nil
	if first == nil {
		if first = <-queue; first == nil {
			return nil
		}
	}
	<-first.examined
	group, size := []*item{first}, len(first.message.Body)
	if !first.isHandoff() {
		return group
	}
	enough := time.NewTimer(linger)
	defer enough.Stop()
	for len(group) < GroupMessages && size < GroupBytes {
		select {
		case next := <-queue:
			if next == nil {
				return group
			}
			i.held = next
			select {
			case <-next.examined:
			case <-enough.C:
				return group
			}
			if !next.isHandoff() {
				return group
			}
			i.held = nil
			group, size = append(group, next), size+len(next.message.Body)
		default:
			return group
		}
	}
	return group
}
