package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// A world is what one schedule happens in. All randomness is that of its seed, and one goroutine,
// the one of [world.run], decides what happens next: while it does, every other one waits, for its
// decision, for a message or for a time.
type world struct {
	seed  uint64
	rng   *rand.Rand
	plan  plan
	disk  *disk // of the senders' store
	logs  []*memory
	begun time.Time

	mu         sync.Mutex
	steps      []*step
	waits      []*wait
	processes  []*process
	trace      []string
	violations []string
	calm       bool // nothing fails any more
	kills      int  // of processes, before that
	fates      [dead + 1]int

	places   []*place
	hosts    []*host
	stations []*station
	*ledger
}

// A fate is what becomes of a step.
type fate int

const (
	happens   fate = iota
	fails          // it does not happen, and who takes it gets an error
	unheard        // it happens, and who takes it gets an error
	twice          // it happens twice
	dies           // the process ends before it happens
	diesAfter      // the process ends when it has happened
	dead           // the process had ended before
)

var fateNames = [...]string{"", " fails", " happens, and nobody hears of it", " happens twice", " does not happen: the process dies", " happens, and the process dies", ""}

// A step is something that a process does to the world, and waits for.
type step struct {
	process *process
	name    string
	can     []fate
	rates   *rates
	fate    chan fate
}

// rates are the probabilities of fates.
type rates [dead + 1]float64

// errBroken is the error of a step that fails or is unheard, errDead that of a process that has ended.
var (
	errBroken = errors.New("the simulation has broken this")
	errDead   = errors.New("this process has ended")
)

// step waits until the world has decided what becomes of a step. The error is that of ctx.
func (p *process) step(ctx context.Context, name string, can ...fate) (fate, error) {
	return p.stepBy(ctx, &p.world.plan.rates, name, can...)
}

func (p *process) stepBy(ctx context.Context, by *rates, name string, can ...fate) (fate, error) {
	w := p.world
	s := &step{process: p, name: name, can: can, rates: by, fate: make(chan fate, 1)}
	w.mu.Lock()
	if p.ended {
		w.mu.Unlock()
		return dead, errDead
	}
	w.steps = append(w.steps, s)
	w.mu.Unlock()
	select {
	case f := <-s.fate:
		return f, nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.steps, s); i >= 0 {
		w.steps = slices.Delete(w.steps, i, i+1)
		return fails, ctx.Err()
	}
	return <-s.fate, nil
}

// do takes a step, with an effect.
func (p *process) do(ctx context.Context, name string, effect func(), can ...fate) error {
	f, err := p.step(ctx, name, can...)
	if err != nil {
		return err
	}
	switch f {
	case happens:
		effect()
		return nil
	case twice:
		effect()
		effect()
		return nil
	case unheard:
		effect()
		return errBroken
	case fails:
		return errBroken
	case diesAfter:
		effect()
		p.kill("it dies")
	case dies:
		p.kill("it dies")
	}
	return errDead
}

// A process is one life of a sender or a receiver. What it has in memory ends with it.
type process struct {
	world  *world
	name   string
	ctx    context.Context
	cancel context.CancelFunc
	ask    func()        // asks it to end; nil if nobody can
	skew   time.Duration // of its clock
	down   bool          // it reaches no log

	ended  bool
	atEnd  []func() // called when it has ended, by whoever ends it, with mu held
	buried bool
	bury   func() // called later, by the goroutine of the world
}

func (w *world) newProcess(name string, skew time.Duration) *process {
	p := &process{world: w, name: name, skew: skew}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes = append(w.processes, p)
	p.atEnd = append(p.atEnd, func() { w.processEnded(p) })
	return p
}

// now is what the clock of a process shows.
func (p *process) now() time.Time { return time.Now().Add(p.skew) }

