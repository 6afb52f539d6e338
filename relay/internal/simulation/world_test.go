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

// world is the environment of one schedule. All randomness comes from its seed. One goroutine, that of
// [world.run], decides the next event; meanwhile all others wait, for its decision, for a message or for a
// time.
type world struct {
	seed  uint64
	rng   *rand.Rand
	plan  plan
	disk  *disk // for the senders' store
	logs  []*memory
	begun time.Time

	mu         sync.Mutex
	steps      []*step
	waits      []*wait
	processes  []*process
	trace      []string
	violations []string
	calm       bool // no more failures
	kills      int  // number of killed processes before that
	fates      [dead + 1]int

	places   []*place
	hosts    []*host
	stations []*station
	*ledger
}

// fate is the outcome of a step.
type fate int

const (
	happens   fate = iota
	fails          // it does not happen, and its process gets an error
	unheard        // it happens, but its process gets an error
	twice          // it happens twice
	dies           // the process ends before it happens
	diesAfter      // the process ends when it has happened
	dead           // the process had already ended
)

var fateNames = [...]string{"", " fails", " happens, and nobody hears of it", " happens twice", " does not happen: the process dies", " happens, and the process dies", ""}

// step is an action of a process on the world, for which it waits.
type step struct {
	process *process
	name    string
	can     []fate
	rates   *rates
	fate    chan fate
}

// rates are the probabilities of fates.
type rates [dead + 1]float64

// errBroken is the error of a step that fails, or whose success is not reported; errDead that of a process that
// has ended.
var (
	errBroken = errors.New("the simulation has broken this")
	errDead   = errors.New("this process has ended")
)

// step waits until the world has decided the fate of a step. The error is that of ctx.
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

// do performs a step with an effect.
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

// process is one life of a sender or a receiver. Its memory ends with it.
type process struct {
	world  *world
	name   string
	ctx    context.Context
	cancel context.CancelFunc
	ask    func()        // requests its end; nil if that is impossible
	skew   time.Duration // error of its clock
	down   bool          // it reaches no log

	ended  bool
	atEnd  []func() // called by the goroutine that ends it, with mu held
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

// now returns the time of a process's clock.
func (p *process) now() time.Time { return time.Now().Add(p.skew) }

// kill ends a process: its later actions have no effect.
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

// violated notes a violated guarantee. The caller holds mu.
func (w *world) violated(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.violations = append(w.violations, text)
	w.note("VIOLATION: %s", text)
}

// report returns the output for a failed schedule.
func (w *world) report() string {
	return fmt.Sprintf("seed %d: %s\n%s\nrepeat it: go test ./relay/internal/simulation -run TestSchedules -args -seed %d", w.seed, strings.Join(w.violations, "\n"), strings.Join(w.trace, "\n"), w.seed)
}

// chance reports true with a probability.
func (w *world) chance(p float64) bool { return w.rng.Float64() < p }

func pick[T any](w *world, list []T) T { return list[w.rng.IntN(len(list))] }

// settle waits until all other goroutines wait, and removes ended processes. Afterwards no time is equal to an
// earlier one: in SQLite, two processes that begin to write at the same time wait for a real clock.
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

// ready returns the waiting steps, and the places of waiting consumers with a message, always in the same
// order.
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

// letGo decides the fate of a step.
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

// deliver gives a message to a waiting consumer.
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

// one runs one of the waiting steps. It reports false if there is none.
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

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	w.say("%v go by", d)
	time.Sleep(d)
}
