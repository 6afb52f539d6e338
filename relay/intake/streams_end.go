package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/receiver"
)

// reject ends a stream that does not form a valid message.
func (s *streams) reject(taking, running context.Context, st *stream, r validate.Result, abandoned bool) error {
	s.end(st)
	s.takeBack(st, "its stream is rejected")
	stands, err := s.stands(taking, running, st)
	if err != nil {
		return err
	}
	if stands { // a duplicate, a part of which was acknowledged before
		s.settleAll(running, st)
		return nil
	}
	_, a, err := s.record(taking, st, receiver.Streamed{Raw: st.first, Result: r, Abandoned: abandoned}, st.message.DispatchedAt, 0)
	if err != nil {
		return err
	}
	if err := s.alert(a.Alerts); err != nil {
		return err
	}
	it := &item{Delivery: st.delivery(), message: st.message}
	s.settling.Go(func() { s.settle(running, it, a) })
	if s.window.count() {
		s.stop()
	}
	return nil
}

// stands reports whether a message with the id of a stream was accepted and not rolled back.
func (s *streams) stands(taking, running context.Context, st *stream) (bool, error) {
	a, found, err := s.lookUp(taking, running, st)
	return found && a.Status != receiver.Rejected, err
}

func (s *streams) lookUp(taking, running context.Context, st *stream) (a receiver.Answer, found bool, err error) {
	err = s.persist(taking, func() (err error) {
		a, found, err = s.receiver.Lookup(running, st.id)
		return err
	})
	return a, found, err
}

// refuse refuses a single chunk. A stream that has not begun ends with an invalid first chunk; a forged chunk
// ends no stream.
func (s *streams) refuse(taking, running context.Context, st *stream, it *item, head chunked.Head, f *chunked.Fault, text []byte) error {
	if st.began || head.Kind != chunked.First {
		if len(st.deliveries) == 0 {
			s.remove(st)
		}
		return s.dispose(taking, running, it, f.Error())
	}
	only := *st
	if f.Reason == chunked.Forged {
		only.deliveries = nil
		if len(st.deliveries) == 0 {
			s.remove(st)
		}
		only.message = it.message
		only.message.Body = nil
	} else {
		s.end(st)
	}
	only.deliveries = append(only.deliveries, it.Delivery)
	_, a, err := s.record(taking, &only, receiver.Streamed{Raw: text, Result: faulty(f)}, it.message.DispatchedAt, 0)
	if err != nil {
		return err
	}
	if err := s.alert(a.Alerts); err != nil {
		return err
	}
	refused := &item{Delivery: only.delivery(), message: only.message}
	s.settling.Go(func() { s.settle(running, refused, a) })
	return nil
}

// sinceFor is the additional time for which returned chunks are remembered, beyond the timeout of a stream.
const sinceFor = 10 * time.Minute

// expire ends the streams that have timed out.
func (s *streams) expire(taking, running context.Context, now time.Time) error {
	for a, at := range s.since {
		if now.Sub(at) >= s.options.Timeout+sinceFor { // another receiver has them
			delete(s.since, a)
		}
	}
	for _, st := range s.open {
		first := st.opened
		if at, before := s.since[attempt{st.id, st.attempt}]; before && !st.began {
			first = at
		}
		var err error
		switch {
		case now.Sub(first) >= s.options.Timeout:
			err = s.reject(taking, running, st, incomplete("chunked/expired", fmt.Sprintf("the stream is still incomplete %s after its first chunk: send the handoff again", s.options.Timeout)), true)
		case !st.began && now.Sub(st.opened) >= s.options.FirstWithin:
			err = s.unbegun(taking, running, st, first)
		case st.began && st.waiting > 0 && now.Sub(st.moved) >= s.options.GapWithin:
			err = s.reject(taking, running, st, incomplete("chunked/lost", fmt.Sprintf("a chunk of the stream is lost: later chunks have waited for it for %s", s.options.GapWithin)), false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unbegun ends a stream without its first chunk: it was acknowledged before, or another receiver has it.
func (s *streams) unbegun(taking, running context.Context, st *stream, first time.Time) error {
	a, found, err := s.lookUp(taking, running, st)
	if err != nil {
		return err
	}
	if found && (a.Status != receiver.Rejected || st.attempt > 0 && a.Attempt >= st.attempt) {
		s.end(st)
		s.settleAll(running, st)
		return nil
	}
	s.remove(st)
	s.since[attempt{st.id, st.attempt}] = first
	s.giveBack(running, st)
	return nil
}
