package diff

import (
	"cmp"
	"maps"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// A Meaning is what the difference between two handoff messages comes to. Turns are
// those of any format; what is not said to be of another one is of canonical messages
// only.
type Meaning struct {
	AnotherTask  bool
	Before, Then Route // zero if they are the same; also of SW4RM requests

	CapabilitiesDropped, CapabilitiesAdded int // that SW4RM requests ask for

	AnswerBefore, Answer string // of SW4RM responses: their status; "" if they are the same

	// Messages of a MACP transcript, and those that were added by what they do.
	Messages                               Counts
	Offered, Accepted, Declined, Committed int

	// Subtasks, by their subtaskId.
	Completed      int // remained, and are completed
	Lost           int // stood in either list, and stand in none
	Reopened       int // were completed, and remain
	SubtasksAdded  int
	ResultsChanged int // of subtasks completed in both

	ConstraintsDropped, ConstraintsAdded int
	StateLost, StateAdded                int // members of currentState

	Turns Counts

	// How many tokens more were spent, of prompts and completions, and by how many US
	// dollars what is left grew: decimal numbers, such as -0.25, or "" where a message
	// does not say.
	Tokens, Budget string

	Signature Signature
}

// A Route is between whom a message goes: agentId and agentType, or from_agent and
// to_agent.
type Route struct{ From, To string }

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
// the same format: of f, or of the one that both look like if f is "". The turns and messages are those of e, which compared the two; all
// else is read from the messages, whatever the comparison left out.
func MeaningOf(a, b *jsonstream.Document, e *Edit, f format.Format) *Meaning {
	if f = formatOf(a.Root(), b.Root(), f); f == "" {
		return nil
	}
	m := &Meaning{Turns: turnsOf(f, a, b, e)}
	switch f {
	case format.EAAPL:
		m.AnotherTask = !equal.Values(a.Root().Get("taskId"), b.Root().Get("taskId"))
		m.route(a.Root(), b.Root(), "/fromAgent/agentId", "/toAgent/agentType")
		m.subtasks(a.Root(), b.Root())
		m.ConstraintsDropped, m.ConstraintsAdded = differing(texts(a.Root().Get("constraints")), texts(b.Root().Get("constraints")))
		m.StateLost, m.StateAdded = differing(names(a.Root().Get("currentState")), names(b.Root().Get("currentState")))
		m.costs(a.Root().Get("costTracking"), b.Root().Get("costTracking"))
		m.signature(a.Root(), b.Root())
	case format.SW4RMRequest:
		const needed = "capabilities_required"
		m.route(a.Root(), b.Root(), "/from_agent", "/to_agent")
		m.CapabilitiesDropped, m.CapabilitiesAdded = differing(texts(a.Root().Get(needed)), texts(b.Root().Get(needed)))
	case format.SW4RMResponse:
		if before, then := answerOf(a.Root()), answerOf(b.Root()); before != then {
			m.AnswerBefore, m.Answer = before, then
		}
	case format.MACP:
		m.messages(e)
	}
	return m
}

// answerOf returns the status of an SW4RM response, or what accepted comes to.
func answerOf(response jsonstream.Value) string {
	if status := response.Get("status").Text(); status != "" {
		return status
	}
	switch response.Get("accepted").Kind() {
	case jsonstream.True:
		return "ACCEPTED"
	case jsonstream.False:
		return "REJECTED"
	default:
		return "?"
	}
}

// messages counts what became of the messages of a transcript.
func (m *Meaning) messages(e *Edit) {
	if e == nil {
		return
	}
	list := child(e, "messages")
	if list == nil {
		return
	}
	m.Messages.add(list)
	for _, inner := range list.Edits {
		if inner.Kind != Added {
			continue
		}
		switch cmp.Or(inner.New.Get("message_type").Text(), inner.New.Get("messageType").Text()) {
		case "HandoffOffer":
			m.Offered++
		case "HandoffAccept":
			m.Accepted++
		case "HandoffDecline":
			m.Declined++
		case "Commitment":
			m.Committed++
		}
	}
}

// route compares between whom the messages go, by the pointers of their names.
func (m *Meaning) route(a, b jsonstream.Value, from, to string) {
	before, then := Route{a.At(from).Text(), a.At(to).Text()}, Route{b.At(from).Text(), b.At(to).Text()}
	if before != then {
		m.Before, m.Then = before, then
	}
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

// delta returns by how much the sum of some numbers grew, "" unless all are there and
// safe to compute with.
func delta(a, b jsonstream.Value, pointers ...string) string {
	var sum message.Decimal
	for _, p := range pointers {
		was, err := number(a.At(p))
		if err != nil {
			return ""
		}
		is, err := number(b.At(p))
		if err != nil {
			return ""
		}
		sum = sum.Add(is).Sub(was)
	}
	return sum.String()
}

func number(v jsonstream.Value) (message.Decimal, error) {
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
