package intake

import (
	"context"

	"github.com/eaapl/handoff/relay/transport"
)

// Source is the source of an intake's messages.
type Source struct{ *source }

// NewSource returns a source.
func NewSource(open func(context.Context) (transport.Consumer, error), o Observer) *Source {
	return &Source{newSource(open, o)}
}

// Next waits for a message.
func (s *Source) Next(ctx context.Context) (transport.Delivery, error) { return s.next(ctx) }
