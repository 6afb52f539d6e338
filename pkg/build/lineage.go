package build

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func (b *builder) isFirst() bool { return b.o.Parent == nil }

func (b *builder) parentHandoffID() []byte {
	if b.isFirst() {
		return []byte("null")
	}
	id := b.parent.root.Get("handoffId")
	b.parent.expect("/handoffId", id, jsonstream.String)
	return id.Raw()
}

func (b *builder) taskID() []byte {
	own := b.state.get("taskId", jsonstream.String)
	if b.isFirst() {
		if own.Exists() {
			return own.Raw()
		}
		return b.newID()
	}
	id := b.parent.root.Get("taskId")
	b.parent.expect("/taskId", id, jsonstream.String)
	// UUIDs are equal in either case.
	if own.Exists() && !strings.EqualFold(own.Text(), id.Text()) {
		b.state.fail("/taskId", "%s is not the parent's task, %s: leave it out, or give the parent of this task",
			finding.QuoteValue(own), finding.QuoteValue(id))
	}
	return id.Raw()
}

func (b *builder) taskDescription() []byte {
	own := b.state.get("taskDescription", jsonstream.String)
	if own.Exists() {
		return own.Raw()
	}
	if b.isFirst() {
		b.state.fail("/taskDescription", "missing: describe the receiver's task")
		return nil
	}
	inherited := b.parent.get("taskDescription", jsonstream.String)
	if !inherited.Exists() || inherited.Text() == message.Initial {
		b.state.fail("/taskDescription",
			"missing, and the parent has none to pass on (%s marks a first handoff): describe the receiver's task", message.Initial)
	}
	return inherited.Raw()
}

func (b *builder) constraints() []byte {
	seen := make(map[string]bool)
	all := []byte{'['}
	add := func(text string, raw []byte) {
		if !seen[text] {
			seen[text] = true
			all = append(jsonstream.AppendComma(all), raw...)
		}
	}
	for _, in := range []input{b.parent, b.state} {
		for _, c := range in.list("constraints") {
			in.expect(c.Pointer(), c, jsonstream.String)
			add(c.Text(), c.Raw())
		}
	}
	for _, c := range b.o.Constraints {
		b.checkText("constraint", c)
		add(c, b.quote(c))
	}
	return append(all, ']')
}

func (b *builder) completedSubtasks() []byte {
	return array(append(b.carriedSubtasks(), b.state.list("completedSubtasks")...))
}

// carriedSubtasks returns the parent's completed subtasks that the state does not name.
func (b *builder) carriedSubtasks() []jsonstream.Value {
	return without(b.parent.list("completedSubtasks"), b.state.list("completedSubtasks"), b.state.list("remainingSubtasks"))
}

func (b *builder) remainingSubtasks() []byte {
	if b.state.root.Get("remainingSubtasks").Exists() || b.isFirst() {
		return b.copied("remainingSubtasks", "[]")()
	}
	done, doneBefore := b.state.list("completedSubtasks"), b.parent.list("completedSubtasks")
	return array(without(b.parent.list("remainingSubtasks"), done, doneBefore))
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

// traceparent makes the message a span of the task's trace. The parent message determines the
// trace: an agent that started its own trace when it took the message from a queue would
// otherwise cut the task's trace in two. The caller's span is the parent span if it belongs to
// that trace or if there is no parent message. An invalid traceparent counts as absent: W3C
// Trace Context (section 4, processing model) restarts the trace.
func (b *builder) traceparent() []byte {
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
	b.note(err)
	return b.quote(span.String())
}
