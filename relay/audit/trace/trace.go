// Package trace reconstructs the history of a task from the records of the audit log (EAAPL-MAG006, section
// 8.2): the tree of its handoffs, their costs, the content received and the conclusions made by each agent,
// and the handoff that introduced a value (section 6.2).
package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
)

// A Task is the history of a task in the log. Its tree contains the accepted handoffs, as built by package
// chain from their messages, and the others as branches without cost. Its Total covers the accepted ones.
type Task struct {
	*chain.Task
	Handoffs []*Handoff // ordered by their first records
	byNode   map[*chain.Node]*Handoff
}

// A Handoff is the history of a handoff in the log.
type Handoff struct {
	*chain.Node
	Records []audit.Stored
	// Accepted is the record of its last acceptance; nil if there is none.
	Accepted *audit.Stored
	// Status is its current status; with several copies, the status of Accepted's copy.
	Status audit.Event
	// Copies are the histories at each receiver, if several got it (section 14.2), ordered by their first
	// records; nil if there was only one.
	Copies []Copy
}

// A Copy is the history of a handoff at one receiver.
type Copy struct {
	Receiver string
	Status   audit.Event
}

// An UnknownTaskError reports that the log has no record of a task.
type UnknownTaskError struct{ ID string }

func (e *UnknownTaskError) Error() string {
	return fmt.Sprintf("the audit log has no record of task %s", finding.Quote(e.ID))
}

// Read reads the history of a task. A UUID may be in upper case. If there is no record, the error is an
// [*UnknownTaskError].
func Read(r audit.Reader, id string) (*Task, error) {
	t, err := collect(r, id)
	if err != nil {
		return nil, err
	}
	return t, t.grow(r)
}

// Spellings returns the possible spellings of an id in the log: a UUID may be in upper case.
func Spellings(id string) []string {
	list := []string{id, strings.ToLower(id), strings.ToUpper(id)}
	slices.Sort(list)
	return slices.Compact(list)
}

// collect reads the records of a task, without building the tree. If there are none, the error is an
// [*UnknownTaskError].
func collect(r audit.Reader, id string) (*Task, error) {
	if id == "" {
		return nil, &UnknownTaskError{id}
	}
	t := &Task{Task: &chain.Task{ID: id}, byNode: map[*chain.Node]*Handoff{}}
	named := map[string]*Handoff{}
	for s, err := range r.Records(audit.Filter{Tasks: Spellings(id)}) {
		if err != nil {
			return nil, err
		}
		key := strings.ToLower(s.HandoffID)
		h := named[key]
		if h == nil || key == "" {
			h = &Handoff{}
			named[key] = h
			t.Handoffs = append(t.Handoffs, h)
		}
		h.Records = append(h.Records, s)
	}
	if len(t.Handoffs) == 0 {
		return nil, &UnknownTaskError{id}
	}
	for _, h := range t.Handoffs {
		for i := range h.Records {
			if s := &h.Records[i]; s.Event == audit.Accepted {
				h.Accepted = s
			}
		}
		h.assess()
	}
	return t, nil
}

// assess sets the status of a handoff, and of its copies.
func (h *Handoff) assess() {
	h.Status = status(h.Records, h.Accepted)
	var receivers []string
	for _, s := range h.Records {
		if (s.Event == audit.Accepted || s.Event == audit.Rejected) && !slices.Contains(receivers, s.Receiver) {
			receivers = append(receivers, s.Receiver)
		}
	}
	if len(receivers) < 2 {
		return
	}
	for _, receiver := range receivers {
		var records []audit.Stored
		var accepted *audit.Stored
		for i := range h.Records {
			if s := &h.Records[i]; s.Receiver == receiver || s.Receiver == "" {
				records = append(records, *s)
				if s.Event == audit.Accepted {
					accepted = s
				}
			}
		}
		c := Copy{receiver, status(records, accepted)}
		h.Copies = append(h.Copies, c)
		if h.Accepted != nil && h.Accepted.Receiver == receiver {
			h.Status = c.Status
		}
	}
}

// status returns the current status of a handoff or a copy of it. Some events do not change it: duplicates,
// escalations, erasure; a revocation, or an agent's early beginning, after acceptance; and events of another
// message with the id of an accepted one.
func status(records []audit.Stored, accepted *audit.Stored) audit.Event {
	status := records[0].Event
	for _, s := range records {
		switch s.Event {
		case audit.Duplicate, audit.Escalated, audit.Acknowledged, audit.Erased, audit.Refused:
		case audit.Revoked, audit.Begun:
			if accepted == nil || s.Sequence < accepted.Sequence {
				status = s.Event
			}
		case audit.Rejected, audit.DeadLettered, audit.Discarded:
			if accepted == nil || s.Sequence < accepted.Sequence || s.MessageDigest == accepted.MessageDigest {
				status = s.Event
			}
		default:
			status = s.Event
		}
	}
	return status
}

// Told returns the record with the most data about the handoff's message: its acceptance, or the first one
// with a message.
func (h *Handoff) Told() *audit.Stored {
	if h.Accepted != nil {
		return h.Accepted
	}
	for i := range h.Records {
		if h.Records[i].MessageBytes > 0 {
			return &h.Records[i]
		}
	}
	return &h.Records[0]
}

