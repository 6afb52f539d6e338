package chunked

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/schemas"
)

// AssemblerOptions configure an [Assembler]. The zero value suits streams that share an input and
// whose chunks arrive in order.
type AssemblerOptions struct {
	// Validate configures the checks: see [Assembler]. With a Verifier, chunks must be signed.
	// Formats and Schema are ignored.
	Validate validate.Options
	// Limits bound the assembled message and, by [ChunkLimits], each chunk.
	Limits jsonstream.Limits
	// MaxStreams is the maximum number of open streams; 0 means 64.
	MaxStreams int
	// MaxStreamBytes is the approximate maximum memory of a stream, in bytes: the message so far
	// and the chunks held back. 0 means twice the limit of a message.
	MaxStreamBytes int64
	// MaxBytes is the maximum memory of all streams together; 0 means four times the limit of a
	// message.
	MaxBytes int64
	// MaxHeld is the maximum number of chunks of a stream held back until an earlier one arrives; 0
	// means none.
	MaxHeld int
	// MaxPause is the maximum time between chunks of a stream, and MaxAge the maximum time from its
	// first chunk to its last; 0 means no limit. [Assembler.Expire] enforces them.
	MaxPause, MaxAge time.Duration
}

const (
	defaultMaxStreams = 64
	// maxEnded is the number of ended streams that are remembered.
	maxEnded = 1024
)

// An Assembler assembles messages from chunks, of several streams at once. It is not safe for
// concurrent use.
//
// Every chunk is checked when it arrives: its schema; its place in the stream; the digest of the
// preceding chunk; and, if there are keys, its signature, whose key must be trusted for the sender
// and the same in the whole stream.
//
// The message of the first chunk is checked by all layers except lint and signature; the chunk's
// signature takes the place of the latter. Findings of completeness that later chunks may resolve
// are notes. Additions to a member of the message are checked by the schema, for safety and for
// personal data; additions deeper in a member are parts of a value and checked with the whole
// message.
//
// The whole message is checked by all layers at the end. It needs no signature if its chunks were
// verified, and its age is not checked: the age of the first chunk was.
//
// A chunk repeated byte for byte is dropped.
type Assembler struct {
	o       AssemblerOptions
	schema  *validate.Schema
	checks  checks
	open    map[string]*stream
	order   []*stream // the open streams, in the order in which they began
	total   int64     // their total size
	ended   map[string]*endedStream
	forget  []string // keys of ended, oldest first
	current time.Time
}

// NewAssembler returns an Assembler.
func NewAssembler(o AssemblerOptions) *Assembler {
	o.Limits = withDefaults(o.Limits)
	o.MaxStreams = cmp.Or(o.MaxStreams, defaultMaxStreams)
	o.MaxStreamBytes = cmp.Or(o.MaxStreamBytes, 2*o.Limits.MaxBytes)
	o.MaxBytes = cmp.Or(o.MaxBytes, 4*o.Limits.MaxBytes)
	schema, err := validate.EmbeddedSchema(schemas.Chunk)
	if err != nil {
		panic(err) // the schema is embedded in this module
	}
	return &Assembler{o: o, schema: schema, checks: newChecks(o.Validate), open: map[string]*stream{}, ended: map[string]*endedStream{}}
}

// An EventKind is the kind of an [Event].
type EventKind string

// The kinds of events.
const (
	Began     EventKind = "began"     // the first message is present and valid
	Grew      EventKind = "grew"      // a chunk was appended
	Completed EventKind = "completed" // the whole message is present and valid
	Dropped   EventKind = "dropped"   // a repeated chunk was dropped
	Failed    EventKind = "failed"    // see Event.Fault
)

// An Event is the outcome of adding a chunk.
type Event struct {
	Kind     EventKind
	Stream   string
	Sequence int             // the chunk's
	Message  []byte          // the first message or the whole one, on one line; the caller owns it
	Chunk    []byte          // with Began, Grew and Completed: the chunk as received
	Result   validate.Result // of checking the message
	SignedBy string          // the ID of the key that signed the chunks, "" if none or unverified
	Fault    *Fault          // with Failed
}

// A stream is an open stream.
type stream struct {
	id       string
	message  *growth // nil before the first chunk
	digests  []string
	held     map[int]jsonstream.Raw
	heldSize int
	counted  int64 // its size as counted in Assembler.total
	sender   sender
	began    time.Time
	last     time.Time // when its latest chunk was taken
}

// endedStream is the state kept of a stream that has ended.
type endedStream struct {
	completed bool
	chunks    int    // number of chunks taken
	first     string // digest of the first chunk
	skippedTo int    // the sequence number that arrived instead of chunks, 0 if none
}

// size returns the approximate memory of the stream, in bytes.
func (s *stream) size() int64 {
	const digest = 96 // bytes, with the map entry
	n := s.heldSize + digest*len(s.digests)
	if s.message != nil {
		n += s.message.memory()
	}
	return int64(n)
}

