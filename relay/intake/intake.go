package intake

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// Options are the source of messages and their agents. Open, and either Stream or Runner, are required.
type Options struct {
	// Open opens the place of the messages. It is called again, with a back-off, when the returned consumer
	// ends. Its messages are neither compressed nor claims.
	Open func(context.Context) (transport.Consumer, error)
	// Transport is the name of the messages' transport in records.
	Transport string
	// Stream gets all accepted messages.
	Stream Stream
	// Runner runs an agent for each accepted message, at most Concurrency at once; 0 means 1. A message is
	// only taken from the transport when there is a place for its agent.
	Runner      Runner
	Concurrency int
	// Streams are the options for messages in chunks; nil to receive none.
	Streams *StreamOptions
	// Show returns the form of a message that its agent gets; nil means the message as received.
	Show func(raw []byte) ([]byte, error)
	// Alert is called with records that people must be alerted to; may be nil.
	Alert func([]audit.Stored) error
	// Observer observes the run; may be nil.
	Observer Observer

	// MaxMessages is the number of messages after which the run ends; 0 means no limit.
	MaxMessages int
	// IdleTimeout is the time without messages after which the run ends; 0 means no limit.
	IdleTimeout time.Duration
	// Patience is the time for which the audit log may fail before the run ends; 0 means [DefaultPatience].
	Patience time.Duration
	// Messages left by dead receivers are taken over at the start, and then at intervals of ResumeEvery; 0
	// means [DefaultResumeEvery].
	ResumeEvery time.Duration
}

// Defaults of [Options].
const (
	DefaultPatience    = 10 * time.Second
	DefaultResumeEvery = 15 * time.Second
)

// Maximum number and size of messages that are recorded together. Fewer are recorded if no more are
// available.
const (
	GroupMessages = 512
	GroupBytes    = 4 << 20
)

// maxHeld is the size of messages in memory, in bytes, at which no more are taken. One message may exceed it.
const maxHeld = 4 * GroupBytes

// An Intake receives messages. It is used for one [Intake.Run].
type Intake struct {
	options   Options
	receiver  *receiver.Receiver
	handovers *Handovers
	source    *source
	window    *window
	streams   *streams // nil if chunks are not received
	held      *item    // first message of the next group

	settling sync.WaitGroup // answers and acknowledgments
	working  sync.WaitGroup // running agents
	handing  chan struct{}  // full while the stream gets messages

	mu     sync.Mutex
	failed error // first error that ends the run
	stop   context.CancelFunc
}

// New returns an intake that uses r to decide about messages.
func New(r *receiver.Receiver, o Options) (*Intake, error) {
	switch {
	case o.Open == nil || r == nil:
		return nil, errors.New("an intake needs a receiver, and a place to receive messages from")
	case (o.Stream == nil) == (o.Runner == nil):
		return nil, errors.New("an intake needs either a stream or a runner")
	case o.Streams != nil && o.Streams.Early && o.Runner == nil:
		return nil, errors.New("an intake needs a runner for agents that begin with the first chunk")
	}
	if o.Observer == nil {
		o.Observer = Observers(nil)
	}
	if o.Show == nil {
		o.Show = func(raw []byte) ([]byte, error) { return raw, nil }
	}
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	if o.ResumeEvery == 0 {
		o.ResumeEvery = DefaultResumeEvery
	}
	places := GroupMessages
	if o.Runner != nil {
		places = max(o.Concurrency, 1)
	}
	i := &Intake{
		options: o, receiver: r, window: newWindow(places, o.MaxMessages),
		source: newSource(o.Open, o.Observer), handing: make(chan struct{}, 1),
	}
	if o.Streams != nil {
		i.streams = newStreams(i, *o.Streams)
	}
	return i, nil
}

// Run receives messages until ctx is done, or a limit in [Options] is reached. Then it takes no more,
// finishes the accepted messages, which may wait for their agents, gives back the others, and returns nil.
// Otherwise it returns an error: the place cannot be opened, the audit log fails for longer than
// Options.Patience, or the agent takes no messages. Messages that were accepted but not handed over are then
// left for the next receiver.
func (i *Intake) Run(ctx context.Context) (err error) {
	running := context.WithoutCancel(ctx) // work in progress is finished
	taking, stop := context.WithCancel(ctx)
	defer stop()
	i.stop = stop
	if _, err := i.source.connected(taking); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	i.handovers = NewHandovers(running, i.receiver)
	temporary, err := i.resume(taking, running)
	if changed := (*audit.ChangedError)(nil); errors.As(temporary, &changed) {
		i.options.Observer.Trouble(temporary) // other messages are not affected
		temporary = nil
	}
	i.fail(errors.Join(temporary, err))

	queue := make(chan *item, i.window.places) // never full: each item has a place in the window
	examining := make(chan *item, i.window.places)
	var pipeline sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		pipeline.Go(func() {
			for it := range examining {
				i.examine(running, it)
			}
		})
	}
	pipeline.Go(func() { i.resumeLater(taking, running) })
	pipeline.Go(func() {
		defer close(queue)
		defer close(examining)
		i.fail(i.take(taking, queue, examining))
	})
	if i.streams != nil {
		go i.streams.run(taking, running)
	}
	for group := i.collect(queue); len(group) > 0 && taking.Err() == nil; group = i.collect(queue) {
		if err := i.process(taking, running, group); err != nil {
			i.fail(err)
			break
		}
	}
	stop()
	if i.streams != nil {
		i.streams.close()
	}
	pipeline.Wait()
	i.settling.Wait()
	err = i.source.close() // gives back unprocessed messages
	i.working.Wait()       // their answers open it again
	return errors.Join(i.failed, i.handovers.Close(), err, i.source.close())
}

// InFlight returns the number of messages that were taken and are not acknowledged yet, or whose agents run.
func (i *Intake) InFlight() int { return i.window.taken() }

// fail ends the run with an error, unless it is nil or the run has already failed.
func (i *Intake) fail(err error) {
	if err == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.failed == nil {
		i.failed = err
	}
	i.stop()
}
