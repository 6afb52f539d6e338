package otlp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// schemaURL identifies the version of the semantic conventions for attributes.
const schemaURL = "https://opentelemetry.io/schemas/1.37.0"

// scopeName is the instrumentation scope of the spans.
const scopeName = "github.com/eaapl/handoff"

// Flags of spans. The low eight bits are the flags of traceparent.
const (
	hasIsRemote = 0x100 // isRemote is meaningful
	isRemote    = 0x200 // the parent is in another process
)

// Export returns the spans of a task, made by a version of the program. The spans of a handoff are
//
//   - if the log has its dispatch, one of the sender, whose id is the parent-id of
//     traceparent;
//   - one of each receiver, from the dispatch to the acceptance, or to another outcome: its
//     parent is the parent-id of traceparent;
//   - and one of each run of its agent that has ended.
//
// Without a traceparent in a message, the trace is its parent's, or else derived from the id of the task.
func Export(r audit.Reader, t *trace.Task, version string) (*Request, error) {
	e := exporter{task: t, tips: map[*chain.Node][]place{}, services: map[string]int{}, version: version}
	for n := range t.Nodes() {
		h := t.Of(n)
		if h == nil {
			continue
		}
		context, known, err := contextOf(r, h)
		if err != nil {
			return nil, err
		}
		e.handoff(n, h, context, known)
	}
	for _, p := range e.joined {
		for _, before := range p.nodes {
			e.link(p.span, e.tips[before], "joined")
		}
	}
	request := &Request{ResourceSpans: []ResourceSpans{}}
	for _, s := range e.all {
		i, known := e.services[s.service]
		if !known {
			i = len(request.ResourceSpans)
			e.services[s.service] = i
			request.ResourceSpans = append(request.ResourceSpans, e.resource(s.service))
		}
		of := &request.ResourceSpans[i].ScopeSpans[0]
		of.Spans = append(of.Spans, *s.span)
	}
	return request, nil
}

// contextOf returns the traceparent of a handoff's message; known reports whether it has one. Its ParentID is
// zero if only the record is left.
func contextOf(r audit.Reader, h *trace.Handoff) (context message.Traceparent, known bool, err error) {
	doc, err := h.Document(r)
	if err != nil {
		return context, false, err
	}
	if doc != nil {
		if context, err := message.ParseTraceparent(doc.Root().Get("traceparent").Text()); err == nil {
			return context, true, nil
		}
	}
	for i := range slices.Backward(h.Records) {
		if n, err := hex.Decode(context.TraceID[:], []byte(h.Records[i].TraceID)); err == nil && n == len(context.TraceID) {
			return context, true, nil
		}
	}
	return message.Traceparent{}, false, nil
}

// A place identifies a span.
type place struct {
	trace TraceID
	span  SpanID
	agent string // agent of the span
}

// An exporter creates spans.
type exporter struct {
	task     *trace.Task
	version  string
	all      []serviceSpan
	services map[string]int
	// tips are the last spans of handoffs, one for each receiver: the next spans of their agents follow them.
	tips   map[*chain.Node][]place
	joined []joint
}

// A serviceSpan is a span with its service.
type serviceSpan struct {
	service string
	span    *Span
}

// A joint is a span of a message that joins branches.
type joint struct {
	span  *Span
	nodes []*chain.Node
}

func (e *exporter) resource(service string) ResourceSpans {
	var a attributes
	a.text("service.name", cmp.Or(service, "unknown_service"))
	return ResourceSpans{
		Resource:   Resource{Attributes: a},
		ScopeSpans: []ScopeSpans{{Scope: Scope{scopeName, e.version}, SchemaURL: schemaURL}},
		SchemaURL:  schemaURL,
	}
}

// handoff adds the spans of a handoff.
func (e *exporter) handoff(n *chain.Node, h *trace.Handoff, context message.Traceparent, known bool) {
	before := of(e.tips[n.Parent], h.Told().Sender)
	in := TraceID(context.TraceID)
	if !known {
		in = e.traceOfTask()
		if len(before) > 0 {
			in = before[0].trace
		}
	}
	dispatched := time.Time{}
	for _, s := range h.Records {
		if s.Event == audit.Dispatched && (dispatched.IsZero() || s.RecordedAt.Before(dispatched)) {
			dispatched = s.RecordedAt
		}
	}
	parent := SpanID(context.ParentID)
	if !dispatched.IsZero() {
		sent := e.send(h, place{trace: in, span: parent}, dispatched, before)
		sent.Flags |= uint32(context.Flags)
		e.follow(sent, n, before)
		parent = sent.SpanID
	} else if parent == (SpanID{}) {
		parent = inTrace(before, in)
	}
	for _, c := range copies(h) {
		s := e.receive(n, h, c, dispatched)
		s.TraceID, s.ParentSpanID, s.Flags = in, parent, uint32(context.Flags)
		if parent != (SpanID{}) {
			s.Flags |= hasIsRemote | isRemote
		}
		if dispatched.IsZero() {
			e.follow(s, n, before)
		}
		tip := place{in, s.SpanID, c.receiver}
		for i := range c.runs {
			run := e.run(h, c, &c.runs[i], place{trace: in, span: s.SpanID})
			run.Flags |= uint32(context.Flags)
			tip.span = run.SpanID
		}
		e.tips[n] = append(e.tips[n], tip)
	}
}

// of returns the places of an agent; all if there are none, since a sender is named by id and a receiver by
// type.
func of(places []place, agent string) []place {
	its := slices.DeleteFunc(slices.Clone(places), func(p place) bool { return p.agent != agent })
	if len(its) == 0 {
		return places
	}
	return its
}

// traceOfTask returns the trace id for messages without one.
func (e *exporter) traceOfTask() TraceID {
	sum := sha256.Sum256([]byte("handoff trace 1\x00" + strings.ToLower(e.task.ID)))
	return TraceID(sum[:16])
}

// spanID derives the id of a span.
func spanID(h *trace.Handoff, parts ...string) SpanID {
	id := strings.ToLower(h.HandoffID)
	if id == "" {
		id = "record " + strconv.FormatInt(h.Records[0].Sequence, 10)
	}
	sum := sha256.Sum256([]byte("handoff span 1\x00" + id + "\x00" + strings.Join(parts, "\x00")))
	return SpanID(sum[:8])
}

// inTrace returns the id of the first place in a trace.
func inTrace(places []place, in TraceID) SpanID {
	for _, p := range places {
		if p.trace == in {
			return p.span
		}
	}
	return SpanID{}
}

// link links a span to others, except its parent.
func (e *exporter) link(s *Span, to []place, why string) {
	for _, p := range to {
		if p.span == s.ParentSpanID && p.trace == s.TraceID {
			continue
		}
		var a attributes
		a.text("handoff.link", why)
		s.Links = append(s.Links, Link{TraceID: p.trace, SpanID: p.span, Attributes: a})
	}
}

// follow links the first span of a message to the previous spans of its sender. It notes the branches that
// the message joins, whose spans may not exist yet.
func (e *exporter) follow(s *Span, n *chain.Node, before []place) {
	e.link(s, before, "parent")
	if joined := n.Joined(); len(joined) > 0 {
		e.joined = append(e.joined, joint{s, joined})
	}
}

// add adds a span of a service.
func (e *exporter) add(service string, s Span) *Span {
	e.all = append(e.all, serviceSpan{service, &s})
	return &s
}