// Open returns the number of open streams.
func (a *Assembler) Open() int { return len(a.open) }

// Add processes a chunk that arrives at now and returns its events: usually one, more if held
// chunks followed it. It does not retain raw.Bytes. An error is that of ctx or of a scanner; after
// the events returned with it, the chunk can be added again.
func (a *Assembler) Add(ctx context.Context, raw jsonstream.Raw, now time.Time) ([]Event, error) {
	a.current = now
	c, fault := readChunk(raw, ChunkLimits(a.o.Limits))
	if fault != nil {
		return []Event{failed(fault)}, nil
	}
	s := a.open[c.stream]
	signer, fault := a.checks.verify(c, now)
	if fault == nil && s != nil && s.message != nil {
		fault = s.sender.check(c, signer) // a forged chunk must not end another sender's stream
	}
	if fault != nil {
		return []Event{failed(fault)}, nil
	}
	switch fault = c.check(a.schema); {
	case fault != nil && s != nil:
		return a.end(s, fault), nil
	case fault != nil:
		if c.kind == First && c.stream != "" && a.ended[c.stream] == nil {
			a.remember(c.stream, &endedStream{}) // later chunks of the stream are not reported
		}
		return []Event{failed(fault)}, nil
	}
	if s == nil {
		var event *Event
		if s, event = a.begin(c); s == nil {
			if event == nil {
				return nil, nil
			}
			return []Event{*event}, nil
		}
	}
	return a.take(ctx, s, c, signer)
}

// begin opens the stream of a chunk. If it cannot, it returns the event for the chunk, nil if the
// fault was reported before.
func (a *Assembler) begin(c *receivedChunk) (*stream, *Event) {
	before := a.ended[c.stream]
	if before != nil {
		switch {
		case before.completed && (c.sequence >= before.chunks || c.sequence == 0 && c.digest != before.first):
			event := failed(c.fault(Foreign, fmt.Sprintf("nothing more of a stream that has ended with chunk %d", before.chunks-1), "another chunk"))
			return nil, &event
		case before.completed:
			return nil, &Event{Kind: Dropped, Stream: c.stream, Sequence: c.sequence}
		case c.sequence >= before.chunks && c.sequence < before.skippedTo && c.sequence > 0:
			event := failed(c.fault(Reordered, fmt.Sprintf("it before chunk %d", before.skippedTo), "it after that"))
			before.skippedTo = 0
			return nil, &event
		case c.kind != First:
			return nil, nil
		}
	}
	if c.kind != First && c.sequence > a.o.MaxHeld {
		return nil, a.notBegun(c, c.fault(Foreign, "chunk 0 of a stream that has not begun", fmt.Sprintf("chunk %d: the chunks before it are lost or late", c.sequence)), c.sequence)
	}
	if len(a.open) >= a.o.MaxStreams {
		return nil, a.notBegun(c, c.fault(TooLarge, fmt.Sprintf("at most %d streams at a time", a.o.MaxStreams), "one more"), 0)
	}
	if before != nil {
		delete(a.ended, c.stream)
		a.forget = slices.DeleteFunc(a.forget, func(id string) bool { return id == c.stream })
	}
	s := &stream{id: c.stream, held: map[int]jsonstream.Raw{}, began: a.current, last: a.current}
	a.open[s.id] = s
	a.order = append(a.order, s)
	return s, nil
}

// notBegun remembers a stream that is not opened, so that it is reported only once.
func (a *Assembler) notBegun(c *receivedChunk, f *Fault, skippedTo int) *Event {
	f.Ended = true
	a.remember(c.stream, &endedStream{skippedTo: skippedTo})
	event := failed(f)
	return &event
}

// take processes a chunk of an open stream, and the held chunks that follow it.
func (a *Assembler) take(ctx context.Context, s *stream, c *receivedChunk, signer string) ([]Event, error) {
	next := len(s.digests)
	var events []Event
	var err error
	switch {
	case c.sequence < next && c.digest == s.digests[c.sequence]:
		events = []Event{{Kind: Dropped, Stream: s.id, Sequence: c.sequence}}
	case c.sequence < next:
		return a.end(s, c.fault(Repeated, fmt.Sprintf("chunk %d, or the same chunk again", next), "one with other content")), nil
	case c.sequence > next:
		return a.hold(s, c), nil
	default:
		events, err = a.step(ctx, s, c, signer)
	}
	for err == nil && a.open[s.id] == s {
		raw, waits := s.held[len(s.digests)]
		if !waits {
			break
		}
		var more []Event
		more, err = a.takeHeld(ctx, s, raw)
		events = append(events, more...)
	}
	return events, err
}

