// Package otlp writes the history of a task as OpenTelemetry spans: a request to export traces, in OTLP/JSON
// (the JSON mapping of protobuf, with ids in hexadecimal digits), for a collector at /v1/traces.
//
// Spans have ids, times, events and costs, but no content of messages. Trace ids come from traceparent, and
// span ids are derived from handoff ids: the same log gives the same spans, so that repeated exports add
// nothing.
package otlp

import (
	"encoding/hex"
	"strconv"
	"time"
)

// A Request is an ExportTraceServiceRequest (opentelemetry-proto 1).
type Request struct {
	ResourceSpans []ResourceSpans `json:"resourceSpans"`
}

// ResourceSpans are the spans of one service, which is an agent.
type ResourceSpans struct {
	Resource   Resource     `json:"resource"`
	ScopeSpans []ScopeSpans `json:"scopeSpans"`
	SchemaURL  string       `json:"schemaUrl"`
}

// A Resource is the service that produced spans.
type Resource struct {
	Attributes []Attribute `json:"attributes"`
}

// ScopeSpans are the spans created by one program.
type ScopeSpans struct {
	Scope     Scope  `json:"scope"`
	Spans     []Span `json:"spans"`
	SchemaURL string `json:"schemaUrl"`
}

// A Scope is the program that created spans.
type Scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitzero"`
}

// A Kind is the role of a span in a communication.
type Kind int

// The kinds in use, by their numbers in OTLP.
const (
	Internal Kind = 1
	Producer Kind = 4
	Consumer Kind = 5
)

// A Span is an operation with its duration.
type Span struct {
	TraceID      TraceID     `json:"traceId"`
	SpanID       SpanID      `json:"spanId"`
	ParentSpanID SpanID      `json:"parentSpanId,omitzero"`
	Flags        uint32      `json:"flags,omitzero"`
	Name         string      `json:"name"`
	Kind         Kind        `json:"kind"`
	Start        Nanos       `json:"startTimeUnixNano"`
	End          Nanos       `json:"endTimeUnixNano"`
	Attributes   []Attribute `json:"attributes,omitempty"`
	Events       []Event     `json:"events,omitempty"`
	Links        []Link      `json:"links,omitempty"`
	Status       Status      `json:"status"`
}

// An Event is an event during a span.
type Event struct {
	Time       Nanos       `json:"timeUnixNano"`
	Name       string      `json:"name"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// A Link refers to a span that this one follows, other than its parent.
type Link struct {
	TraceID    TraceID     `json:"traceId"`
	SpanID     SpanID      `json:"spanId"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// A Status is the result of a span. The zero value is unset.
type Status struct {
	Message string     `json:"message,omitzero"`
	Code    StatusCode `json:"code,omitzero"`
}

// A StatusCode is the code of a [Status], by its number in OTLP.
type StatusCode int

// Failed is the code of an error.
const Failed StatusCode = 2

// An Attribute is a name with a value.
type Attribute struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

// A Value is a value with exactly one member set.
type Value struct {
	String *string  `json:"stringValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"` // 64-bit integers are text in JSON
	Double *float64 `json:"doubleValue,omitempty"`
}

// A TraceID is the id of a trace, in lower-case hexadecimal digits.
type TraceID [16]byte

// MarshalText implements [encoding.TextMarshaler].
func (id TraceID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// A SpanID is the id of a span, in lower-case hexadecimal digits.
type SpanID [8]byte

// MarshalText implements [encoding.TextMarshaler].
func (id SpanID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// Nanos is a time in nanoseconds since 1970, encoded as text in JSON.
type Nanos int64

// MarshalText implements [encoding.TextMarshaler].
func (n Nanos) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil }

func nanos(t time.Time) Nanos { return Nanos(max(t.UnixNano(), 0)) }

// attributes is a list of attributes being built.
type attributes []Attribute

// text adds an attribute, unless its value is "".
func (a *attributes) text(key, value string) {
	if value != "" {
		*a = append(*a, Attribute{key, Value{String: &value}})
	}
}

// number adds an attribute, unless its value is 0.
func (a *attributes) number(key string, value int64) {
	if value != 0 {
		a.exact(key, value)
	}
}

// exact adds an attribute, even if its value is 0.
func (a *attributes) exact(key string, value int64) {
	text := strconv.FormatInt(value, 10)
	*a = append(*a, Attribute{key, Value{Int: &text}})
}

// seconds adds an attribute, unless its value is 0.
func (a *attributes) seconds(key string, d time.Duration) {
	if d != 0 {
		value := d.Seconds()
		*a = append(*a, Attribute{key, Value{Double: &value}})
	}
}
