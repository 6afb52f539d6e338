package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// Options say of what metrics are. All may be left out.
type Options struct {
	Transport string // what messages come by, as records have it
	Version   string // of the program
	// InFlight returns how many messages were taken and are not acknowledged. It must not wait.
	InFlight func() int
	// DeadLetters returns how many messages wait for a person. It is asked when somebody asks
	// for the metrics, and not more often than every [DeadLettersEvery].
	DeadLetters func(context.Context) (int, error)
}

const (
	// DeadLettersEvery is how often dead letters are counted at most.
	DeadLettersEvery = 10 * time.Second
	// MaxPairs is how many pairs of agents have labels of their own. All others are "other".
	MaxPairs = 100
)

// other is the label for all that have none of their own.
const other = "other"

// A Receiver has the metrics of a receiver that runs. Its methods may be called from several
// goroutines, and wait for nothing. It has what an observer of package intake needs.
type Receiver struct {
	options Options
	started time.Time

	mu         sync.Mutex
	received   map[string]uint64 // by kind
	pairs      map[pair]*handoffs
	resumed    uint64
	runs       map[string]uint64 // by outcome
	durations  *histogram
	commits    *histogram
	failed     uint64 // commits
	up         bool
	troubles   uint64
	recoveries uint64

	letters counted
}

// A pair is who hands to whom.
type pair struct{ sender, receiver string }

// handoffs are what was decided about those of a pair.
type handoffs struct {
	accepted, duplicate uint64
	rejected            map[string]uint64 // by reason
	latency             *histogram
}

// NewReceiver returns metrics of a receiver that starts now.
func NewReceiver(o Options) *Receiver {
	o.Transport, o.Version = Label(o.Transport), Label(o.Version)
	return &Receiver{
		options: o, started: time.Now(), up: true,
		received: map[string]uint64{}, pairs: map[pair]*handoffs{}, runs: map[string]uint64{},
		durations: newHistogram(runBounds[:]), commits: newHistogram(latencyBounds[:]),
	}
}

// Taken counts a message that has come.
func (r *Receiver) Taken(m transport.Message) {
	kind := other
	switch m.Kind {
	case transport.Handoff, "":
		kind = string(transport.Handoff)
	case transport.Revocation, transport.Chunk, transport.Answer:
		kind = string(m.Kind)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received[kind]++
	r.up = true
}

// Answered counts what was decided about a message. latency is how long it took from its dispatch
// to its acceptance, 0 if nobody knows. Answers that follow when an agent has ended are not
// counted.
func (r *Receiver) Answered(a receiver.Answer, latency time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case a.Resumed && a.Status == receiver.Accepted:
		r.resumed++
	case a.Status == receiver.Accepted:
		h := r.of(a, true)
		h.accepted++
		if latency > 0 {
			h.latency.add(latency)
		}
	case a.Status == receiver.Duplicate:
		r.of(a, false).duplicate++
	case a.Status == receiver.Rejected && (a.Record.Event == audit.Rejected || a.Record.Event == ""):
		h := r.of(a, false)
		reason := Label(string(a.Reason))
		if _, known := h.rejected[reason]; !known && len(h.rejected) == maxReasons {
			reason = other
		}
		h.rejected[reason]++
	}
}

// Revoked counts nothing: a message that was taken back is no other one than it was, also if that
// came too late.
func (r *Receiver) Revoked(receiver.Answer) {}

// maxReasons is more than there are.
const maxReasons = 16

// of returns what is counted of a message's pair. It gets labels of its own only if it may.
func (r *Receiver) of(a receiver.Answer, mayBeNew bool) *handoffs {
	p := pair{Label(a.Record.Sender), Label(a.Record.Receiver)}
	h := r.pairs[p]
	if h == nil && (!mayBeNew || len(r.pairs) >= MaxPairs) {
		p = pair{other, other}
		h = r.pairs[p]
	}
	if h == nil {
		h = &handoffs{rejected: map[string]uint64{}, latency: newHistogram(latencyBounds[:])}
		r.pairs[p] = h
	}
	return h
}

// Begun counts nothing: whether an agent works on a message shows when that is whole.
func (r *Receiver) Begun(audit.Stored) {}

// TakenBack counts nothing, as Begun does.
func (r *Receiver) TakenBack(audit.Stored, string) {}

// Ended counts the run of an agent.
func (r *Receiver) Ended(_ receiver.Answer, e receiver.Execution) {
	outcome := "completed"
	switch {
	case e.ExitCode == 0:
	case e.AtOnce:
		outcome = "rolled_back"
	default:
		outcome = "failed"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[outcome]++
	r.durations.add(e.Duration)
}

// Down counts that the transport does not work, and is tried again.
func (r *Receiver) Down(error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.troubles++
	r.up = false
}

// Trouble counts that something else did not work: messages come all the same.
func (r *Receiver) Trouble(error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.troubles++
}

// Recovered counts nothing: the failures of the audit log are counted by its [Receiver.Store].
func (r *Receiver) Recovered() {}

// Up counts that the transport works again.
func (r *Receiver) Up() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recoveries++
	r.up = true
}

// Store returns a store that is s, and whose updates are measured.
func (r *Receiver) Store(s audit.Store) audit.Store { return &measured{s, r} }

type measured struct {
	audit.Store
	metrics *Receiver
}

// Update implements [audit.Store].
func (m *measured) Update(ctx context.Context, f func(audit.Tx) error) error {
	begin := time.Now()
	err := m.Store.Update(ctx, f)
	took := time.Since(begin)
	m.metrics.mu.Lock()
	defer m.metrics.mu.Unlock()
	if err != nil {
		m.metrics.failed++
	} else {
		m.metrics.commits.add(took)
	}
	return err
}

// counted is a number that is asked for now and then.
type counted struct {
	mu    sync.Mutex
	n     int
	err   error
	asked time.Time
}

func (c *counted) ask(ctx context.Context, ask func(context.Context) (int, error)) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() || time.Since(c.asked) >= DeadLettersEvery {
		c.n, c.err = ask(ctx)
		c.asked = time.Now()
	}
	return c.n, c.err
}