// Run returns the duration of the receiver's agent's run, 0 if unknown.
func (h *Handoff) Run() time.Duration {
	for _, s := range slices.Backward(h.Records) {
		if s.Details.DurationMicros > 0 {
			return time.Duration(s.Details.DurationMicros) * time.Microsecond
		}
	}
	return 0
}

// Of returns the handoff of a node of the tree.
func (t *Task) Of(n *chain.Node) *Handoff { return t.byNode[n] }

// grow builds the tree.
func (t *Task) grow(r audit.Reader) error {
	checker := chain.New(chain.Unchecked())
	known := map[string]*Handoff{}
	for _, h := range t.accepted() {
		known[strings.ToLower(h.Accepted.HandoffID)] = h
	}
	records, err := t.acceptances(r)
	if err != nil {
		return err
	}
	for i := range records {
		checker.Add(Outline(&records[i]))
	}
	for _, task := range checker.Tasks() {
		if strings.EqualFold(task.ID, t.ID) {
			t.Task = task
		}
	}
	for n := range t.Nodes() {
		if h := known[strings.ToLower(n.HandoffID)]; h != nil {
			h.Node, t.byNode[n] = n, h
		}
	}
	for _, h := range t.Handoffs {
		if h.Accepted == nil {
			t.graft(h, known)
		}
	}
	return nil
}

// graft adds an unaccepted handoff below its parent.
func (t *Task) graft(h *Handoff, known map[string]*Handoff) {
	told := h.Told()
	h.Node = &chain.Node{Message: Outline(told)}
	t.byNode[h.Node] = h
	t.Messages++
	parent := known[strings.ToLower(told.ParentHandoffID)]
	if parent == nil || parent.Node == nil {
		t.Roots = append(t.Roots, h.Node)
		return
	}
	h.Parent = parent.Node
	parent.Children = append(slices.Clip(parent.Children), h.Node)
	slices.SortStableFunc(parent.Children, func(a, b *chain.Node) int { return a.Time.Compare(b.Time) })
}

// Accepted returns the records of the acceptances of a task's handoffs, only the last one of each, and of
// their parents in other tasks. If there is no record of the task, the error is an [*UnknownTaskError].
func Accepted(r audit.Reader, id string) ([]audit.Stored, error) {
	t, err := collect(r, id)
	if err != nil {
		return nil, err
	}
	return t.acceptances(r)
}

// acceptances implements [Accepted].
func (t *Task) acceptances(r audit.Reader) ([]audit.Stored, error) {
	var list []audit.Stored
	for _, h := range t.accepted() {
		list = append(list, *h.Accepted)
	}
	parents, err := Parents(r, list)
	return append(list, parents...), err
}

// Parents returns the records of the acceptances of accepted handoffs' parents, only the last one of each,
// except parents that are among these handoffs.
func Parents(r audit.Reader, accepted []audit.Stored) ([]audit.Stored, error) {
	known := map[string]bool{}
	for i := range accepted {
		known[strings.ToLower(accepted[i].HandoffID)] = true
	}
	var ids []string
	for i := range accepted {
		if id := accepted[i].ParentHandoffID; id != "" && !known[strings.ToLower(id)] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var list []audit.Stored
	for some := range slices.Chunk(slices.Compact(ids), audit.MaxNamed) {
		found, err := audit.List(r, audit.Filter{Handoffs: some, Events: []audit.Event{audit.Accepted}})
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return Last(list), nil
}

// Last returns the last acceptance of each handoff: after a rollback there may be several.
func Last(accepted []audit.Stored) []audit.Stored {
	var list []audit.Stored
	places := map[string]int{} // indexes in list, by handoff
	for _, s := range accepted {
		id := strings.ToLower(s.HandoffID)
		at, again := places[id]
		switch {
		case !again:
			places[id] = len(list)
			list = append(list, s)
		case s.Sequence > list[at].Sequence:
			list[at] = s
		}
	}
	return list
}

// Outline returns the recorded data of a message, for package chain. It has the record's time.
func Outline(s *audit.Stored) *chain.Message {
	m := chain.Message{
		HandoffID: s.HandoffID, TaskID: s.TaskID, ParentID: s.ParentHandoffID, From: s.Sender, To: s.Receiver,
		Receivers: s.Details.Receivers, Time: s.RecordedAt,
	}
	spent, spentErr := decimal(s.CostSpentUSD)
	left, leftErr := decimal(s.CostRemainingUSD)
	m.Cost = chain.Cost{SpentUSD: spent, RemainingUSD: left, Prompt: s.PromptTokens, Completion: s.CompletionTokens}
	return chain.NewMessage(m, chain.Outline{
		Dollars: cmp.Or(spentErr, leftErr) == nil,
		// A record does not distinguish zero from unknown: then the values of the parent's message remain.
		Tokens: s.PromptTokens != 0 || s.CompletionTokens != 0,
	})
}

func decimal(text string) (message.Decimal, error) { return message.Number(text).Decimal() }
