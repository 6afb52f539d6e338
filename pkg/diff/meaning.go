package diff

import (
	"maps"

	"github.com/shopspring/decimal"

	"github.com/eaapl/handoff/pkg/equal"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Meaning is what the difference between two handoff messages comes to. But for
// Turns, all of it is of canonical messages only.
type Meaning struct {
	AnotherTask  bool
	Before, Then Route // zero if they are the same

	// Subtasks, by their subtaskId.
	Completed      int // remained, and are completed
	Lost           int // stood in either list, and stand in none
	Reopened       int // were completed, and remain
	SubtasksAdded  int
	ResultsChanged int // of subtasks completed in both

	ConstraintsDropped, ConstraintsAdded int
	StateLost, StateAdded                int // members of currentState

	Turns Turns

	Tokens *decimal.Decimal // how many more were spent, of prompts and completions; nil where a message does not say
	Budget *decimal.Decimal // by how many US dollars what is left grew; nil where a message does not say

	Signature Signature
}

// A Route is between whom a message goes: agentId and agentType.
type Route struct{ From, To string }

// Turns counts what became of the turns of a conversation.
type Turns struct{ Added, Removed, Changed, Moved int }

// A Signature is what became of a message's signature. Whether it holds is
// nothing that a comparison can tell.
type Signature string

// What can become of a signature.
const (
	SignatureKept    Signature = ""      // it stayed, and so did what it covers; or there is none
	SignatureStale   Signature = "stale" // it stayed, but what it covers did not: it holds for one of the messages at most
	SignatureAdded   Signature = "added"
	SignatureRemoved Signature = "removed"
	SignatureAnew    Signature = "anew" // another one
)

// MeaningOf returns what it means that a became b, nil unless they are messages of
// the same format. The turns are those of e, which compared the two; all else is
// read from the messages, whatever the comparison left out.
func MeaningOf(a, b *jsonstream.Document, e *Edit) *Meaning {
	old, ok := format.Detect(a.Root())
	if now, same := format.Detect(b.Root()); !ok || !same || old != now {
		return nil
	}
	m := &Meaning{Turns: turnsOf(old, a, b, e)}
	if old == format.EAAPL {
		m.route(a.Root(), b.Root())
		m.subtasks(a.Root(), b.Root())
		m.ConstraintsDropped, m.ConstraintsAdded = differing(texts(a.Root().Get("constraints")), texts(b.Root().Get("constraints")))
		m.StateLost, m.StateAdded = differing(names(a.Root().Get("currentState")), names(b.Root().Get("currentState")))
		m.costs(a.Root().Get("costTracking"), b.Root().Get("costTracking"))
		m.signature(a.Root(), b.Root())
	}
	return m
}

func (m *Meaning) route(a, b jsonstream.Value) {
	m.AnotherTask = !equal.Values(a.Get("taskId"), b.Get("taskId"))
	if before, then := routeOf(a), routeOf(b); before != then {
		m.Before, m.Then = before, then
	}
}

func routeOf(message jsonstream.Value) Route {
	return Route{message.At("/fromAgent/agentId").Text(), message.At("/toAgent/agentType").Text()}
}

// subtasks compares both lists of both messages. A subtask that stands in both
// lists of a message is completed.
func (m *Meaning) subtasks(a, b jsonstream.Value) {
	wasDone, wasLeft := byID(a.Get("completedSubtasks")), byID(a.Get("remainingSubtasks"))
	done, left := byID(b.Get("completedSubtasks")), byID(b.Get("remainingSubtasks"))
	for id, s := range wasDone {
		switch {
		case done[id].Exists():
			if !equal.Values(s.Get("result"), done[id].Get("result")) {
				m.ResultsChanged++
			}
		case left[id].Exists():
			m.Reopened++
		}
	}
	for id := range wasLeft {
		if !wasDone[id].Exists() && done[id].Exists() {
			m.Completed++
		}
	}
	maps.Copy(wasDone, wasLeft)
	maps.Copy(done, left)
	m.Lost, m.SubtasksAdded = differing(wasDone, done)
}

// byID returns the subtasks of a list that have a subtaskId.
func byID(list jsonstream.Value) map[string]jsonstream.Value {
	subtasks := make(map[string]jsonstream.Value)
	for _, s := range list.Elements() {
		if id := s.Get("subtaskId"); id.Kind() == jsonstream.String {
			subtasks[id.Text()] = s
		}
	}
	return subtasks
}

func texts(list jsonstream.Value) map[string]jsonstream.Value {
	set := make(map[string]jsonstream.Value)
	for _, v := range list.Elements() {
		if v.Kind() == jsonstream.String {
			set[v.Text()] = v
		}
	}
	return set
}

func names(object jsonstream.Value) map[string]jsonstream.Value {
	return maps.Collect(object.Members())
}

// differing counts the keys that only one of the sets has.
func differing(a, b map[string]jsonstream.Value) (lost, added int) {
	both := 0
	for key := range a {
		if b[key].Exists() {
			both++
		}
	}
	return len(a) - both, len(b) - both
}

func (m *Meaning) costs(a, b jsonstream.Value) {
	m.Budget = delta(a, b, "/costBudgetRemainingUSD")
	m.Tokens = delta(a, b, "/tokenSpent/prompt", "/tokenSpent/completion")
}

// delta returns by how much the sum of some numbers grew, nil unless all are there
// and safe to compute with.
func delta(a, b jsonstream.Value, pointers ...string) *decimal.Decimal {
	sum := decimal.Zero
	for _, p := range pointers {
		was, err := number(a.At(p))
		if err != nil {
			return nil
		}
		is, err := number(b.At(p))
		if err != nil {
			return nil
		}
		sum = sum.Add(is).Sub(was)
	}
	return &sum
}

func number(v jsonstream.Value) (decimal.Decimal, error) {
	return message.Number(v.Raw()).Decimal() // fails for what is not a number
}

func (m *Meaning) signature(a, b jsonstream.Value) {
	was, is := a.Get("signature"), b.Get("signature")
	signedBefore, signedNow := isSigned(was), isSigned(is)
	switch {
	case !signedBefore && !signedNow:
	case !signedBefore:
		m.Signature = SignatureAdded
	case !signedNow:
		m.Signature = SignatureRemoved
	case !equal.Values(was, is):
		m.Signature = SignatureAnew
	case !equal.Values(a, b):
		m.Signature = SignatureStale
	}
}

func isSigned(signature jsonstream.Value) bool {
	return signature.Exists() && signature.Kind() != jsonstream.Null
}

// turnsOf counts the edits of the lists of turns, which an SW4RM request has in its
// snapshot.
func turnsOf(f format.Format, a, b *jsonstream.Document, e *Edit) Turns {
	if e != nil && f == format.SW4RMRequest {
		e = child(e, "context_snapshot")
		switch {
		case e == nil:
		case e.Inside != nil:
			e = e.Inside
		case e.Edits == nil:
			return turnsApart(a, b)
		}
	}
	var t Turns
	if e == nil {
		return t
	}
	for _, name := range history.ListNames(f) {
		if edit := child(e, name); edit != nil {
			t.add(edit)
		}
	}
	return t
}

// turnsApart counts the turns of messages whose conversations cannot be compared: if
// only one has any, all came or went.
func turnsApart(a, b *jsonstream.Document) Turns {
	old, err := history.Of(a, jsonstream.Unlimited())
	if err != nil {
		return Turns{}
	}
	then, err := history.Of(b, jsonstream.Unlimited())
	if err != nil || len(old.Turns) > 0 && len(then.Turns) > 0 {
		return Turns{}
	}
	return Turns{Removed: len(old.Turns), Added: len(then.Turns)}
}

// child returns the edit of a member, nil if it stayed.
func child(e *Edit, name string) *Edit {
	for _, inner := range e.Edits {
		if inner.New.Name() == name || inner.Old.Name() == name {
			return inner
		}
	}
	return nil
}

// add counts what became of a list.
func (t *Turns) add(list *Edit) {
	if list.Edits == nil && list.Old.Kind() == jsonstream.String && list.New.Kind() == jsonstream.String {
		t.Changed++ // the input_history of one user turn
		return
	}
	if list.Edits == nil {
		t.Removed += turnsIn(list.Old)
		t.Added += turnsIn(list.New)
	}
	for _, turn := range list.Edits {
		switch turn.Kind {
		case Added:
			t.Added++
		case Removed:
			t.Removed++
		case Changed:
			t.Changed++
		case Moved:
			t.Moved++
		}
	}
}

func turnsIn(list jsonstream.Value) int {
	switch list.Kind() {
	case jsonstream.Array:
		return list.Len()
	case jsonstream.String:
		return 1
	default:
		return 0
	}
}
