package build

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func (b *builder) isFirst() bool { return b.o.Parent == nil }

func (b *builder) parentHandoffID() ([]byte, error) {
	if b.isFirst() {
		return []byte("null"), nil
	}
	id := b.parent.root.Get("handoffId")
	return id.Raw(), b.parent.expect("/handoffId", id, jsonstream.String)
}

func (b *builder) taskID() ([]byte, error) {
	own, err := b.state.get("taskId", jsonstream.String)
	if err != nil {
		return nil, err
	}
	if b.isFirst() {
		if own.Exists() {
			return own.Raw(), nil
		}
		return b.newID()
	}
	id := b.parent.root.Get("taskId")
	if err := b.parent.expect("/taskId", id, jsonstream.String); err != nil {
		return nil, err
	}
	// UUIDs are the same in either case.
	if own.Exists() && !strings.EqualFold(own.Text(), id.Text()) {
		return nil, b.state.fail("/taskId", "%s is not the parent's task, %s: leave it out, or give the parent of this task",
			finding.QuoteValue(own), finding.QuoteValue(id))
	}
	return id.Raw(), nil
}

func (b *builder) taskDescription() ([]byte, error) {
	own, err := b.state.get("taskDescription", jsonstream.String)
	if err != nil || own.Exists() {
		return own.Raw(), err
	}
	if b.isFirst() {
		return nil, b.state.fail("/taskDescription", "missing: say what the receiver is asked to do")
	}
	inherited, err := b.parent.get("taskDescription", jsonstream.String)
	if err != nil {
		return nil, err
	}
	if !inherited.Exists() || inherited.Text() == message.Initial {
		return nil, b.state.fail("/taskDescription",
			"missing, and the parent has none to pass on (%s marks a first handoff): say what the receiver is asked to do", message.Initial)
	}
	return inherited.Raw(), nil
}

func (b *builder) constraints() ([]byte, error) {
	seen := make(map[string]bool)
	var all []byte
	add := func(text string, raw []byte) {
		if !seen[text] {
			seen[text] = true
			all = append(append(all, ','), raw...)
		}
	}
	for _, in := range []input{b.parent, b.state} {
		list, err := in.list("constraints")
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if err := in.expect(c.Pointer(), c, jsonstream.String); err != nil {
				return nil, err
			}
			add(c.Text(), c.Raw())
		}
	}
	for _, c := range b.o.Constraints {
		if err := checkText("constraint", c); err != nil {
			return nil, err
		}
		raw, err := jsontext.AppendQuote(nil, c)
		if err != nil {
			return nil, err
		}
		add(c, raw)
	}
	if all == nil {
		return []byte("[]"), nil
	}
	all[0] = '['
	return append(all, ']'), nil
}

func (b *builder) completedSubtasks() ([]byte, error) {
	done, err := b.state.list("completedSubtasks")
	if err != nil {
		return nil, err
	}
	left, err := b.state.list("remainingSubtasks")
	if err != nil {
		return nil, err
	}
	carried, err := b.parent.list("completedSubtasks")
	if err != nil {
		return nil, err
	}
	return appendArray(nil, append(without(carried, done, left), done...)), nil
}

func (b *builder) remainingSubtasks() ([]byte, error) {
	if v := b.state.root.Get("remainingSubtasks"); v.Exists() || b.isFirst() {
		return b.copied("remainingSubtasks", "[]")()
	}
	done, err := b.state.list("completedSubtasks")
	if err != nil {
		return nil, err
	}
	doneBefore, err := b.parent.list("completedSubtasks")
	if err != nil {
		return nil, err
	}
	left, err := b.parent.list("remainingSubtasks")
	if err != nil {
		return nil, err
	}
	return appendArray(nil, without(left, done, doneBefore)), nil
}

// without returns the subtasks whose subtaskId is in none of the others.
func without(subtasks []jsonstream.Value, others ...[]jsonstream.Value) []jsonstream.Value {
	named := make(map[string]bool)
	for _, s := range slices.Concat(others...) {
		named[s.Get("subtaskId").Text()] = true
	}
	return slices.DeleteFunc(subtasks, func(s jsonstream.Value) bool {
		id := s.Get("subtaskId").Text()
		return id != "" && named[id]
	})
}

// traceparent makes the message a span of the task's trace. The parent message
// decides which trace that is: an agent that started its own trace when it
// took the message from a queue would otherwise cut the task's trace in two.
// Within that trace, and without a parent message, the caller's span is the
// nearer parent. A traceparent that is not valid counts as none: W3C Trace
// Context (section 4, processing model) restarts the trace.
func (b *builder) traceparent() ([]byte, error) {
	span, err := message.ParseTraceparent(b.o.Traceparent)
	known := err == nil
	inherited, err := message.ParseTraceparent(b.parent.root.Get("traceparent").Text())
	if err == nil && (!known || inherited.TraceID != span.TraceID) {
		span, known = inherited, true
	}
	if known {
		span, err = span.Child(b.o.Random)
	} else {
		span, err = message.NewTraceparent(b.o.Random)
	}
	if err != nil {
		return nil, err
	}
	return jsontext.AppendQuote(nil, span.String())
}