// kill ends a process: from now on nothing of what it does happens.
func (p *process) kill(how string) {
	w := p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if how != "has ended" && !w.calm {
		w.kills++
	}
	w.note("%s: %s", p.name, how)
	for _, s := range w.steps {
		if s.process == p {
			s.fate <- dead
		}
	}
	w.steps = slices.DeleteFunc(w.steps, func(s *step) bool { return s.process == p })
	for _, x := range w.waits {
		if x.consumer.process == p {
			x.got <- nil
		}
	}
	w.waits = slices.DeleteFunc(w.waits, func(x *wait) bool { return x.consumer.process == p })
	for _, f := range p.atEnd {
		f()
	}
	p.cancel()
}

// note adds a line to the trace. The caller holds mu.
func (w *world) note(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf("%9.3f ", time.Since(w.begun).Seconds())+fmt.Sprintf(format, args...))
}

func (w *world) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(format, args...)
}

// violated notes that something happened which never may. The caller holds mu.
func (w *world) violated(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.violations = append(w.violations, text)
	w.note("VIOLATION: %s", text)
}

// report is what to print of a schedule that has failed.
func (w *world) report() string {
	return fmt.Sprintf("seed %d: %s\n%s\nrepeat it: go test ./relay/internal/simulation -run TestSchedules -args -seed %d", w.seed, strings.Join(w.violations, "\n"), strings.Join(w.trace, "\n"), w.seed)
}

// chance reports true with a probability.
func (w *world) chance(p float64) bool { return w.rng.Float64() < p }

func pick[T any](w *world, list []T) T { return list[w.rng.IntN(len(list))] }

// settle waits until all others wait, and buries who has ended. Then no time is the same as one
// before: in SQLite, two processes that begin to write at the same time wait for a real clock.
func (w *world) settle() {
	for {
		synctest.Wait()
		time.Sleep(time.Microsecond)
		synctest.Wait()
		again := false
		for _, p := range w.processes {
			if p.ended && !p.buried {
				p.buried = true
				if p.bury != nil {
					p.bury()
					again = true
				}
			}
		}
		if !again {
			return
		}
	}
}

// ready returns the steps that wait, and the places of consumers that wait and for which there is
// a message, in an order that is always the same.
func (w *world) ready() (steps []*step, waits []*wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.steps, func(a, b *step) int {
		return cmp.Or(strings.Compare(a.process.name, b.process.name), strings.Compare(a.name, b.name))
	})
	for _, x := range w.waits {
		if len(x.consumer.box.due()) > 0 {
			waits = append(waits, x)
		}
	}
	slices.SortStableFunc(waits, func(a, b *wait) int {
		return cmp.Or(strings.Compare(a.consumer.process.name, b.consumer.process.name), strings.Compare(a.consumer.box.name, b.consumer.box.name))
	})
	return slices.Clone(w.steps), waits
}

// letGo decides about a step.
func (w *world) letGo(s *step) {
	f := happens
	if !w.calm {
		for _, c := range s.can {
			if w.chance(s.rates[c]) {
				f = c
				break
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.steps, s)
	if i < 0 {
		return
	}
	w.steps = slices.Delete(w.steps, i, i+1)
	w.fates[f]++
	w.note("%s: %s%s", s.process.name, s.name, fateNames[f])
	s.fate <- f
}

// deliver gives a message to a consumer that waits.
func (w *world) deliver(x *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.waits, x)
	due := x.consumer.box.due()
	if i < 0 || len(due) == 0 {
		return
	}
	l := due[0]
	if !w.calm && w.plan.reorders {
		l = pick(w, due)
	}
	w.waits = slices.Delete(w.waits, i, i+1)
	x.consumer.take(l)
	w.note("%s: takes %s", x.consumer.process.name, l)
	x.got <- l
}

// one lets one thing happen of those that wait. It reports false if nothing waits.
func (w *world) one() bool {
	w.settle()
	steps, waits := w.ready()
	n := len(steps) + len(waits)
	if n == 0 {
		return false
	}
	if i := w.rng.IntN(n); i < len(steps) {
		w.letGo(steps[i])
	} else {
		w.deliver(waits[i-len(steps)])
	}
	return true
}

// pass lets time go by.
func (w *world) pass(d time.Duration) {
	w.say("%v go by", d)
	time.Sleep(d)
}
