package receiver

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

// A past is the recorded history of one copy of a message, or of its attempts.
type past struct {
	receiver    string         // receiver of the copy
	accepted    *audit.Stored  // record of its acceptance; nil if there is none
	pending     *audit.Pending // the instance that hands it over, or waits for its agent; nil if there is none
	plain       *audit.Hash    // digest of the accepted message, if this batch accepts it and its personal data is stored separately
	revocations []audit.Stored // of this copy, by any signer
	revoked     *audit.Stored  // record of the sender's revocation; nil if there is none
	ended       bool           // its agent has ended
	lost        *audit.Stored  // record of its acceptance, if it was rolled back later
	rolledBack  *audit.Stored  // record of that rollback
	failures    int
	deadLetters map[audit.Hash]bool // digests of dead letters
}

// A pair is a boundary between two agents in a task. A corrected message has a new id, but belongs to the
// same pair.
type pair struct{ task, sender, receiver string }

func pairOf(r *audit.Record) pair { return pair{r.TaskID, r.Sender, r.Receiver} }

// A history is the recorded history of some messages, with the additions of a batch.
type history struct {
	receiver *Receiver
	batch    *audit.Batch
	ids      map[string][]*past // the looked-up copies, by handoff id
	pairs    map[pair]int       // failures since the last acceptance
	accepted []audit.Pending

	takenOver []*takeover // by this batch
}

