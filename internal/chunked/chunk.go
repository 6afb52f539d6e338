package chunked

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Head identifies a chunk and its stream, enough to route it.
type Head struct {
	Stream   string // "" if absent or longer than an id may be
	Sequence int    // -1 if absent
	Kind     Kind
}

// HeadOf returns the head of a JSON document, and whether the document claims to be a chunk. The
// chunk is not checked.
func HeadOf(root jsonstream.Value) (h Head, ok bool) {
	if !root.Get(Member).Exists() {
		return Head{Sequence: -1}, false
	}
	h = Head{Sequence: -1, Kind: Kind(root.Get("kind").Text())}
	if id := root.Get("streamId").Text(); len(id) <= maxStreamID {
		h.Stream = id
	}
	if n := integer(root.Get("sequence")); n <= MaxSequence {
		h.Sequence = n
	}
	return h, true
}

// receivedChunk is a chunk as received.
type receivedChunk struct {
	doc      *jsonstream.Document
	root     jsonstream.Value
	stream   string
	sequence int
	kind     Kind
	digest   string // of its bytes
}

// ChunkLimits returns the limits of a chunk for messages within the given limits: a chunk may hold
// a whole message and adds members around it.
func ChunkLimits(message jsonstream.Limits) jsonstream.Limits {
	const around = 3 // levels of a chunk around an addition: the chunk, its parts and the part
	l := withDefaults(message)
	l.MaxBytes += 64 << 10
	l.MaxDepth = min(l.MaxDepth+around, jsonstream.MaxDepth)
	return l
}

// maxStreamID is the maximum length of a stream's id in an error.
const maxStreamID = 36

// readChunk parses a chunk as far as possible; it has not been checked by the schema.
func readChunk(raw jsonstream.Raw, limits jsonstream.Limits) (*receivedChunk, *Fault) {
	doc, err := jsonstream.Parse(raw, limits)
	if err != nil {
		f := &Fault{Reason: Malformed, Sequence: -1, Expected: "a chunk", Found: "a text that is not strict JSON: " + err.Error(), Position: raw.Start, Err: err}
		if damage := (*jsonstream.SyntaxError)(nil); errors.As(err, &damage) {
			f.Position = damage.Position
		}
		return nil, f
	}
	head, ok := HeadOf(doc.Root())
	if !ok {
		return nil, &Fault{Reason: Malformed, Sequence: -1, Expected: fmt.Sprintf("a chunk, which has a member %s", Member), Found: finding.QuoteValue(doc.Root()) + " without it", Position: doc.Root().Position()}
	}
	return &receivedChunk{doc, doc.Root(), head.Stream, head.Sequence, head.Kind, chainDigest(doc.Root().Raw())}, nil
}

// fault returns a fault of the chunk.
func (c *receivedChunk) fault(reason Reason, expected, found string) *Fault {
	return &Fault{Reason: reason, Stream: c.stream, Sequence: c.sequence, Expected: expected, Found: found, Position: c.root.Position()}
}

// check checks the chunk by the schema and by the rules that a schema cannot express.
func (c *receivedChunk) check(schema *validate.Schema) *Fault {
	for _, found := range schema.Check(c.root) {
		if found.Severity == finding.Error {
			f := c.fault(Malformed, "a chunk that is valid by its schema", found.PlacedMessage())
			f.Offset, f.Line, f.Column = int64(found.Offset), found.Line, found.Column
			return f
		}
	}
	if c.root.Get("handoffId").Exists() {
		return c.fault(Malformed, "a chunk", "a chunk that could also be read as a message: it has a member handoffId")
	}
	if (c.kind == First) != (c.sequence == 0) {
		return c.fault(Malformed, "kind first in chunk 0, and in no other", fmt.Sprintf("kind %s", c.kind))
	}
	return nil
}

// integer returns the value of a number, or -1 if v is not an integer that fits in an int.
func integer(v jsonstream.Value) int {
	if v.Kind() != jsonstream.Number {
		return -1
	}
	if n, err := strconv.Atoi(string(v.Raw())); err == nil {
		return n
	}
	d := jsonstream.ParseDecimal(v.Raw()) // 1e3, or 2.0
	if n, ok := d.Count(); ok {
		return n
	}
	return -1
}
