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

// AssemblerOptions bound what an Assembler takes. The zero value is for streams that share an
// input in which no chunk comes before its turn.
type AssemblerOptions struct {
	// Validate says how messages are checked: see [Assembler]. Its Verifier asks for chunks
	// that are signed. Formats and Schema mean nothing here.
	Validate validate.Options
	// Limits bound the message that is made of a stream, and by [ChunkLimits] each chunk.
	Limits jsonstream.Limits
	// MaxStreams is how many streams may be open; 0 means 64.
	MaxStreams int
	// MaxStreamBytes is how much memory a stream may take, in bytes, about: the message so
	// far, and what is held of it. 0 means twice the limit of a message.
	MaxStreamBytes int64
	// MaxBytes is the same for all streams together; 0 means four times the limit of a
	// message.
	MaxBytes int64
	// MaxHeld is how many chunks of a stream may wait for one before them; 0 means none.
	MaxHeld int
	// MaxPause is how long a stream may be silent, and MaxAge how long it may take from its
	// first chunk to its last; 0 is for ever. They count when [Assembler.Expire] is called.
	MaxPause, MaxAge time.Duration
}

const (
	defaultMaxStreams = 64
	// maxEnded is how many streams are remembered after their end.
	maxEnded = 1024
)

// An Assembler makes messages of chunks, of several streams at once. It is for one goroutine.
//
// Every chunk is checked when it comes: by its schema; where there are keys, its signature,
// which has to be of a key that may sign for the sender, and of the same one in the whole
// stream; its place in the stream; and that it names the digest of the chunk before it. The
// message of the first chunk is checked by all layers but signature, which the chunk's takes
// the place of, and lint; what completeness misses may still come, and is a note. What is
// appended to a member of the message is checked by the schema, for safety and for personal
// data; what is appended deeper is a part of a value, and checked with the whole. The whole
// is checked by all layers at the end, but that a message without a signature needs none where
// its chunks have been verified, and that its age does not count: the first chunk's did.
//
// A chunk that comes again, byte for byte, is dropped.
type Assembler struct {
	o       AssemblerOptions
	schema  *validate.Schema
	checks  checks
	open    map[string]*stream
	order   []*stream // those that are open, in the order in which they began
	total   int64     // of their sizes
	ended   map[string]*ended
	forget  []string // the keys of ended, the oldest first
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
		panic(err) // it is a file of this module
	}
	return &Assembler{o: o, schema: schema, checks: newChecks(o.Validate), open: map[string]*stream{}, ended: map[string]*ended{}}
}

// An EventKind says what happened to a stream.
type EventKind string

// The kinds of events.
const (
	Began     EventKind = "began"     // the first message is there, and valid
	Grew      EventKind = "grew"      // a chunk was appended
	Completed EventKind = "completed" // the whole message is there, and valid
	Dropped   EventKind = "dropped"   // a chunk came that had come before
	Failed    EventKind = "failed"    // see Event.Fault
)

// An Event is what a chunk comes to.
type Event struct {
	Kind     EventKind
	Stream   string
	Sequence int             // of the chunk
	Message  []byte          // the first message or the whole one, on one line; it belongs to the caller
	Chunk    []byte          // of Began, Grew and Completed: the chunk as it came, a part of what was added
	Result   validate.Result // of the message
	SignedBy string          // the ID of the key that signed the chunks, "" if nobody has asked or it has none
	Fault    *Fault          // of Failed
}

// A stream that is open.
type stream struct {
	id       string
	message  *growth // nil before the first chunk
	digests  []string
	held     map[int]jsonstream.Raw
	heldSize int
	counted  int64 // of its size, in Assembler.total
	sender   sender
	began    time.Time
	last     time.Time // when a chunk of it was taken
}

// ended is what is remembered of a stream that has ended.
type ended struct {
	completed bool
	chunks    int    // that were taken
	first     string // digest of the first chunk
	skippedTo int    // the chunk that came where that of number chunks was expected, 0 if none
}

// size returns about how much memory the stream takes.
func (s *stream) size() int64 {
	const digest = 96 // bytes, with what holds it
	n := s.heldSize + digest*len(s.digests)
	if s.message != nil {
		n += s.message.memory()
	}
	return int64(n)
}

// Open returns how many streams are open.
func (a *Assembler) Open() int { return len(a.open) }

