package otlp

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
)

// A copyHistory is the history of a handoff at one of its receivers.
type copyHistory struct {
	receiver string
	records  []audit.Stored // without the dispatch and the ends of runs
	accepted *audit.Stored  // the last acceptance; nil if there is none
	runs     []run
}

// A run is a completed run of an agent.
type run struct {
	begin time.Time
	end   audit.Stored
}

// copies returns the history of a handoff by receiver. Records without a receiver, or with one that has never
// decided, belong to the first.
func copies(h *trace.Handoff) []*copyHistory {
	var list []*copyHistory
	named := map[string]*copyHistory{}
	for _, s := range h.Records {
		if decides(s.Event) && named[s.Receiver] == nil {
			c := &copyHistory{receiver: s.Receiver}
			named[s.Receiver] = c
			list = append(list, c)
		}
	}
	if list == nil {
		if !slices.ContainsFunc(h.Records, func(s audit.Stored) bool { return s.Event != audit.Dispatched }) {
			return nil
		}
		list = []*copyHistory{{receiver: h.Told().Receiver}}
	}
	for _, s := range h.Records {
		c := named[s.Receiver]
		if c == nil {
			c = list[0]
		}
		if s.Event != audit.Dispatched {
			c.take(s)
		}
	}
	return list
}

// decides reports whether an event is a receiver's decision.
func decides(e audit.Event) bool { return e == audit.Accepted || e == audit.Rejected }

// take adds the next record of a copy.
func (c *copyHistory) take(s audit.Stored) {
	switch s.Event {
	case audit.Accepted:
		c.accepted = &s
	case audit.Completed, audit.ExecutionFailed:
		begin := s.RecordedAt.Add(-micros(s.Details.DurationMicros))
		if s.Details.DurationMicros == 0 {
			for _, r := range c.records {
				if r.Event == audit.HandedOver {
					begin = r.RecordedAt
				}
			}
		}
		c.runs = append(c.runs, run{begin, s})
		return
	}
	c.records = append(c.records, s)
}

// send adds the span of a dispatch. Its duration is zero, as its end is unknown.
func (e *exporter) send(h *trace.Handoff, at place, dispatched time.Time, before []place) *Span {
	if at.span == (SpanID{}) {
		at.span = spanID(h, "send")
	}
	told := h.Told()
	var a attributes
	e.describe(&a, h, told)
	a.text("messaging.operation.name", "send")
	a.text("messaging.operation.type", "send")
	a.text("messaging.destination.name", told.Receiver)
	return e.add(told.Sender, Span{
		TraceID: at.trace, SpanID: at.span, ParentSpanID: inTrace(before, at.trace), Flags: hasIsRemote,
		Name: name("send", told.Receiver), Kind: Producer, Start: nanos(dispatched), End: nanos(dispatched), Attributes: a,
	})
}

// receive returns the span of a handoff at one receiver; the caller sets its ids.
func (e *exporter) receive(n *chain.Node, h *trace.Handoff, c *copyHistory, dispatched time.Time) *Span {
	told := h.Told()
	if c.accepted != nil {
		told = c.accepted
	}
	begin, end := dispatched, time.Time{}
	status := audit.Event("")
	for _, s := range c.records {
		if at := s.RecordedAt.Add(-micros(s.LatencyMicros)); begin.IsZero() || at.Before(begin) {
			begin = at
		}
		switch s.Event {
		case audit.Accepted, audit.Rejected, audit.RolledBack, audit.DeadLettered, audit.Discarded, audit.Revoked:
			status = s.Event
		case audit.Duplicate, audit.Erased, audit.Refused: // these may come years later
			continue
		}
		if c.accepted == nil || s.Sequence == c.accepted.Sequence {
			end = s.RecordedAt
		}
	}
	if end.Before(begin) { // there is no decision, or a clock was wrong
		end = begin
	}
	if (status == audit.Rejected || status == audit.Revoked) && c.accepted != nil {
		status = audit.Accepted // a later rejection is of another message with its id, and a later revocation is too late
	}
	span := Span{SpanID: spanID(h, "receive", c.receiver), Name: name("handoff", c.receiver), Kind: Consumer, Start: nanos(begin), End: nanos(end)}
	var a attributes
	e.describe(&a, h, told)
	a.text("messaging.operation.name", "handoff")
	a.text("messaging.operation.type", "process")
	a.text("messaging.destination.name", c.receiver)
	a.text("handoff.receiver", c.receiver)
	a.text("handoff.status", string(status))
	a.number("handoff.attempt", int64(told.Attempt))
	a.seconds("handoff.latency", micros(told.LatencyMicros))
	if c.accepted != nil {
		a.text("handoff.step.spent_usd", n.Step.SpentUSD.String())
		a.number("handoff.step.prompt_tokens", n.Step.Prompt)
		a.number("handoff.step.completion_tokens", n.Step.Completion)
	}
	for _, s := range c.records {
		if c.accepted != nil && s.Sequence == c.accepted.Sequence {
			continue // already the end of the span
		}
		span.Events = append(span.Events, event(&s))
	}
	switch status {
	case audit.Rejected, audit.RolledBack, audit.DeadLettered, audit.Discarded, audit.Revoked:
		kind := string(status)
		for _, s := range c.records {
			if s.Event == audit.Rejected {
				kind = string(s.Reason)
			}
		}
		a.text("error.type", kind)
		span.Status = Status{Code: Failed, Message: string(status)}
	}
	span.Attributes = a
	return e.add(c.receiver, span)
}

