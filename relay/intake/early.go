package intake

import (
	"bytes"
	"context"
	"sync"

	"github.com/eaapl/handoff/pkg/chunked"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
)

// An agent runs, and gets parts of its input as fast as it reads them: nobody waits for that.
type agent struct {
	run   Run
	parts chan []byte   // has room for all; who gives the last one closes it
	ended chan struct{} // closed when how is known
	how   receiver.Execution
}

// start starts an agent that gets so many parts.
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

// wait returns how the agent has ended.
func (a *agent) wait() receiver.Execution {
	<-a.ended
	return a.how
}

// hasEnded reports whether the agent has.
func (a *agent) hasEnded() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// kill ends the agent, which gets nothing more: its input ends when it is no more.
func (a *agent) kill() {
	a.run.Kill()
	<-a.ended
	close(a.parts)
}

// early is what a stream has whose agent begins with the first chunk.
type early struct {
	parts  [][]byte     // the chunks that have come in their turn
	agent  *agent       // nil if none has begun
	place  func()       // lets another agent begin
	record audit.Stored // by which it has
	barred bool         // the log says that the whole cannot be accepted
}

// beginEarly lets an agent begin with a stream, if one may. A stream waits for nobody: it begins later,
// or when it is whole.
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

// addPart adds a chunk to what the agent of a stream gets: the last one not before its message is
// accepted.
func (s *streams) addPart(st *stream, chunk []byte, last bool) {
	if !s.options.Early {
		return
	}
	if bytes.ContainsAny(chunk, "\r\n") {
		chunk = oneLine(chunk)
	}
	st.parts = append(st.parts, chunk)
	if st.agent != nil && !last {
		st.agent.give(chunk)
	}
}

// partsOf returns what the agent of a whole message is still to get.
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

// adopt returns the agent that has begun with a message that is accepted now, nil if there is
// none. One that has failed before has rejected the message.
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

// takeBack ends the agent that has begun with a stream.
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
		s.takeBack(st, "the receiver ends, and gives the stream back")
	}
}

// thin ends the agents that have begun last, as long as whole messages need them.
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
		s.takeBack(last, "a whole message needs its place: another one begins with the stream when there is room")
	}
}

// makeRoom lets agents that have begun early end if they are too many beside those that whole
// messages need.
func (i *Intake) makeRoom(taking context.Context) {
	if i.window.crowded() {
		i.streams.do(taking, i.streams.thin)
	}
}

// revoke ends the agent that has begun with a stream whose sender takes it back, and lets none
// begin. Whether it is the sender who does, the log says: the first chunk may have come since.
func (s *streams) revoke(taking, running context.Context, id string) (err error) {
	s.do(taking, func() {
		st := s.open[id]
		if st == nil || st.agent == nil {
			return // if it begins, the log is asked then
		}
		var revoked bool
		err = s.persist(taking, func() (err error) {
			revoked, err = s.receiver.IsRevoked(running, st.record)
			return err
		})
		if revoked {
			st.barred = true
			s.takeBack(st, "its sender has taken the handoff back")
		}
	})
	return err
}

// do returns when the goroutine of the streams has done something, or the run ends.
func (s *streams) do(taking context.Context, what func()) {
	done := make(chan struct{})
	select {
	case s.others <- func() { what(); close(done) }:
		<-done
	case <-s.done:
	case <-taking.Done():
	}
}
