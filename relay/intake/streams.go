package intake

import (
	"cmp"
	"context"
	"time"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// StreamOptions are the options for messages in chunks (package chunked).
type StreamOptions struct {
	// Validate are the options for checking chunks and messages; the same as for the receiver of the intake.
	Validate validate.Options
	// Limits bound a message, and all streams together: four times its bytes.
	Limits jsonstream.Limits
	// MaxStreams is the maximum number of open streams. MaxChunks is the maximum number of chunks of a
	// stream, and of all open streams together. 0 means the defaults: [DefaultMaxStreams] and
	// [DefaultMaxChunks]. The consumer must deliver that many without acknowledgment
	// (transport.Options.Prefetch).
	MaxStreams, MaxChunks int
	// Timeout is the maximum time from the first chunk of a stream to its last; 0 means
	// [DefaultStreamTimeout].
	Timeout time.Duration
	// Early lets agents begin with the first chunk of a message. They get its chunks as received, one per
	// line, without Options.Show.
	Early bool
	// FirstWithin is the maximum time that chunks wait for the first one of their stream before they are
	// given back, for the receiver that has it; 0 means 2 seconds. GapWithin is the maximum time that chunks
	// wait for a missing one before the stream is lost; 0 means 30 seconds.
	FirstWithin, GapWithin time.Duration
}

// Defaults of [StreamOptions].
const (
	DefaultMaxStreams    = 64
	DefaultMaxChunks     = 10000
	DefaultStreamTimeout = 10 * time.Minute
	defaultFirstWithin   = 2 * time.Second
	defaultGapWithin     = 30 * time.Second
)

// ticking is the minimum interval between checks for expired streams.
const ticking = 100 * time.Millisecond

// maxEnded is the number of ended streams that are remembered; the audit log has the others.
const maxEnded = 4096

// streams are the open streams of one intake. Their chunks are not acknowledged before they end: if this
// process dies, another one gets all of them.
type streams struct {
	*Intake
	options StreamOptions
	in      chan *item
	done    chan struct{} // closed when no more chunks are taken
	others  chan func()   // functions for this goroutine to run

	open   map[string]*stream    // by id
	chunks int                   // number of held chunks
	bytes  int64                 // their size
	ended  map[string]int        // attempts of the streams that have ended here
	forget []string              // keys of ended, oldest first
	since  map[attempt]time.Time // arrival of the first chunk of streams that were given back
}

// An attempt is the key of a stream without its first chunk.
type attempt struct {
	id     string
	number int
}

// A stream is an incomplete message in chunks.
type stream struct {
	id         string
	attempt    int
	assembler  *chunked.Assembler
	deliveries []transport.Delivery // in order of arrival
	message    transport.Message    // the first one that came, without its body
	bytes      int64
	first      []byte // message of the first chunk, or a chunk if that was invalid; nil before it came
	began      bool
	result     validate.Result // of the first message, if valid
	opened     time.Time
	moved      time.Time // time of the last chunk in sequence
	waiting    int       // chunks out of sequence
	early
}

func newStreams(i *Intake, o StreamOptions) *streams {
	defaults := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	defaults(&o.Timeout, DefaultStreamTimeout)
	defaults(&o.FirstWithin, defaultFirstWithin)
	defaults(&o.GapWithin, defaultGapWithin)
	if o.MaxStreams == 0 {
		o.MaxStreams = DefaultMaxStreams
	}
	if o.MaxChunks == 0 {
		o.MaxChunks = DefaultMaxChunks
	}
	if o.Limits.MaxBytes == 0 {
		o.Limits.MaxBytes = transport.DefaultMaxBytes
	}
	return &streams{
		Intake: i, options: o, in: make(chan *item), done: make(chan struct{}), others: make(chan func()),
		open: map[string]*stream{}, ended: map[string]int{}, since: map[attempt]time.Time{},
	}
}

// run takes chunks until there are none.
func (s *streams) run(taking, running context.Context) {
	defer close(s.done)
	defer s.takeBackAll()
	tick := time.NewTicker(min(ticking, s.options.Timeout, s.options.FirstWithin, s.options.GapWithin))
	defer tick.Stop()
	for {
		var err error
		select {
		case it, ok := <-s.in:
			if !ok {
				return
			}
			err = s.take(taking, running, it)
		case <-tick.C:
			err = s.expire(taking, running, time.Now())
			for _, st := range s.open {
				if err == nil {
					err = s.beginEarly(taking, running, st)
				}
			}
		case do := <-s.others:
			do()
		}
		if err != nil && taking.Err() == nil {
			s.fail(err)
		}
		if err != nil { // held chunks are given back
			for range s.in {
			}
			return
		}
	}
}

// close stops taking chunks, and waits until the goroutine that takes them has ended. Held chunks are given
// back when the consumer is closed.
func (s *streams) close() {
	close(s.in)
	<-s.done
}

// take takes a chunk. Its place in the window is released, or passed to its message.
func (s *streams) take(taking, running context.Context, it *item) error {
	passed := false
	defer func() {
		if !passed {
			s.window.unchunk()
			s.window.leave(len(it.message.Body))
		}
	}()
	raw := jsonstream.NewRaw(it.message.Body)
	doc, err := jsonstream.Parse(raw, chunked.ChunkLimits(s.options.Limits))
	if err != nil {
		return s.dispose(taking, running, it, "it is not a chunk: "+err.Error())
	}
	head, ok := chunked.HeadOf(doc.Root())
	if !ok || head.Stream == "" {
		return s.dispose(taking, running, it, "it is not a chunk: it has no stream id")
	}
	now := time.Now()
	if last, over := s.ended[head.Stream]; over && it.message.Attempt <= last && (it.message.Attempt > 0 || head.Kind != chunked.First) {
		s.settleAll(running, &stream{deliveries: []transport.Delivery{it.Delivery}})
		return nil
	}
	st := s.open[head.Stream]
	switch {
	case st != nil && it.message.Attempt < st.attempt: // of an abandoned attempt
		s.settleAll(running, &stream{deliveries: []transport.Delivery{it.Delivery}})
		return nil
	case st != nil && it.message.Attempt > st.attempt && !s.signed():
		s.takeBack(st, "its sender has started the stream again")
		s.remove(st)
		s.settleAll(running, st)
		st = nil
	}
	if st == nil {
		if len(s.open) >= s.options.MaxStreams {
			s.giveBack(running, &stream{deliveries: []transport.Delivery{it.Delivery}})
			return nil
		}
		st = s.begin(head.Stream, it, now)
	}
	events, err := st.assembler.Add(running, raw, now)
	if err != nil {
		return err
	}
	for _, e := range events {
		if f := e.Fault; f != nil && !f.Ended { // other chunks of the stream may be valid
			return s.refuse(taking, running, st, it, head, f, raw.Bytes)
		}
	}
	s.hold(st, it, len(raw.Bytes))
	if head.Sequence >= s.options.MaxChunks {
		st.first = st.orChunk(raw.Bytes)
		return s.reject(taking, running, st, tooLong("at most %d chunks", s.options.MaxChunks), false)
	}
	steps := 0 // for this chunk, and waiting ones that follow it
	for _, e := range events {
		switch e.Kind {
		case chunked.Began:
			st.began, st.first, st.result = true, e.Message, signedBy(e)
			s.addPart(st, e.Chunk, false)
			delete(s.since, attempt{st.id, st.attempt})
			steps++
		case chunked.Grew:
			s.addPart(st, e.Chunk, false)
			steps++
		case chunked.Failed:
			st.first = st.orChunk(raw.Bytes)
			return s.reject(taking, running, st, faulty(e.Fault), false)
		case chunked.Completed:
			passed = true
			return s.complete(taking, running, st, it, e)
		}
	}
	if len(events) == 0 {
		st.waiting++
	} else if steps > 0 {
		st.moved = now
		st.waiting -= steps - 1
	}
	st.first = st.orChunk(raw.Bytes)
	switch {
	case s.chunks > s.options.MaxChunks:
		return s.reject(taking, running, st, tooLong("at most %d unacknowledged chunks", s.options.MaxChunks), false)
	case s.bytes > maxTimes*s.options.Limits.MaxBytes:
		return s.reject(taking, running, st, tooLong("streams of at most %d bytes in total", maxTimes*s.options.Limits.MaxBytes), false)
	}
	return s.beginEarly(taking, running, st)
}

// maxTimes is the maximum size of all streams, in multiples of the maximum size of a message.
const maxTimes = 4

// signed reports whether chunks must be signed. Then an unverified first chunk of a newer attempt does not
// end a stream.
func (s *streams) signed() bool { return s.options.Validate.Verifier != nil }

// begin opens a stream.
func (s *streams) begin(id string, it *item, now time.Time) *stream {
	o := chunked.AssemblerOptions{Validate: s.options.Validate, Limits: s.options.Limits, MaxStreams: 1, MaxHeld: s.options.MaxChunks}
	st := &stream{id: id, attempt: it.message.Attempt, assembler: chunked.NewAssembler(o), message: it.message, opened: now, moved: now}
	st.message.Body = nil
	s.open[id] = st
	return st
}

// orChunk returns the recorded text of an invalid stream: its first message, or before that came, any chunk.
func (st *stream) orChunk(chunk []byte) []byte {
	if st.first == nil {
		return chunk
	}
	return st.first
}

// hold keeps the delivery of a chunk until its stream ends.
func (s *streams) hold(st *stream, it *item, size int) {
	st.deliveries = append(st.deliveries, it.Delivery)
	st.bytes += int64(size)
	s.chunks++
	s.bytes += int64(size)
}

// remove removes a stream from the open ones.
func (s *streams) remove(st *stream) {
	delete(s.open, st.id)
	s.chunks -= len(st.deliveries)
	s.bytes -= st.bytes
}

// end removes a stream that has ended, and remembers it.
func (s *streams) end(st *stream) {
	s.remove(st)
	delete(s.since, attempt{st.id, st.attempt})
	if _, known := s.ended[st.id]; !known {
		s.forget = append(s.forget, st.id)
	}
	s.ended[st.id] = st.attempt
	if len(s.forget) > maxEnded {
		delete(s.ended, s.forget[0])
		s.forget = s.forget[1:]
	}
}

// complete hands over the message of a stream. The message inherits the last chunk's place in the window.
func (s *streams) complete(taking, running context.Context, st *stream, it *item, e chunked.Event) error {
	s.end(st)
	s.window.unchunk()
	whole := &item{Delivery: st.delivery(), message: it.message}
	whole.message.ReplyTo = st.message.ReplyTo
	whole.latency = latency(it.message, time.Now())
	var err error
	if whole.parts, err = s.partsOf(st, e); err != nil {
		return s.discardUnshown(taking, running, whole, e.Message, err)
	}
	d, a, err := s.record(taking, st, receiver.Streamed{Raw: e.Message, Result: signedBy(e)}, whole.message.DispatchedAt, whole.latency)
	if err != nil {
		s.takeBack(st, "its message could not be recorded")
		s.window.leave(len(it.message.Body))
		return err
	}
	whole.found = d
	if a.Status == receiver.Accepted {
		if whole.agent = s.adopt(st); whole.agent == nil {
			s.thin()
		}
	}
	s.takeBack(st, "its message is "+string(a.Status))
	err = s.handOver(running, []*item{whole}, []receiver.Answer{a})
	if err != nil && whole.agent != nil { // it was not handed over
		whole.agent.kill()
	}
	if s.window.count() { // the last message to receive
		s.stop()
	}
	return err
}

// signedBy returns the result of an event's message, with the key that signed its chunks.
func signedBy(e chunked.Event) validate.Result {
	e.Result.SignedBy = cmp.Or(e.Result.SignedBy, e.SignedBy)
	return e.Result
}

// examineStreamed returns the delivery for a stream.
func (s *streams) examineStreamed(st *stream, of receiver.Streamed, dispatched time.Time) (*receiver.Delivery, error) {
	of.HandoffID, of.TaskID = st.id, st.message.Group
	d, err := s.receiver.ExamineStreamed(of)
	if err == nil {
		d.Transport, d.ReplyTo, d.DispatchedAt, d.Attempt = s.Intake.options.Transport, st.message.ReplyTo, dispatched, st.attempt
	}
	return d, err
}

// record records the decision about a stream.
func (s *streams) record(taking context.Context, st *stream, of receiver.Streamed, dispatched time.Time, took time.Duration) (*receiver.Delivery, receiver.Answer, error) {
	d, err := s.examineStreamed(st, of, dispatched)
	if err != nil {
		return nil, receiver.Answer{}, err
	}
	d.LatencyMicros = took.Microseconds()
	var answers []receiver.Answer
	err = s.persist(taking, func() (err error) {
		answers, err = s.handovers.Record([]*receiver.Delivery{d})
		return err
	})
	if err != nil {
		return nil, receiver.Answer{}, err
	}
	return d, answers[0], nil
}
