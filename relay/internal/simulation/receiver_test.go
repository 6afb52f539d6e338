package simulation

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/intake"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// station is a machine that runs a receiver, one process at a time.
type station struct {
	world   *world
	name    string
	place   *place
	log     *memory
	options receiver.Options
	stream  bool // all messages go to one agent
	many    int  // number of agents at the same time
	shaky   bool // its log is on another machine

	lives    int
	process  *process // nil or ended if it is down
	receiver *receiver.Receiver
}

var validator = sync.OnceValue(func() *validate.Validator { return validate.New(validate.Options{}) })

// start starts a process. The world calls it.
func (s *station) start() error {
	w := s.world
	s.lives++
	p := w.newProcess(fmt.Sprintf("%s.%d", s.name, s.lives), w.plan.skewOf(w))
	log := audit.NewLog(&processLog{handle: handle{memory: s.log}, process: p, uncertain: s.shaky}, p.now)
	r, err := receiver.New(p.ctx, validator(), log, s.options)
	if err != nil {
		return err
	}
	o := intake.Options{
		Open:      func(ctx context.Context) (transport.Consumer, error) { return p.consume(ctx, s.place) },
		Transport: "memory",
	}
	if s.stream {
		o.Stream = &agents{s, p}
	} else {
		o.Runner, o.Concurrency = &agents{s, p}, s.many
	}
	i, err := intake.New(r, o)
	if err != nil {
		return err
	}
	ctx, ask := context.WithCancel(p.ctx)
	s.process, s.receiver, p.ask = p, r, ask
	w.say("%s: starts", p.name)
	go func() {
		err := i.Run(ctx)
		_, _ = p.step(p.ctx, fmt.Sprintf("ends: %v", err))
		p.kill("has ended")
	}()
	return nil
}

// lookUp returns the answer of a receiver to a later question.
func (s *station) lookUp(ctx context.Context, key string) (*transport.Message, error) {
	a, found, err := s.receiver.Lookup(ctx, key)
	if err != nil || !found {
		return nil, err
	}
	m, err := intake.NewAnswer(s.receiver, a)
	s.world.answered(s.process, s.place, m)
	return &m, err
}

// agents are the agents of a station's process.
type agents struct {
	station *station
	process *process
}

// HandOver implements [intake.Stream].
func (a *agents) HandOver(messages [][]byte) error {
	return a.process.do(a.process.ctx, fmt.Sprintf("gives %d messages to its stream, the first is %s", len(messages), idOf(messages[0])), func() {
		for _, m := range messages {
			a.process.world.given(a, nil, m)
		}
	}, fails, unheard, dies, diesAfter)
}

// Start implements [intake.Runner].
func (a *agents) Start(context.Context) (intake.Run, error) {
	if a.process.isEnded() {
		return nil, errDead
	}
	return &run{agents: a, got: make(chan struct{}), ended: make(chan struct{})}, nil
}

// run is an agent with one message.
type run struct {
	*agents
	id    string
	copy  *copyState
	first sync.Once     // closes the channel got
	once  sync.Once     // closes the channel ended
	got   chan struct{} // closed when it has its message
	ended chan struct{} // closed when it is killed
}

func (r *run) Give(part []byte) error {
	r.id = idOf(part)
	return r.process.do(r.process.ctx, "gives "+r.id+" to an agent", func() { r.process.world.given(r.agents, r, part); r.first.Do(func() { close(r.got) }) }, dies, diesAfter)
}

func (*run) End() error { return nil }

func (r *run) Kill() { r.once.Do(func() { close(r.ended) }) }

// Wait implements [intake.Run]: the world decides how an agent ends.
func (r *run) Wait() receiver.Execution {
	ctx, cancel := context.WithCancel(r.process.ctx)
	defer cancel()
	go func() {
		select {
		case <-r.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	select {
	case <-r.got:
	case <-ctx.Done():
	}
	f, err := r.process.stepBy(ctx, &r.process.world.plan.agents, "the agent of "+r.id+" ends", fails, unheard, dies)
	e := receiver.Execution{Duration: time.Second}
	switch {
	case err != nil || f == dead:
		e.ExitCode, e.AtOnce = 137, true
		return e
	case f == dies:
		r.process.kill("it dies")
	case f == fails:
		e.ExitCode, e.AtOnce, e.Problem = 1, true, "it failed at once"
	case f == unheard:
		e.ExitCode, e.Problem = 1, "it failed late"
	}
	if f != dies {
		r.process.world.agentEnded(r, e)
	}
	return e
}

// idOf returns the handoffId of a message.
func idOf(text []byte) string {
	_, rest, _ := strings.Cut(string(text), `"handoffId": "`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}
