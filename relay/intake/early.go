package intake

import (
	"context"
	"sync"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
)

// An agent is a running agent that gets parts of its input as fast as it reads them. No sender of parts waits
// for it.
type agent struct {
	run   Run
	parts chan []byte   // has capacity for all; closed after the last one
	ended chan struct{} // closed when the result is known
	how   receiver.Execution
}

// start starts an agent that gets a number of parts.
func (i *Intake) start(ctx context.Context, parts int) (*agent, error) {
	run, err := i.options.Runner.Start(ctx)
	if err != nil {
		return nil, err
	}
	a := &agent{run: run, parts: make(chan []byte, parts), ended: make(chan struct{})}
	i.working.Go(func() {
		for part := range a.parts {
			if err := run.Give(part); err != nil {
				i.options.Observer.Trouble(err)
				run.Kill()
			}
		}
		if err := run.End(); err != nil {
			i.options.Observer.Trouble(err)
		}
	})
	i.working.Go(func() {
		a.how = run.Wait()
		close(a.ended)
	})
	return a, nil
}

func (a *agent) give(parts ...[]byte) {
	for _, part := range parts {
		a.parts <- part
	}
}

// wait waits for the agent's end and returns its result.
func (a *agent) wait() receiver.Execution {
	<-a.ended
	return a.how
}

// hasEnded reports whether the agent has ended.
func (a *agent) hasEnded() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// kill kills the agent. It gets no more input.
func (a *agent) kill() {
	a.run.Kill()
	<-a.ended
	close(a.parts)
}

// early is the state of a stream whose agent begins early.
type early struct {
	parts  [][]byte     // consecutive chunks so far
	agent  *agent       // nil if none has begun
	place  func()       // releases the place of an agent
	record audit.Stored // record of its beginning
	barred bool         // the log rules out acceptance of the whole message
}

// beginEarly starts an agent for a stream, if there is a place. A stream does not wait for a place: without
// one, its agent begins later, or when the stream is complete.
func (s *streams) beginEarly(taking, running context.Context, st *stream) error {
	if !s.options.Early || !st.began || st.barred || st.agent != nil || !s.window.begin() {
		return nil
	}
	st.place = sync.OnceFunc(s.window.unbegin)
	d, err := s.examineStreamed(st, receiver.Streamed{Raw: st.first, Result: st.result}, st.message.DispatchedAt)
	if err == nil {
		err = s.persist(taking, func() error {
			begun, ok, err := s.receiver.Begin(running, d)
			st.record, st.barred = begun, !ok
			return err
		})
	}
	if err == nil && !st.barred {
		st.agent, err = s.start(running, s.options.MaxChunks)
	}
	if st.agent == nil {
		st.place()
		return err
	}
	s.Intake.options.Observer.Begun(st.record)
	st.agent.give(st.parts...)
	a, place := st.agent, st.place
	s.working.Go(func() {
		<-a.ended
		place()
	})
	return nil
}

// addPart adds a chunk to the input of a stream's agent; the last one only after the message is accepted.
func (s *streams) addPart(st *stream, chunk []byte, last bool) {
	if !s.options.Early {
		return
	}
	chunk = jsonstream.Line(chunk)
	st.parts = append(st.parts, chunk)
	if st.agent != nil && !last {
		st.agent.give(chunk)
	}
}

// partsOf returns the rest of the input for the agent of a complete message.
func (s *streams) partsOf(st *stream, e chunked.Event) ([][]byte, error) {
	if !s.options.Early {
		shown, err := s.Intake.options.Show(e.Message)
		return [][]byte{shown}, err
	}
	s.addPart(st, e.Chunk, true)
	if st.agent == nil {
		return st.parts, nil
	}
	return st.parts[len(st.parts)-1:], nil
}

// adopt returns the agent that began early with a message that is now accepted, nil if there is none. One
// that has already failed has rejected the message.
func (s *streams) adopt(st *stream) *agent {
	a := st.agent
	st.agent = nil
	if a != nil {
		st.place()
		if a.hasEnded() {
			a.how.AtOnce = a.how.ExitCode != 0
		}
	}
	return a
}

// takeBack ends the agent that began early with a stream.
func (s *streams) takeBack(st *stream, why string) {
	a := st.agent
	st.agent = nil
	if a == nil {
		return
	}
	if !a.hasEnded() {
		s.Intake.options.Observer.TakenBack(st.record, why)
	}
	a.kill()
	st.place()
}

func (s *streams) takeBackAll() {
	for _, st := range s.open {
		s.takeBack(st, "the receiver is stopping, and gives the stream back")
	}
}

// thin ends the agents that began last, while complete messages need their places.
func (s *streams) thin() {
	for s.window.crowded() {
		var last *stream
		for _, st := range s.open {
			if st.agent != nil && !st.agent.hasEnded() && (last == nil || st.record.Sequence > last.record.Sequence) {
				last = st
			}
		}
		if last == nil {
			return
		}
		s.takeBack(last, "a complete message needs its place: another agent begins with the stream when a place is free")
	}
}

// makeRoom ends agents that began early, if complete messages need their places.
func (i *Intake) makeRoom(taking context.Context) {
	if i.window.crowded() {
		i.streams.do(taking, i.streams.thin)
	}
}

// revoke ends the agent that began early with a revoked stream, and prevents another one. The log shows
// whether the revocation is the sender's: the first chunk may have come since.
func (s *streams) revoke(taking, running context.Context, id string) (err error) {
	s.do(taking, func() {
		st := s.open[id]
		if st == nil || st.agent == nil {
			return // if it begins later, the log is checked then
		}
		var revoked bool
		err = s.persist(taking, func() (err error) {
			revoked, err = s.receiver.IsRevoked(running, st.record)
			return err
		})
		if revoked {
			st.barred = true
			s.takeBack(st, "its sender revoked the handoff")
		}
	})
	return err
}

// do runs a function in the goroutine of the streams, and returns when it has run, or the run ends.
func (s *streams) do(taking context.Context, what func()) {
	done := make(chan struct{})
	select {
	case s.others <- func() { what(); close(done) }:
		<-done
	case <-s.done:
	case <-taking.Done():
	}
}