// Add takes a chunk that comes now, and returns what it comes to: mostly one event, more if
// others have waited for it. raw.Bytes is not kept. The error is that of ctx or of a scanner:
// then the chunk can be added again, after the events that come with the error.
func (a *Assembler) Add(ctx context.Context, raw jsonstream.Raw, now time.Time) ([]Event, error) {
	a.current = now
	c, fault := readChunk(raw, ChunkLimits(a.o.Limits))
	if fault != nil {
		return []Event{failed(fault)}, nil
	}
	s := a.open[c.stream]
	signer, fault := a.checks.verify(c, now)
	if fault == nil && s != nil && s.message != nil {
		fault = s.sender.check(c, signer) // whoever sent it does not end the streams of others
	}
	if fault != nil {
		return []Event{failed(fault)}, nil
	}
	switch fault = c.check(a.schema); {
	case fault != nil && s != nil:
		return a.end(s, fault), nil
	case fault != nil:
		if c.kind == First && c.stream != "" && a.ended[c.stream] == nil {
			a.remember(c.stream, &ended{}) // those after it are not reported
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

// begin opens the stream of a chunk, or says what the chunk comes to without one.
func (a *Assembler) begin(c *received) (*stream, *Event) {
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
			return nil, nil // the fault has been reported
		}
	}
	if c.kind != First && c.sequence > a.o.MaxHeld {
		return nil, a.notBegun(c, c.fault(Foreign, "chunk 0 of a stream that has not begun", fmt.Sprintf("chunk %d: those before it are lost, or come later", c.sequence)), c.sequence)
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

// notBegun remembers a stream that is not opened, so that it is reported once.
func (a *Assembler) notBegun(c *received, f *Fault, skippedTo int) *Event {
	f.Ended = true
	a.remember(c.stream, &ended{skippedTo: skippedTo})
	event := failed(f)
	return &event
}

// take takes a chunk of an open stream, and those that have waited for it.
func (a *Assembler) take(ctx context.Context, s *stream, c *received, signer string) ([]Event, error) {
	next := len(s.digests)
	var events []Event
	var err error
	switch {
	case c.sequence < next && c.digest == s.digests[c.sequence]:
		events = []Event{{Kind: Dropped, Stream: s.id, Sequence: c.sequence}}
	case c.sequence < next:
		return a.end(s, c.fault(Repeated, fmt.Sprintf("chunk %d, or this one as it came before", next), "one with another content")), nil
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

// takeHeld takes a chunk that has waited for its turn.
func (a *Assembler) takeHeld(ctx context.Context, s *stream, raw jsonstream.Raw) ([]Event, error) {
	c, fault := readChunk(raw, ChunkLimits(a.o.Limits))
	var signer string
	if fault == nil {
		signer, fault = a.checks.verify(c, a.current) // its key may have expired
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

// hold keeps a chunk that came before its turn.
func (a *Assembler) hold(s *stream, c *received) []Event {
	next := len(s.digests)
	if before, there := s.held[c.sequence]; there {
		if chainDigest(before.Bytes) != c.digest {
			return a.end(s, c.fault(Repeated, "this chunk as it came before", "one with another content"))
		}
		return []Event{{Kind: Dropped, Stream: s.id, Sequence: c.sequence}}
	}
	if c.sequence > next+a.o.MaxHeld {
		f := c.fault(Lost, fmt.Sprintf("chunk %d", next), fmt.Sprintf("chunk %d: those between are lost, or come later", c.sequence))
		if next == c.sequence-1 {
			f.Found = fmt.Sprintf("chunk %d: the one before it is lost, or comes later", c.sequence)
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

// overBounds returns the fault of a stream that takes too much memory.
func (a *Assembler) overBounds(s *stream, c *received) *Fault {
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

// Expire ends the streams that should have ended by now, in the order in which they began:
// what was begun with them is to be rolled back.
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

// Close ends all open streams, in the order in which they began: their input is at its end.
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

// end ends a stream by a fault.
func (a *Assembler) end(s *stream, f *Fault) []Event {
	f.Ended = true
	a.remove(s, false)
	return []Event{failed(f)}
}

// remove forgets a stream but for how it ended.
func (a *Assembler) remove(s *stream, completed bool) {
	delete(a.open, s.id)
	a.order = slices.DeleteFunc(a.order, func(other *stream) bool { return other == s })
	a.total -= s.counted
	e := &ended{completed: completed, chunks: len(s.digests)}
	if len(s.digests) > 0 {
		e.first = s.digests[0]
	}
	a.remember(s.id, e)
}

func (a *Assembler) remember(id string, e *ended) {
	if a.ended[id] == nil {
		a.forget = append(a.forget, id)
	}
	a.ended[id] = e
	for len(a.forget) > maxEnded {
		delete(a.ended, a.forget[0])
		a.forget = slices.Delete(a.forget, 0, 1)
	}
}
