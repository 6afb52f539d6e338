package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// Options are the options of [NewReceiver]. All are optional.
type Options struct {
	Transport string // the transport's name in records
	Version   string // of the program
	// InFlight returns the number of messages that were taken and not yet acknowledged. It must not block.
	InFlight func() int
	// DeadLetters returns the number of dead letters. It is called when metrics are requested, at most once
	// every [DeadLettersEvery].
	DeadLetters func(context.Context) (int, error)
}

const (
	// DeadLettersEvery is the minimum interval between two counts of dead letters.
	DeadLettersEvery = 10 * time.Second
	// MaxPairs is the maximum number of pairs of agents with their own labels. All others are counted as
	// "other".
	MaxPairs = 100
)

// other is the label for all pairs without their own.
const other = "other"

// A Receiver collects the metrics of a running receiver. Its methods are safe for concurrent use, and do not
// block. It implements the observer of package intake.
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
	failed     uint64 // failed commits
	up         bool
	troubles   uint64
	recoveries uint64

	letters cachedCount
}

// A pair is a sender and a receiver.
type pair struct{ sender, receiver string }

// handoffs are the counts of decisions about a pair's handoffs.
type handoffs struct {
	accepted, duplicate uint64
	rejected            map[string]uint64 // by reason
	latency             *histogram
}

// NewReceiver returns the metrics of a receiver that starts now.
func NewReceiver(o Options) *Receiver {
	o.Transport, o.Version = Label(o.Transport), Label(o.Version)
	return &Receiver{
		options: o, started: time.Now(), up: true,
		received: map[string]uint64{}, pairs: map[pair]*handoffs{}, runs: map[string]uint64{},
		durations: newHistogram(runBounds[:]), commits: newHistogram(latencyBounds[:]),
	}
}

// Taken counts a message that was taken from the transport.
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

// Answered counts a decision about a message. latency is the time from dispatch to acceptance, 0 if unknown.
// Later answers about the end of an agent are not counted.
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

// Revoked counts nothing: a revoked message was already counted.
func (r *Receiver) Revoked(receiver.Answer) {}

// maxReasons is larger than the number of reasons.
const maxReasons = 16

// of returns the counts for a message's pair. mayBeNew allows the pair to get its own labels.
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

// Begun counts nothing: a message is counted when it is complete.
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

// Down counts a failure of the transport, which is retried.
func (r *Receiver) Down(error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.troubles++
	r.up = false
}

// Trouble counts another failure, during which messages still arrive.
func (r *Receiver) Trouble(error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.troubles++
}

// Recovered counts nothing: failures of the audit log are counted by [Receiver.Store].
func (r *Receiver) Recovered() {}

// Up counts a recovery of the transport.
func (r *Receiver) Up() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recoveries++
	r.up = true
}

// Store returns a wrapper of s that measures updates.
func (r *Receiver) Store(s audit.Store) audit.Store { return &measuredStore{s, r} }

type measuredStore struct {
	audit.Store
	metrics *Receiver
}

// Update implements [audit.Store].
func (m *measuredStore) Update(ctx context.Context, f func(audit.Tx) error) error {
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

// cachedCount is a number that is refreshed at most at an interval.
type cachedCount struct {
	mu    sync.Mutex
	n     int
	err   error
	asked time.Time
}

func (c *cachedCount) ask(ctx context.Context, ask func(context.Context) (int, error)) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() || time.Since(c.asked) >= DeadLettersEvery {
		c.n, c.err = ask(ctx)
		c.asked = time.Now()
	}
	return c.n, c.err
}
