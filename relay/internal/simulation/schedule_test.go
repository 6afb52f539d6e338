package simulation

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/schemas"
)

// plan has the possible failures of a schedule, with their frequencies. Each schedule has only a few kinds,
// because many at once would hide each other.
type plan struct {
	rates, agents rates
	reorders      bool
	delays        float64 // probability of a delayed message
	longest       time.Duration
	commits       float64 // probability that a sender's process dies at a commit

	steps                                   int
	acts, time, crashes, outages, fulls, up float64 // for each step
	skewed                                  bool    // the clocks differ
	force                                   float64
}

func newPlan(r *rand.Rand) (p plan) {
	some := func(chance, most float64) float64 {
		if r.Float64() >= chance {
			return 0
		}
		return most * r.Float64()
	}
	p.rates = rates{fails: some(0.4, 0.2), unheard: some(0.4, 0.25), twice: some(0.5, 0.4), dies: some(0.35, 0.04), diesAfter: some(0.35, 0.04)}
	p.agents = rates{fails: some(0.5, 0.8), unheard: some(0.3, 0.4), dies: some(0.3, 0.4)}
	p.reorders = r.Float64() < 0.6
	p.delays, p.longest = some(0.5, 0.6), time.Duration(1+r.Int64N(int64(2*time.Minute)))
	p.commits = some(0.3, 0.8)
	p.steps = 30 + r.IntN(90)
	p.acts, p.time = 0.06+0.1*r.Float64(), 0.02+0.15*r.Float64()
	p.crashes, p.outages, p.fulls, p.up = some(0.4, 0.04), some(0.25, 0.05), some(0.25, 0.05), 0.3
	p.skewed = r.Float64() < 0.3
	p.force = some(0.4, 0.7)
	return p
}

// skewOf returns a random error of the clock of a process.
func (p *plan) skewOf(w *world) time.Duration {
	if !p.skewed {
		return 0
	}
	return time.Duration(w.rng.Int64N(int64(4*time.Second))) - 2*time.Second
}

// The receivers of the messages.
const (
	first  = "risk-scoring-agent"
	second = "report-agent"
)

var example = sync.OnceValue(func() []byte {
	text, err := schemas.Example("message")
	if err != nil {
		panic(err) // it is embedded
	}
	return text
})

// text returns a version of a message.
func text(handoff, task, version string, fanOut, valid bool) []byte {
	replace := func(text []byte, old, new string) []byte {
		if !bytes.Contains(text, []byte(old)) {
			panic("the example has no " + old)
		}
		return bytes.Replace(text, []byte(old), []byte(new), 1)
	}
	m := replace(example(), "6e7f936b-cafd-4624-8754-0bafc4e8acb3", handoff)
	m = replace(m, "cc35de8b-6ece-4435-abfd-a60e12baff98", task)
	m = replace(m, "Score the", "Score "+version+" the")
	if fanOut {
		m = replace(m, `"timestamp"`, `"receiverList": [{"agentType":"`+first+`"}, "`+second+`"], "timestamp"`)
	}
	if !valid {
		m = replace(m, "2026-06-12T09:30:00.000Z", "yesterday")
	}
	return m
}