// known looks up the history of messages in the log.
func (r *Receiver) known(b *audit.Batch, deliveries []*Delivery) (*history, error) {
	h := &history{receiver: r, batch: b, ids: map[string][]*past{}, pairs: map[pair]int{}}
	var ids, tasks []string
	seen := map[string]bool{}
	for _, d := range deliveries {
		named := []string{d.record.HandoffID}
		if d.parentDigest != "" {
			named = append(named, d.record.ParentHandoffID)
		}
		for _, id := range named {
			if _, listed := h.ids[id]; id != "" && !listed {
				h.ids[id] = nil
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

// copy returns the history of a copy of a message.
func (h *history) copy(c audit.Copy) *past {
	for _, p := range h.ids[c.HandoffID] {
		if p.receiver == c.Receiver {
			return p
		}
	}
	p := &past{receiver: c.Receiver}
	if c.HandoffID != "" {
		h.ids[c.HandoffID] = append(h.ids[c.HandoffID], p)
	}
	return p
}

func (h *history) lookUpIDs(ids []string) error {
	var open []string
	for s, err := range h.batch.Records(audit.Filter{Handoffs: ids, Events: []audit.Event{
		audit.Accepted, audit.Rejected, audit.Completed, audit.ExecutionFailed, audit.RolledBack, audit.DeadLettered, audit.Revoked,
	}}) {
		if err != nil {
			return err
		}
		p := h.copy(s.Copy())
		switch s.Event {
		case audit.Accepted:
			p.accepted, p.ended, p.rolledBack = &s, false, nil
			open = append(open, s.HandoffID)
		case audit.Completed:
			p.ended = true
		case audit.Rejected, audit.ExecutionFailed:
			p.ended = p.ended || s.Event == audit.ExecutionFailed
			if isFailure(&s) {
				p.failures++
			}
		case audit.RolledBack: // the sender has the task again, and may send it again
			if isForced(&s) {
				break
			}
			for _, of := range h.ids[s.HandoffID] {
				if of == p || s.Receiver == "" {
					of.rollBack(&s)
				}
			}
		case audit.DeadLettered:
			p.deadLetter(s.MessageDigest)
		case audit.Revoked:
			p.revocations = append(p.revocations, s)
		}
	}
	if len(open) == 0 {
		return nil
	}
	list, err := h.batch.Pending(open...)
	for _, row := range list {
		h.copy(row.Copy()).pending = &row
	}
	return err
}

// isForced reports whether a ROLLED_BACK record is of a forced rollback, by a sender that shares the log: a
// receiver that accepted the message still has it. The receiver sees the revocation, and records the
// consequences.
func isForced(s *audit.Stored) bool { return s.Reason == Revoked && s.Details.Concerns == nil }

// lookUpTasks counts the failures of tasks. Most have none, and may have many acceptances.
func (h *history) lookUpTasks(tasks []string) error {
	var failed []string
	var first int64 // no earlier record counts
	for s, err := range h.batch.Records(audit.Filter{Tasks: tasks, Events: failures}) {
		if err != nil {
			return err
		}
		if !isFailure(&s) || slices.Contains(failed, s.TaskID) {
			continue
		}
		if failed == nil {
			first = s.Sequence
		}
		failed = append(failed, s.TaskID)
	}
	if failed == nil {
		return nil
	}
	ran := map[pair]int{} // failures before the agent's run, which may fail too
	for s, err := range h.batch.Records(audit.Filter{Tasks: failed, From: first, Events: append([]audit.Event{audit.Accepted}, failures...)}) {
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
			if isFailure(&s) {
				h.pairs[key]++
			}
		}
	}
	return nil
}

// isFailure reports whether a record of one of the events in failures counts as a failure. The arrival of a
// revoked message does not.
func isFailure(s *audit.Stored) bool { return s.Reason != Revoked }

// failures are the events that may count as failures.
var failures = []audit.Event{audit.Rejected, audit.ExecutionFailed}

// of returns the history of a message's copy, with the failures that count for it: its own failures or its
// pair's, whichever are more.
func (h *history) of(d *Delivery) *past {
	p := h.copy(d.record.Copy())
	if p.accepted == nil && d.record.TaskID != "" {
		p.failures = max(p.failures, h.pairs[pairOf(&d.record)])
	}
	for _, of := range h.ids[d.record.HandoffID] {
		if of != p && of.receiver != "" {
			continue
		}
		for i := range of.revocations {
			if h.receiver.counts(&of.revocations[i], d.record.Sender) {
				p.revoked = &of.revocations[i]
			}
		}
	}
	return p
}

// foreignParent returns the acceptance of the parent if its message differs from the message that gave the
// sender its task, according to this message; otherwise nil. After erasure of the parent's data this cannot
// be checked.
func (r *Receiver) foreignParent(ctx context.Context, h *history, d *Delivery) (*audit.Stored, error) {
	if d.parentDigest == "" {
		return nil, nil
	}
	digest, ok := message.ParseDigest(d.parentDigest)
	var foreign *audit.Stored
	for _, parent := range h.ids[d.record.ParentHandoffID] {
		if parent.accepted == nil {
			continue
		}
		foreign = parent.accepted
		if !ok {
			continue
		}
		is, err := r.isOf(ctx, h, parent, audit.Hash(digest))
		if erased := (*personal.ErasedError)(nil); is || errors.As(err, &erased) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return foreign, nil
}

// isOf reports whether a digest is the digest of the message accepted under an id. The error is a
// [*personal.ErasedError] if this can no longer be determined.
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

// accept notes that this batch accepts a message, and which process hands it over.
func (h *history) accept(s audit.Stored, own audit.Pending) {
	p := h.copy(s.Copy())
	p.accepted, p.pending, p.ended, p.rolledBack = &s, &own, false, nil
	h.pairs[pairOf(&s.Record)] = 0
	h.accepted = append(h.accepted, own)
}

// reject notes that this batch rejects a message.
func (h *history) reject(p *past, s audit.Stored) {
	if !isFailure(&s) {
		return
	}
	p.failures++
	h.pairs[pairOf(&s.Record)]++
}

// settle notes that this batch returns the task of an accepted message to its sender.
func (h *history) settle(p *past, s audit.Stored) {
	if isFailure(&s) {
		p.failures++
		h.pairs[pairOf(&s.Record)] = s.Attempt
	}
	p.pending = nil
	p.rollBack(&s)
}

// rollBack notes that a message's task returned to its sender.
func (p *past) rollBack(s *audit.Stored) {
	if p.accepted != nil {
		p.lost, p.rolledBack = p.accepted, s
	}
	p.accepted = nil
}

// deadLetter notes that a message is a dead letter, and reports whether it already was.
func (p *past) deadLetter(digest audit.Hash) bool {
	if p.deadLetters[digest] {
		return true
	}
	if p.deadLetters == nil {
		p.deadLetters = map[audit.Hash]bool{}
	}
	p.deadLetters[digest] = true
	return false
}
