package sw4rm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Status is the HandoffStatus of a request.
type Status string

// The statuses. Expired belongs to the wire service.
const (
	Pending   Status = "PENDING"
	Accepted  Status = "ACCEPTED"
	Rejected  Status = "REJECTED"
	Completed Status = "COMPLETED"
	Expired   Status = "EXPIRED"
)

// An Action is an operation on a handoff.
type Action string

// The actions. Submit creates a handoff, whose status is [Pending].
const (
	Submit   Action = "request"
	Accept   Action = "accept"
	Reject   Action = "reject"
	Complete Action = "complete"
	Expire   Action = "expire"
)

// transitions lists the required statuses and the resulting status of each action. A handoff
// can also expire while it awaits an answer: the stored service allows it.
var transitions = []struct {
	action Action
	from   []Status
	to     Status
}{
	{Submit, []Status{""}, Pending},
	{Accept, []Status{Pending}, Accepted},
	{Reject, []Status{Pending}, Rejected},
	{Complete, []Status{Accepted}, Completed},
	{Expire, []Status{Pending, Accepted}, Expired},
}

// Actions returns all actions.
func Actions() []Action {
	var all []Action
	for _, t := range transitions {
		all = append(all, t.action)
	}
	return all
}

// actionNames returns the names of the actions.
func actionNames() string {
	var names []string
	for _, a := range Actions() {
		names = append(names, string(a))
	}
	return strings.Join(names, ", ")
}

// An Event is an action on a handoff.
type Event struct {
	Action             Action
	RequestID          string
	FromAgent, ToAgent string // only of [Submit]
}

// ReadEvent reads {"event": ACTION, "request_id", "from_agent", "to_agent"}, with any
// further members.
func ReadEvent(doc *jsonstream.Document) (Event, []finding.Finding) {
	f := &finder{}
	root := doc.Root()
	if root.Kind() != jsonstream.Object {
		f.fail("", root, "", "not an event: expected an object with event and request_id, found "+finding.QuoteValue(root))
		return Event{}, f.inOrder()
	}
	e := Event{
		Action: Action(f.text(root, "event", true)), RequestID: f.text(root, "request_id", false),
		FromAgent: f.text(root, "from_agent", false), ToAgent: f.text(root, "to_agent", false),
	}
	if v := root.Get("event"); v.Kind() == jsonstream.String && !slices.Contains(Actions(), e.Action) {
		f.fail("", v, "", fmt.Sprintf("unknown event %s: use one of %s", finding.QuoteValue(v), actionNames()))
	}
	return e, f.inOrder()
}

// A Code is the gRPC status of a rejection by the wire service.
type Code string

// The codes.
const (
	InvalidArgument    Code = "INVALID_ARGUMENT"
	AlreadyExists      Code = "ALREADY_EXISTS"
	NotFound           Code = "NOT_FOUND"
	FailedPrecondition Code = "FAILED_PRECONDITION"
)

// A TransitionError reports an event that the wire service rejects. The status is unchanged.
type TransitionError struct {
	Code   Code
	Reason string // the problem, the value found, and the remedy
}

func (e *TransitionError) Error() string { return string(e.Code) + ": " + e.Reason }

// A Ledger holds the statuses of handoffs by request_id. The zero value is empty.
type Ledger struct{ statuses map[string]Status }

// Apply applies an event to its handoff. from is "" for a new handoff. The error is a
// [*TransitionError]; then to equals from.
func (l *Ledger) Apply(e Event) (from, to Status, err error) {
	if l.statuses == nil {
		l.statuses = map[string]Status{}
	}
	from, known := l.statuses[e.RequestID]
	switch {
	case e.RequestID == "":
		return from, from, &TransitionError{InvalidArgument, "the request_id is empty: name the request"}
	case e.Action == Submit && e.FromAgent == "":
		return from, from, &TransitionError{InvalidArgument, "the from_agent is empty: name the agent that hands over"}
	case e.Action == Submit && e.ToAgent == "":
		return from, from, &TransitionError{InvalidArgument, "the to_agent is empty: name the agent that takes over"}
	case e.Action == Submit && known:
		return from, from, &TransitionError{AlreadyExists, fmt.Sprintf("the request already exists, and is %s: use another request_id", from)}
	case e.Action != Submit && !known:
		return from, from, &TransitionError{NotFound, "the request does not exist: its first event must be request"}
	}
	for _, t := range transitions {
		if t.action != e.Action {
			continue
		}
		if !slices.Contains(t.from, from) {
			return from, from, &TransitionError{FailedPrecondition,
				fmt.Sprintf("%s needs a handoff that is %s: it is %s", e.Action, either(t.from), from)}
		}
		l.statuses[strings.Clone(e.RequestID)] = t.to
		return from, t.to, nil
	}
	return from, from, &TransitionError{InvalidArgument, fmt.Sprintf("unknown event %s: use one of %s", finding.Quote(string(e.Action)), actionNames())}
}

// either returns the names of one or two statuses.
func either(statuses []Status) string {
	text := string(statuses[0])
	for _, s := range statuses[1:] {
		text += " or " + string(s)
	}
	return text
}