func newWorld(seed uint64, d *disk) *world {
	w := &world{seed: seed, rng: rand.New(rand.NewPCG(seed, 0x68616e646f6666)), disk: d, begun: time.Now(), ledger: newLedger()}
	w.plan = newPlan(w.rng)
	direct := w.chance(0.25)
	sender := newMemory()
	log := sender
	if w.chance(0.6) {
		log = newMemory()
		w.logs = append(w.logs, log)
	} else {
		sender.shared = true
	}
	w.logs = append(w.logs, sender)
	fanOut := w.chance(0.25)
	places := []string{first}
	if fanOut {
		places = append(places, second)
	}
	shaky := w.chance(0.4)
	for i, as := range places {
		pl := w.newPlace(fmt.Sprintf("memory:%c", 'a'+i), direct)
		w.places = append(w.places, pl)
		o := receiver.Options{As: as, Place: pl.address, Rerun: w.chance(0.25), AtMostOnce: w.chance(0.1)}
		stream, many := w.chance(0.3), 1+w.rng.IntN(2)
		for n := range 1 + w.rng.IntN(2) {
			w.stations = append(w.stations, &station{world: w, name: fmt.Sprintf("receiver-%c%d", 'a'+i, n+1), place: pl, log: log, options: o, stream: stream, many: many, shaky: shaky})
		}
	}
	for n := range 1 + w.rng.IntN(5)/4 {
		w.hosts = append(w.hosts, &host{world: w, name: fmt.Sprintf("sender-%d", n+1), log: sender})
	}
	for n := range 1 + w.rng.IntN(3) {
		w.orders = append(w.orders, w.newOrder(n+1, fanOut))
	}
	return w
}

func (w *world) newOrder(n int, fanOut bool) *order {
	o := &order{id: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), task: fmt.Sprintf("00000000-0000-4000-9000-%012d", 1+w.rng.IntN(n)), checkpoint: fmt.Appendf(nil, "checkpoint %d", n)}
	valid := w.chance(0.8)
	for v := range 3 {
		m := text(o.id, o.task, fmt.Sprint(v), fanOut, valid)
		valid = valid || w.chance(0.7)
		parsed, err := message.Parse(m, message.Options{})
		if err != nil {
			panic(err)
		}
		digest, err := parsed.Digest()
		if err != nil {
			panic(err)
		}
		o.versions, o.digests = append(o.versions, m), append(o.digests, audit.Hash(digest))
	}
	for i, pl := range w.places {
		o.to = append(o.to, deliver.Address{Receiver: []string{first, second}[i], Destination: pl.address})
	}
	return o
}

func (w *world) place(address string) *place {
	return w.places[slices.IndexFunc(w.places, func(p *place) bool { return p.address == address })]
}

// logAt returns the log of the receivers of a place.
func (w *world) logAt(pl *place) *memory {
	return w.stations[slices.IndexFunc(w.stations, func(s *station) bool { return s.place == pl })].log
}

var passing = []time.Duration{time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond, time.Second, 3 * time.Second, 16 * time.Second, 40 * time.Second}

// run runs the schedule. An error is a failure of the simulation itself.
func (w *world) run() error {
	if err := w.disk.wipe(); err != nil {
		return err
	}
	defer w.end()
	if err := w.restart(1); err != nil {
		return err
	}
	p := &w.plan
	for n := 0; n < p.steps && len(w.violations) == 0; n++ {
		w.settle()
		r := w.rng.Float64()
		under := func(chance float64) bool { r -= chance; return r < 0 }
		switch {
		case under(p.acts):
			w.act()
		case under(p.time):
			w.pass(pick(w, passing))
		case under(p.crashes):
			w.crash()
		case under(p.outages):
			w.toggle()
		case under(p.fulls):
			h := pick(w, w.hosts)
			w.mu.Lock()
			h.full = !h.full
			w.note("%s: its disk is full: %t", h.name, h.full)
			w.mu.Unlock()
		default:
			if w.chance(p.up) {
				if err := w.restart(0.5); err != nil {
					return err
				}
			}
			if !w.one() {
				w.pass(pick(w, passing))
			}
		}
	}
	if len(w.violations) > 0 {
		return nil
	}
	if err := w.heal(); err != nil {
		return err
	}
	return w.audit()
}

