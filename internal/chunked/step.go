package chunked

import (
	"context"
	"errors"
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// step processes the next expected chunk of a stream.
func (a *Assembler) step(ctx context.Context, s *stream, c *receivedChunk, signer string) ([]Event, error) {
	event := Event{Stream: s.id, Sequence: c.sequence, SignedBy: signer, Chunk: c.root.Raw()}
	var fault *Fault
	var err error
	if c.kind == First {
		event.Kind = Began
		fault, err = a.first(ctx, s, c, &event)
	} else if fault = s.continues(c, signer); fault == nil && c.kind == Append {
		event.Kind = Grew
		fault, err = a.grow(ctx, s, c)
	} else if fault == nil {
		event.Kind = Completed
		fault, err = a.whole(ctx, s, c, &event)
	}
	if err != nil {
		if c.kind == First {
			a.remove(s, false)
		}
		return nil, err
	}
	if fault == nil {
		s.digests = append(s.digests, c.digest)
		s.last = a.current
		fault = a.overBounds(s, c)
	}
	if fault != nil {
		return a.end(s, fault), nil
	}
	if c.kind == Last {
		a.remove(s, true)
	}
	return []Event{event}, nil
}

// first processes the first chunk of a stream.
func (a *Assembler) first(ctx context.Context, s *stream, c *receivedChunk, event *Event) (*Fault, error) {
	m := c.root.Get("message")
	if id := m.Get("handoffId").Text(); id != s.id {
		return c.fault(Foreign, "a message with the handoffId of its stream", finding.Quote(id)), nil
	}
	s.sender = a.checks.senderOf(c, event.SignedBy)
	if fault := s.sender.checkMessage(c, m); fault != nil {
		return fault, nil
	}
	// The chunk's text is not retained: it may be longer than the message.
	text := jsonstream.AppendCompact(make([]byte, 0, len(m.Raw())), m.Raw())
	parsed, err := message.ParseInPlace(jsonstream.Raw{Bytes: m.Raw(), Start: m.Position()}, message.Options{Limits: a.o.Limits})
	if err != nil {
		return c.fault(TooLarge, "a message within the limits", err.Error()), nil
	}
	if event.Result, err = a.checks.begin(ctx, parsed); err != nil {
		return nil, err
	}
	if !event.Result.Valid {
		return c.invalid("a valid message to begin with", event.Result), nil
	}
	event.Message = text
	s.message = newGrowth(m, a.o.Limits)
	return nil, nil
}

// continues checks that a chunk continues its stream.
func (s *stream) continues(c *receivedChunk, signer string) *Fault {
	if before := s.digests[c.sequence-1]; c.root.Get("previous").Text() != before {
		return c.fault(Foreign, fmt.Sprintf("a chunk after chunk %d with the digest %s", c.sequence-1, before), fmt.Sprintf("%s: it belongs to another stream, or one of the two chunks was changed", c.root.Get("previous").Text()))
	}
	return s.sender.check(c, signer)
}

// grow processes a chunk of additions.
func (a *Assembler) grow(ctx context.Context, s *stream, c *receivedChunk) (*Fault, error) {
	r, err := a.checks.additions(ctx, c.root.Get("parts"))
	switch damage := (*jsonstream.SyntaxError)(nil); {
	case errors.As(err, &damage):
		f := c.fault(Invalid, "parts that append different things", damage.Problem)
		f.Err = err
		return f, nil
	case err != nil:
		return nil, err
	case !r.Valid:
		return c.invalid("parts that are valid", r), nil
	}
	for _, part := range c.root.Get("parts").Elements() {
		if err := s.message.append(part.Get("at").Text(), part.Get("add")); err != nil {
			f := c.fault(Invalid, "parts that can be appended to the message", fmt.Sprintf("%s: %s", finding.Pointer(part.Get("at").Text()), err))
			f.Position, f.Err = part.Position(), err
			return f, nil
		}
		if f := a.overBounds(s, c); f != nil {
			return f, nil
		}
	}
	return nil, nil
}

// whole processes the last chunk.
func (a *Assembler) whole(ctx context.Context, s *stream, c *receivedChunk, event *Event) (*Fault, error) {
	if n := integer(c.root.Get("chunks")); n != c.sequence+1 {
		return c.fault(Lost, fmt.Sprintf("%d chunks, as the last chunk says", n), fmt.Sprintf("%d", c.sequence+1)), nil
	}
	if n := integer(c.root.Get("bytes")); n != s.message.size {
		return c.fault(Changed, fmt.Sprintf("a message of %d bytes, as the last chunk says", n), fmt.Sprintf("one of %d bytes", s.message.size)), nil
	}
	text := s.message.bytes()
	m, err := message.ParseInPlace(jsonstream.NewRaw(text), message.Options{Limits: a.o.Limits})
	if err != nil {
		f := c.fault(Invalid, "chunks that make a message", err.Error())
		f.Err = err
		return f, nil
	}
	named := c.root.Get("digest")
	switch digest, err := m.Digest(); {
	case err != nil && named.Kind() != jsonstream.Null:
		return c.fault(Changed, fmt.Sprintf("a message with the digest %s", named.Text()), "one that has none: "+err.Error()), nil
	case err == nil && named.Text() != digest.String():
		return c.fault(Changed, fmt.Sprintf("a message with the digest %s", named.Text()), "one with "+digest.String()), nil
	}
	if event.Result, err = a.checks.end(ctx, m, s.sender.asked); err != nil {
		return nil, err
	}
	if !event.Result.Valid {
		return c.invalid("a valid message", event.Result), nil
	}
	event.Message = text
	return nil, nil
}
