package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/internal/base64text"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/internal/gzipped"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// openLast makes the last context that can hold turns the root. It fails if a context that is declared as
// JSON cannot be read, because it may be the context sought.
func (h *History) openLast(carriers []format.Carrier, limits jsonstream.Limits) error {
	for _, c := range slices.Backward(carriers) {
		if entered, err := h.enter(c, limits); err != nil || entered {
			return err
		}
	}
	return nil
}

// enter makes a carried context the root, if it can hold turns. Other carried values are ignored.
func (h *History) enter(c format.Carrier, limits jsonstream.Limits) (entered bool, err error) {
	if !c.JSON {
		return false, nil
	}
	context, err := open(c.Value, limits)
	if err != nil {
		return false, err
	}
	f := cmp.Or(c.Format, formats.Named(h.Format).Carries)
	if f == "" {
		if f = contextFormat(context.Root()); f == "" {
			return false, nil
		}
	}
	h.ContextFormat = f
	h.set(c.Value, context)
	return true, nil
}

// open returns the document in a carrier.
func open(v jsonstream.Value, limits jsonstream.Limits) (*jsonstream.Document, error) {
	switch v.Kind() {
	case jsonstream.Object:
		// A document of its own, so that an edit changes only the context.
		return jsonstream.Parse(jsonstream.NewRaw(v.Raw()), jsonstream.Unlimited())
	case jsonstream.String:
		return Decode(v, limits)
	default:
		return nil, carrierError(v, fmt.Errorf("expected base64 of a context, or the context, found %s", v.Kind()))
	}
}

func (h *History) set(carrier jsonstream.Value, context *jsonstream.Document) {
	h.carrier, h.context, h.Root = carrier, context, context.Root()
}

// All returns the conversations in a message, from all carried contexts that can hold turns, the last
// context first. Without contexts, it returns the same conversation and errors as [Of]. Contexts before the
// last one are skipped if they cannot be read.
func All(doc *jsonstream.Document, f format.Format, limits jsonstream.Limits) ([]*History, error) {
	last, err := Of(doc, f, limits)
	if err != nil {
		return nil, err
	}
	all := []*History{last}
	if !last.carrier.Exists() {
		return all, nil
	}
	carriers := formats.Named(last.Format).Carriers(doc.Root())
	at := slices.IndexFunc(carriers, func(c format.Carrier) bool { return c.Value == last.carrier })
	for _, c := range slices.Backward(carriers[:at]) {
		h := &History{Format: last.Format, Root: doc.Root(), doc: doc, context: doc}
		if entered, err := h.enter(c, limits); err == nil && entered {
			h.read()
			all = append(all, h)
		}
	}
	return all, nil
}

// Carriers returns the strings of a message that hold data for its receiver in base64: the snapshot of an
// SW4RM request, or the contexts of a MACP transcript in order. It does not check that they are base64.
func Carriers(root jsonstream.Value, f format.Format) []jsonstream.Value {
	carriers := formats.Named(f).Carriers
	if carriers == nil {
		return nil
	}
	var all []jsonstream.Value
	for _, c := range carriers(root) {
		if c.Value.Kind() == jsonstream.String {
			all = append(all, c.Value)
		}
	}
	return all
}

// contextFormat returns the format of a carried context, by its lists of turns; "" if it has none.
func contextFormat(context jsonstream.Value) format.Format {
	for _, d := range formats.All() {
		if d.Known == nil && slices.ContainsFunc(d.Turns, func(name string) bool { return context.Get(name).Exists() }) {
			return d.Name
		}
	}
	if f, ok := formats.Detect(context); ok && isBare(formats.Named(f)) {
		return f
	}
	return ""
}

// A CarrierError reports a carried value that cannot be read.
type CarrierError struct {
	jsonstream.Position        // of the carrier
	Pointer             string // to the carrier
	Err                 error
}

func (e *CarrierError) Error() string { return e.Pointer + ": " + e.Err.Error() }

func (e *CarrierError) Unwrap() error { return e.Err }

func carrierError(v jsonstream.Value, err error) error {
	return &CarrierError{v.Position(), v.Pointer(), err}
}

// DecodeBytes returns the data in a base64 string, decompressed if it is gzip. See [Decode].
func DecodeBytes(v jsonstream.Value) ([]byte, error) {
	content, err := base64text.Decode(v.Text(), base64text.Any)
	if err != nil || !gzipped.Is(content) {
		return content, err
	}
	return gzipped.Unpack(content, 0)
}

// EncodeBytes returns a string with content in base64, in the form of v: compressed with gzip if v is.
func EncodeBytes(v jsonstream.Value, content []byte) []byte {
	return gzipped.AppendBase64(nil, content, gzipped.IsBase64(v.Text()))
}

// Decode parses the JSON text in a base64 string, in either alphabet of RFC 4648 and with or without
// padding, as the JSON form of protobuf allows. The error is a [*CarrierError].
func Decode(v jsonstream.Value, limits jsonstream.Limits) (*jsonstream.Document, error) {
	text, err := DecodeBytes(v)
	if err != nil {
		return nil, carrierError(v, fmt.Errorf("not base64 of a context: %w", err))
	}
	context, err := jsonstream.Parse(jsonstream.NewRaw(text), limits)
	if e := (*jsonstream.SyntaxError)(nil); errors.As(err, &e) {
		return nil, carrierError(v, fmt.Errorf("the content is not JSON, at %d:%d in it: %w", e.Line, e.Column, err))
	}
	return context, err
}

// Carrier returns the value of the message that is its context or holds it in base64; absent if the message
// carries none.
func (h *History) Carrier() jsonstream.Value { return h.carrier }

// encoded reports whether the message carries its context in base64.
func (h *History) encoded() bool { return h.carrier.Kind() == jsonstream.String }

// Message returns the text of the message with [History.Context] replaced by another text.
func (h *History) Message(context []byte) ([]byte, error) {
	value := h.Carry(context)
	if !h.carrier.Exists() {
		return value, nil
	}
	return jsonstream.Set(h.doc, h.carrier.Pointer(), value)
}

// Carry returns a context as the message carries it: unchanged, or in base64.
func (h *History) Carry(context []byte) []byte {
	if !h.encoded() {
		return context
	}
	return EncodeBytes(h.carrier, context)
}

// With returns the conversation with [History.Context] replaced by another context. The carrier and the
// message around it stay the same.
func (h *History) With(context *jsonstream.Document) *History {
	changed := &History{Format: h.Format, ContextFormat: h.ContextFormat, doc: h.doc, carrier: h.carrier}
	if !h.carrier.Exists() {
		changed.doc = context
	}
	changed.set(h.carrier, context)
	changed.read()
	return changed
}

// Encoded returns the number of bytes in the message for n bytes of its context; for gzip, the maximum.
func (h *History) Encoded(n int) int {
	if h.encoded() {
		return (n*4 + 2) / 3
	}
	return n
}

// Beside returns the maximum size in bytes of the message without its context, as compact JSON: base64
// padding adds up to two bytes.
func (h *History) Beside() int {
	if !h.carrier.Exists() {
		return 0
	}
	n := len(jsonstream.AppendCompact(nil, h.doc.Root().Raw()))
	n -= len(jsonstream.AppendCompact(nil, h.carrier.Raw()))
	if h.encoded() {
		n += len(`""==`)
	}
	return n
}
