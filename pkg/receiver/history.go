package receiver

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/personal"
	"github.com/eaapl/handoff/pkg/message"
)

// A past is what was recorded of the messages with one id, or of its attempts.
type past struct {
	accepted    *audit.Stored  // the record that accepted the id; nil if none did
	pending     *audit.Pending // who is handing it over; nil if it was handed over
	plain       *audit.Hash    // digest of the accepted message, if this batch accepts it and its personal data is apart
	failures    int
	deadLetters map[audit.Hash]bool // digests of messages that people have got
}

// A pair is a boundary of a task: a corrected message has a new id, and the same pair.
type pair struct{ task, sender, receiver string }

func pairOf(r *audit.Record) pair { return pair{r.TaskID, r.Sender, r.Receiver} }

// A history is what the log says of some messages, and what a batch adds to that.
type history struct {
	batch    *audit.Batch
	ids      map[string]*past
	pairs    map[pair]int // failures since the last acceptance
	accepted []audit.Pending
}

// known looks up what the log says of messages.
func (r *Receiver) known(b *audit.Batch, deliveries []*Delivery) (*history, error) {
	h := &history{batch: b, ids: map[string]*past{}, pairs: map[pair]int{}}
	var ids, tasks []string
	seen := map[string]bool{}
	for _, d := range deliveries {
		named := []string{d.record.HandoffID}
		if d.parentDigest != "" {
			named = append(named, d.record.ParentHandoffID)
		}
		for _, id := range named {
			if id != "" && h.ids[id] == nil {
				h.ids[id] = newPast()
				ids = append(ids, id)
			}
		}
		if task := d.record.TaskID; task != "" && !seen[task] {
			seen[task] = true
			tasks = append(tasks, task)
		}
	}
	for list := range slices.Chunk(ids, audit.MaxNamed) {
		if err := h.lookUpIDs(list); err != nil {
			return nil, err
		}
	}
	for list := range slices.Chunk(tasks, audit.MaxNamed) {
		if err := h.lookUpTasks(list); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func newPast() *past { return &past{deadLetters: map[audit.Hash]bool{}} }

func (h *history) lookUpIDs(ids []string) error {
	var open []string
	for s, err := range h.batch.Records(audit.Filter{Handoffs: ids, Events: []audit.Event{audit.Accepted, audit.Rejected, audit.ExecutionFailed, audit.RolledBack, audit.DeadLettered}}) {
		if err != nil {
			return err
		}
		p := h.ids[s.HandoffID]
		switch s.Event {
		case audit.Accepted:
			p.accepted = &s
			open = append(open, s.HandoffID)
		case audit.Rejected, audit.ExecutionFailed:
			p.failures++
		case audit.RolledBack: // the task is the sender's again, who may send it again
			p.accepted = nil
		case audit.DeadLettered:
			p.deadLetters[s.MessageDigest] = true
		}
	}
	if len(open) == 0 {
		return nil
	}
	list, err := h.batch.Pending(open...)
	for _, p := range list {
		h.ids[p.HandoffID].pending = &p
	}
	return err
}

// lookUpTasks counts the failures of tasks. Most have none, and may have many acceptances.
func (h *history) lookUpTasks(tasks []string) error {
	var failed []string
	for s, err := range h.batch.Records(audit.Filter{Tasks: tasks, Events: failures}) {
		if err != nil {
			return err
		}
		if !slices.Contains(failed, s.TaskID) {
			failed = append(failed, s.TaskID)
		}
	}
	if failed == nil {
		return nil
	}
	ran := map[pair]int{} // failures before the agent ran, which may fail too
	for s, err := range h.batch.Records(audit.Filter{Tasks: failed, Events: append([]audit.Event{audit.Accepted}, failures...)}) {
		if err != nil {
			return err
		}
		key := pairOf(&s.Record)
		switch s.Event {
		case audit.Accepted:
			ran[key], h.pairs[key] = h.pairs[key], 0
		case audit.ExecutionFailed:
			h.pairs[key] = ran[key] + 1
		default:
			h.pairs[key]++
		}
	}
	return nil
}

// failures are the events that count as one.
var failures = []audit.Event{audit.Rejected, audit.ExecutionFailed}

// of returns what is known of a message's id, with the failures that count for it: those of
// its id, or of its pair if there are more.
func (h *history) of(d *Delivery) *past {
	p := h.ids[d.record.HandoffID]
	if p == nil {
		p = newPast()
	}
	if p.accepted == nil && d.record.TaskID != "" {
		p.failures = max(p.failures, h.pairs[pairOf(&d.record)])
	}
	return p
}

// foreignParent reports whether a message says that its sender got the task by another
// message than the one that was accepted under the parent's id. Of a parent that was erased
// nobody can know.
func (r *Receiver) foreignParent(ctx context.Context, h *history, d *Delivery) (bool, error) {
	parent := h.ids[d.record.ParentHandoffID]
	if d.parentDigest == "" || parent == nil || parent.accepted == nil {
		return false, nil
	}
	digest, ok := message.ParseDigest(d.parentDigest)
	if !ok {
		return true, nil
	}
	is, err := r.isOf(ctx, h, parent, audit.Hash(digest))
	if erased := (*personal.ErasedError)(nil); errors.As(err, &erased) {
		return false, nil
	}
	return !is, err
}

// isOf reports whether a digest is that of the message that was accepted under an id. The
// error is a [*personal.ErasedError] if nobody can know any more.
func (r *Receiver) isOf(ctx context.Context, h *history, p *past, digest audit.Hash) (bool, error) {
	switch {
	case p.accepted.Details.PayloadDigest == nil:
		return p.accepted.MessageDigest == digest, nil
	case p.plain != nil:
		return *p.plain == digest, nil
	case r.options.Personal == nil:
		return false, &SealedError{p.accepted.Sequence}
	}
	return r.options.Personal.Same(ctx, h.batch, *p.accepted, digest)
}

// accept notes that this batch accepts a message.
func (h *history) accept(s audit.Stored, instance string) {
	own := audit.Pending{HandoffID: s.HandoffID, Sequence: s.Sequence, Instance: instance, Alive: true}
	p := h.ids[s.HandoffID]
	p.accepted, p.pending = &s, &own
	h.pairs[pairOf(&s.Record)] = 0
	h.accepted = append(h.accepted, own)
}

// reject notes that this batch rejects a message.
func (h *history) reject(p *past, s audit.Stored) {
	p.failures++
	h.pairs[pairOf(&s.Record)]++
}
