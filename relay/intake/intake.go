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

// Options say where messages come from, and who gets them: Open, and one of Stream and Runner,
// are needed.
type Options struct {
	// Open opens the place that messages come from. It is called again, with a back-off, when the
	// consumer that it has returned comes to its end. Its messages are neither compressed nor
	// claims.
	Open func(context.Context) (transport.Consumer, error)
	// Transport is what the records say that messages came by.
	Transport string
	// Stream gets all accepted messages.
	Stream Stream
	// Runner works on each accepted message by itself, on Concurrency of them at once; 0 means
	// 1. A message is not taken from the transport before there is somebody to work on it.
	Runner      Runner
	Concurrency int
	// Streams says how messages are received that come in chunks; nil if they are not.
	Streams *StreamOptions
	// Show returns what the agent gets of a message; nil means the message as it came.
	Show func(raw []byte) ([]byte, error)
	// Alert is told of records that people have to hear of; nil for nobody.
	Alert func([]audit.Stored) error
	// Observer is told what happens; nil for nobody.
	Observer Observer

	// MaxMessages is after how many messages the run ends; 0 means never.
	MaxMessages int
	// IdleTimeout ends the run when no message has come for so long; 0 means never.
	IdleTimeout time.Duration
	// Patience is how long the audit log may fail before the run ends; 0 means
	// [DefaultPatience].
	Patience time.Duration
	// ResumeEvery is how often what dead receivers have left is looked for, beside the beginning;
	// 0 means [DefaultResumeEvery].
	ResumeEvery time.Duration
}

// What the zero values of [Options] mean.
const (
	DefaultPatience    = 10 * time.Second
	DefaultResumeEvery = 15 * time.Second
)

// What is recorded together: so many messages, or bytes of them, and never more than are there.
const (
	GroupMessages = 512
	GroupBytes    = 4 << 20
)

// maxHeld is how many bytes of messages there may be, beyond one message, before more are taken.
const maxHeld = 4 * GroupBytes

// An Intake receives messages, once: it is used for one [Intake.Run].
type Intake struct {
	options   Options
	receiver  *receiver.Receiver
	handovers *Handovers
	source    *source
	window    *window
	streams   *streams // nil if none are received
	held      *item    // the first one of the next group

	settling sync.WaitGroup // what is answered and acknowledged
	working  sync.WaitGroup // the runs
	handing  chan struct{}  // full while the stream gets something

	mu     sync.Mutex
	failed error // the first error that ends the run
	stop   context.CancelFunc
}

// New returns an intake whose messages r decides about.
func New(r *receiver.Receiver, o Options) (*Intake, error) {
	switch {
	case o.Open == nil || r == nil:
		return nil, errors.New("an intake needs a receiver, and a place that messages come from")
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

// Run receives messages until ctx is done, or one of the bounds in [Options] is reached: then it
// takes no more, finishes those that were accepted, which may wait for their agents, gives back the
// others, and returns nil. Another end is an error: the place cannot be opened, the audit log takes no
// records for longer than Options.Patience, or the agent takes no messages. What was accepted
// and not handed over then is left for the next one that receives.
func (i *Intake) Run(ctx context.Context) (err error) {
	running := context.WithoutCancel(ctx) // what was begun is finished
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
		i.options.Observer.Trouble(temporary) // it keeps back no other message
		temporary = nil
	}
	i.fail(errors.Join(temporary, err))

	queue := make(chan *item, i.window.places) // never full: each has a place
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
	err = i.source.close() // gives back what nobody has begun with
	i.working.Wait()       // whose answers open it again
	return errors.Join(i.failed, i.handovers.Close(), err, i.source.close())
}

// InFlight returns how many messages were taken, and are not acknowledged or have agents that run.
func (i *Intake) InFlight() int { return i.window.taken() }

// fail ends the run with an error, unless it is nil or another one has.
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