// run adds the span of an agent's run.
func (e *exporter) run(h *trace.Handoff, c *copyHistory, r *run, below place) *Span {
	var a attributes
	a.text("gen_ai.operation.name", "invoke_agent")
	a.text("gen_ai.agent.name", c.receiver)
	a.text("gen_ai.conversation.id", h.TaskID)
	a.text("handoff.id", h.HandoffID)
	a.text("handoff.task.id", h.TaskID)
	a.number("handoff.attempt", int64(r.end.Attempt))
	if code := r.end.Details.ExitCode; code != nil {
		a.exact("process.exit.code", int64(*code))
	}
	s := Span{
		TraceID: below.trace, ParentSpanID: below.span, Flags: hasIsRemote, Name: name("invoke_agent", c.receiver), Kind: Internal,
		SpanID: spanID(h, "run", c.receiver, strconv.FormatInt(r.end.Sequence, 10)), Start: nanos(r.begin), End: nanos(r.end.RecordedAt),
	}
	if r.end.Event == audit.ExecutionFailed {
		a.text("error.type", string(audit.ExecutionFailed))
		s.Status = Status{Code: Failed, Message: string(audit.ExecutionFailed)}
	}
	s.Attributes = a
	return e.add(c.receiver, s)
}

// describe adds the common attributes of a message's spans.
func (e *exporter) describe(a *attributes, h *trace.Handoff, told *audit.Stored) {
	a.text("messaging.system", system(told.Transport))
	a.text("messaging.message.id", h.HandoffID)
	a.text("messaging.message.conversation_id", h.TaskID)
	a.number("messaging.message.body.size", told.MessageBytes)
	a.text("handoff.id", h.HandoffID)
	a.text("handoff.task.id", h.TaskID)
	a.text("handoff.parent.id", told.ParentHandoffID)
	a.text("handoff.sender", told.Sender)
}

// event converts a record to an event, without the person's name and explanation.
func event(s *audit.Stored) Event {
	var a attributes
	a.text("handoff.reason", string(s.Reason))
	a.number("handoff.attempt", int64(s.Attempt))
	a.exact("handoff.record.sequence", s.Sequence)
	return Event{Time: nanos(s.RecordedAt), Name: "handoff." + strings.ToLower(string(s.Event)), Attributes: a}
}

// system returns OpenTelemetry's name for the messaging system of a transport.
func system(transport string) string {
	switch transport {
	case "amqp":
		return "rabbitmq"
	case "sqs":
		return "aws_sqs"
	default:
		return transport
	}
}

// micros converts microseconds to a duration. Negative values become zero, and large ones the maximum
// duration.
func micros(n int64) time.Duration {
	return time.Duration(min(max(n, 0), math.MaxInt64/int64(time.Microsecond))) * time.Microsecond
}

// name returns the name of a span.
func name(operation, of string) string { return strings.TrimSpace(operation + " " + of) }