// act performs an action of the sender's user.
func (w *world) act() {
	h := pick(w, w.hosts)
	if h.life == nil || h.life.isEnded() || len(h.life.busy) > 1 {
		return
	}
	o := pick(w, w.orders)
	switch n := w.rng.IntN(10); {
	case n < 4:
		if o.version < len(o.versions)-1 && w.chance(0.25) {
			o.version++
		}
		list := []*order{o}
		if other := pick(w, w.orders); other != o && w.chance(0.3) {
			list = append(list, other)
		}
		h.send(list...)
	case n < 7:
		h.flush()
	case n < 8:
		h.status(o)
	default:
		receiver := ""
		if len(o.to) > 1 && w.chance(0.3) {
			receiver = pick(w, o.to).Receiver
		}
		force := w.chance(w.plan.force)
		if force {
			w.forced(o, receiver)
		}
		h.rollBack(o, receiver, force, pick(w, passing))
	}
}

// forced notes the beginning of a forced rollback.
func (w *world) forced(o *order, receiver string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o.revoked = true
	for _, to := range o.to {
		if receiver == "" || receiver == to.Receiver {
			w.copy(audit.Copy{HandoffID: o.id, Receiver: to.Receiver}).force = true
		}
	}
}

// crash kills a process, or requests a receiver to stop.
func (w *world) crash() {
	var running []*process
	for _, p := range w.processes {
		if !p.ended {
			running = append(running, p)
		}
	}
	if len(running) == 0 {
		return
	}
	if p := pick(w, running); w.chance(0.25) && p.ask != nil {
		w.say("%s: is asked to end", p.name)
		p.ask()
	} else {
		p.kill("is killed")
	}
}

// toggle makes the log of a process unavailable, or available again.
func (w *world) toggle() {
	if p := pick(w, w.processes); !p.ended {
		p.down = !p.down
		w.say("%s: its log is away: %t", p.name, p.down)
	}
}

// restart starts processes that are down, with a probability.
func (w *world) restart(chance float64) error {
	for _, h := range w.hosts {
		if (h.life == nil || h.life.buried) && w.chance(chance) {
			if err := h.start(); err != nil {
				return err
			}
		}
	}
	for _, s := range w.stations {
		if (s.process == nil || s.process.isEnded()) && w.chance(chance) {
			if err := s.start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// heal ends all failures, and continues until there are no more events.
func (w *world) heal() error {
	w.settle()
	w.mu.Lock()
	w.calm = true
	w.note("nothing fails any more")
	for _, h := range w.hosts {
		h.full = false
	}
	for _, p := range w.processes {
		p.down = false
	}
	w.mu.Unlock()
	for round := range 12 {
		w.settle()
		if err := w.restart(1); err != nil {
			return err
		}
		w.drain()
		for _, h := range w.hosts {
			h.flush()
			w.drain()
		}
		if quiet, err := w.quiet(); quiet && round > 1 || err != nil {
			return err
		}
		if round > 0 {
			w.pass(20 * time.Minute)
		}
		w.linger()
	}
	return nil
}

// linger lets 40 seconds pass, in which every retry is permitted before the process gives up: a process waits
// half a minute between two tries, and ten seconds for the end of one.
func (w *world) linger() {
	for range 8 {
		w.pass(5 * time.Second)
		w.drain()
	}
}

// drain runs all waiting steps until there are none and all commands have ended.
func (w *world) drain() {
	for n := 0; n < 5000; n++ {
		if w.one() {
			continue
		}
		if !slices.ContainsFunc(w.hosts, func(h *host) bool { return len(h.life.busy) > 0 }) {
			return
		}
		w.pass(200 * time.Millisecond)
	}
	w.violated("it does not come to an end")
}

// quiet reports whether no further events are due.
func (w *world) quiet() (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pl := range w.places {
		if len(pl.messages.letters) > 0 {
			return false, nil
		}
		for _, b := range pl.answers {
			if len(b.letters) > 0 {
				return false, nil
			}
		}
	}
	open, err := w.disk.open()
	return open == 0, err
}

// end ends all processes, and waits until none runs.
func (w *world) end() {
	w.settle()
	for _, p := range w.processes {
		p.kill("the end")
	}
	w.settle()
	time.Sleep(5 * time.Minute)
	w.settle()
}