// takeHeld processes a chunk that was held.
func (a *Assembler) takeHeld(ctx context.Context, s *stream, raw jsonstream.Raw) ([]Event, error) {
	c, fault := readChunk(raw, ChunkLimits(a.o.Limits))
	var signer string
	if fault == nil {
		signer, fault = a.checks.verify(c, a.current) // the key may have expired meanwhile
	}
	if fault != nil {
		return a.end(s, fault), nil
	}
	events, err := a.step(ctx, s, c, signer)
	if err == nil {
		delete(s.held, c.sequence)
		s.heldSize -= len(raw.Bytes)
	}
	return events, err
}

// hold keeps a chunk that arrived before its turn.
func (a *Assembler) hold(s *stream, c *receivedChunk) []Event {
	next := len(s.digests)
	if before, there := s.held[c.sequence]; there {
		if chainDigest(before.Bytes) != c.digest {
			return a.end(s, c.fault(Repeated, "the same chunk again", "one with other content"))
		}
		return []Event{{Kind: Dropped, Stream: s.id, Sequence: c.sequence}}
	}
	if c.sequence > next+a.o.MaxHeld {
		f := c.fault(Lost, fmt.Sprintf("chunk %d", next), fmt.Sprintf("chunk %d: the chunks between are lost or late", c.sequence))
		if next == c.sequence-1 {
			f.Found = fmt.Sprintf("chunk %d: the chunk before it is lost or late", c.sequence)
		}
		events := a.end(s, f)
		a.ended[s.id].skippedTo = c.sequence
		return events
	}
	s.held[c.sequence] = jsonstream.Raw{Bytes: slices.Clone(c.root.Raw()), Start: c.root.Position()}
	s.heldSize += len(c.root.Raw())
	s.last = a.current
	if f := a.overBounds(s, c); f != nil {
		return a.end(s, f)
	}
	return nil
}

// overBounds returns the fault of a stream that exceeds the memory limits, or nil.
func (a *Assembler) overBounds(s *stream, c *receivedChunk) *Fault {
	n := s.size()
	a.total += n - s.counted
	s.counted = n
	if n > a.o.MaxStreamBytes {
		return c.fault(TooLarge, fmt.Sprintf("a stream that takes at most %d bytes", a.o.MaxStreamBytes), fmt.Sprintf("about %d", n))
	}
	if a.total > a.o.MaxBytes {
		return c.fault(TooLarge, fmt.Sprintf("streams that take at most %d bytes together", a.o.MaxBytes), fmt.Sprintf("about %d", a.total))
	}
	return nil
}

// Expire ends the streams that are past MaxPause or MaxAge, in the order in which they began. The
// caller rolls back any work begun with them.
func (a *Assembler) Expire(now time.Time) []Event {
	a.current = now
	var events []Event
	for _, s := range slices.Clone(a.order) {
		f := &Fault{Reason: Expired, Stream: s.id, Sequence: -1, Expected: fmt.Sprintf("chunk %d", len(s.digests))}
		switch {
		case a.o.MaxAge > 0 && now.Sub(s.began) >= a.o.MaxAge:
			f.Found = fmt.Sprintf("no end %s after its first chunk", now.Sub(s.began).Round(time.Millisecond))
		case a.o.MaxPause > 0 && now.Sub(s.last) >= a.o.MaxPause:
			f.Found = fmt.Sprintf("nothing for %s", now.Sub(s.last).Round(time.Millisecond))
		default:
			continue
		}
		events = append(events, a.end(s, f)...)
	}
	return events
}

// Close ends all open streams at the end of their input, in the order in which they began.
func (a *Assembler) Close() []Event {
	var events []Event
	for _, s := range slices.Clone(a.order) {
		events = append(events, a.end(s, &Fault{Reason: CutOff, Stream: s.id, Sequence: -1, Expected: fmt.Sprintf("chunk %d", len(s.digests)), Found: "the end of the input"})...)
	}
	return events
}

func failed(f *Fault) Event {
	return Event{Kind: Failed, Stream: f.Stream, Sequence: f.Sequence, Fault: f, Result: f.Result}
}

// end ends a stream with a fault.
func (a *Assembler) end(s *stream, f *Fault) []Event {
	f.Ended = true
	a.remove(s, false)
	return []Event{failed(f)}
}

// remove forgets a stream except for its end.
func (a *Assembler) remove(s *stream, completed bool) {
	delete(a.open, s.id)
	a.order = slices.DeleteFunc(a.order, func(other *stream) bool { return other == s })
	a.total -= s.counted
	e := &endedStream{completed: completed, chunks: len(s.digests)}
	if len(s.digests) > 0 {
		e.first = s.digests[0]
	}
	a.remember(s.id, e)
}

func (a *Assembler) remember(id string, e *endedStream) {
	if a.ended[id] == nil {
		a.forget = append(a.forget, id)
	}
	a.ended[id] = e
	for len(a.forget) > maxEnded {
		delete(a.ended, a.forget[0])
		a.forget = slices.Delete(a.forget, 0, 1)
	}
}
