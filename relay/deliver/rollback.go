package deliver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/receiver"
)

// A Rollback selects the handoff to roll back, with options.
type Rollback struct {
	HandoffID string
	Receiver  string // "" for all receivers
	// Force also rolls back handoffs that a receiver has accepted or not answered: then two agents may have
	// the task. The message is revoked.
	Force       bool
	Explanation string // a person's explanation; "" for none
	// Key signs the revocation, as it signs the sender's messages; nil for none: then receivers with keys
	// refuse the revocation.
	Key *sign.Key
}

// A RefusedError reports that a handoff was not rolled back because another agent has its task, or may have
// it.
type RefusedError struct {
	HandoffID string
	Taken     []string // receivers that have accepted it
	Unchecked []string // receivers in Taken whose answers are not verified
	Open      []string // receivers without an answer that may have received it
	Busy      []string // receivers to which it is being sent now
}

func (e *RefusedError) Error() string {
	var parts []string
	add := func(names []string, what string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+quoted(names))
		}
	}
	add(e.Taken, "it was accepted by")
	add(e.Open, "there is no answer yet from")
	add(e.Busy, "another process is sending it to")
	add(e.Unchecked, "there is only an unverified answer from")
	return finding.Quote(e.HandoffID) + " is not rolled back: " + strings.Join(parts, "; ") + ": two agents might then have the task"
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = finding.Quote(name)
	}
	return strings.Join(list, ", ")
}

// An UnknownError reports that the store has no such handoff, or no handoff of the task.
type UnknownError struct{ What, Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no %s %s was sent from this store", e.What, finding.Quote(e.Name))
}

// Rollback returns a task to its sender (section 6.3), and returns the checkpoint as received. It receives
// the waiting answers, and waits for missing ones until the context until ends. Messages that were never
// published are withdrawn. The error is a [*RefusedError] if the sender does not have the task, or an
// [*UnknownError]. For a handoff that was already rolled back, it returns the checkpoint again.
func (s *Sender) Rollback(ctx, until context.Context, r Rollback) ([]byte, error) {
	list, err := s.store.Find(ctx, r.HandoffID)
	if err != nil {
		return nil, err
	}
	list = r.Of(list)
	if len(list) == 0 {
		return nil, &UnknownError{"handoff", r.HandoffID + " to " + r.Receiver}
	}
	unheard := s.SweepFor(ctx, list)
	if unheard != nil && !errors.As(unheard, new(*UnheardError)) {
		return nil, unheard
	}
	if err := s.Wait(until, unanswered(list)); err != nil {
		return nil, err
	}
	if err := s.Settle(ctx); err != nil { // left over by an earlier run
		return nil, err
	}
	dispatched, err := s.dispatched(ctx, r.HandoffID)
	if err != nil {
		return nil, err
	}
	list, err = s.store.rollBack(ctx, r, dispatched, s.options.Now())
	if err != nil {
		if errors.As(err, new(*RefusedError)) && unheard != nil {
			err = errors.Join(err, unheard)
		}
		return nil, err
	}
	if err := s.Settle(ctx); err != nil {
		return nil, err
	}
	checkpoint, err := s.store.checkpoint(ctx, list[0].checkpoint)
	if err != nil {
		return nil, err
	}
	return checkpoint, s.publishRevocations(ctx, list)
}

// Of returns the handoffs that a rollback applies to.
func (r Rollback) Of(list []*Handoff) (of []*Handoff) {
	for _, h := range list {
		if r.Receiver == "" || r.Receiver == h.Receiver {
			of = append(of, h)
		}
	}
	return of
}

// unanswered returns the handoffs that the transport has: a rollback waits for their answers.
func unanswered(list []*Handoff) (open []*Handoff) {
	for _, h := range list {
		if h.State == Dispatched || h.State == Waiting && h.uncertain {
			open = append(open, h)
		}
	}
	return open
}

// dispatched returns the attempts of a handoff that the audit log has a record of: no others can have been
// published.
func (s *Sender) dispatched(ctx context.Context, handoff string) (map[attempt]bool, error) {
	known := map[attempt]bool{}
	err := s.log.Store().View(ctx, func(r audit.Reader) error {
		for record, err := range r.Records(audit.Filter{Handoffs: []string{handoff}, Events: []audit.Event{audit.Dispatched}}) {
			if err != nil {
				return err
			}
			known[attempt{record.HandoffID, record.Receiver, record.Attempt}] = true
		}
		return nil
	})
	return known, err
}

// rollBack decides on a rollback and durably begins it: from then on no process publishes the message.
func (s *Store) rollBack(ctx context.Context, r Rollback, dispatched map[attempt]bool, now time.Time) (list []*Handoff, err error) {
	err = s.update(ctx, func(t *database.Tx) error {
		all, err := read(t, "WHERE handoff_id = ? ORDER BY queued_at, position, receiver"+s.forUpdate(), r.HandoffID)
		if err != nil {
			return err
		}
		list = r.Of(all)
		refused := &RefusedError{HandoffID: r.HandoffID}
		for _, h := range list {
			alive, err := s.atWork(t, h)
			if err != nil {
				return err
			}
			published := h.uncertain || h.claimed != "" && dispatched[attempt{h.HandoffID, h.Receiver, h.Attempt}]
			switch {
			case h.State == RolledBack || h.State == rolling:
			case alive: // force does not help: it would be published after the rollback
				refused.Busy = append(refused.Busy, h.Receiver)
			case h.State.Taken() && !r.Force:
				refused.Taken = append(refused.Taken, h.Receiver)
				if h.AnswerCheck != AnswerVerified {
					refused.Unchecked = append(refused.Unchecked, h.Receiver)
				}
			case (h.State == Dispatched || h.State != Rejected && published) && !r.Force:
				refused.Open = append(refused.Open, h.Receiver)
			default:
				h.Revoked = h.State.Taken() || h.State == Dispatched || h.State != Rejected && published
				h.State, h.settle, h.Explanation, h.claimed, h.Problem = rolling, true, r.Explanation, "", ""
				h.unplan()
				if h.Revoked {
					text, err := s.revocation(h, r.Key, now)
					if err != nil {
						return err
					}
					h.revocation, h.RevocationSigned = string(text), r.Key != nil
				}
			}
		}
		if len(refused.Taken)+len(refused.Open)+len(refused.Busy) > 0 {
			return refused
		}
		for _, h := range list {
			if err := h.save(t); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// revocation returns the revocation of a handoff, signed unless the key is nil.
func (s *Store) revocation(h *Handoff, key *sign.Key, made time.Time) ([]byte, error) {
	return receiver.Revocation{HandoffID: h.HandoffID, TaskID: h.TaskID, Receiver: h.revokedFor(), Explanation: h.Explanation, Sender: h.Sender, Made: made}.AppendJSON(nil, key)
}

// publishRevocations publishes the revocations of a rollback at once. The outbox retries failed ones.
func (s *Sender) publishRevocations(ctx context.Context, list []*Handoff) error {
	own := map[place]bool{}
	for _, h := range list {
		if h.Revoked {
			own[place{h.HandoffID, h.Receiver}] = true
		}
	}
	if len(own) == 0 {
		return nil
	}
	claimed, err := s.store.claimOf(ctx, list[0].HandoffID)
	if err != nil {
		return err
	}
	return s.dispatch(ctx, claimed)
}

// claimOf claims the due, unclaimed messages of one handoff.
func (s *Store) claimOf(ctx context.Context, handoff string) (list []*Handoff, err error) {
	err = s.update(ctx, func(t *database.Tx) error {
		list, err = readWhole(t, "WHERE handoff_id = ? AND next_at IS NOT NULL AND claimed = ''"+s.forUpdate(), handoff)
		for _, h := range list {
			h.claimed = s.instance
			err = errors.Join(err, h.save(t))
		}
		return err
	})
	return list, err
}

// checkpoint returns a checkpoint as received.
func (s *Store) checkpoint(ctx context.Context, digest []byte) (text []byte, err error) {
	var frame []byte
	err = s.db.View(ctx, func(t *database.Tx) error {
		return t.QueryRow("SELECT frame FROM delivery_checkpoint WHERE digest = ?", digest).Scan(&frame)
	})
	if err != nil {
		return nil, fmt.Errorf("the checkpoint: %w", err)
	}
	return unpack(frame)
}

// Checkpoint returns the checkpoint of a handoff as received.
func (s *Store) Checkpoint(ctx context.Context, h *Handoff) ([]byte, error) {
	return s.checkpoint(ctx, h.checkpoint)
}

// Restore claims the rolled-back handoffs whose senders do not have their checkpoints yet, all of them or
// only the handoff with an id. While this process lives, no other restores them. [Store.Restored] releases
// them.
func (s *Store) Restore(ctx context.Context, handoff string) (list []*Handoff, err error) {
	err = s.update(ctx, func(t *database.Tx) error {
		list = nil
		where, args := "WHERE state = 'ROLLED_BACK' AND restored = 0", []any(nil)
		if handoff != "" {
			where, args = where+" AND handoff_id = ?", []any{handoff}
		}
		found, err := read(t, where+" ORDER BY queued_at, position"+s.forUpdate(), args...)
		if err != nil {
			return err
		}
		for _, h := range found {
			if h.restorer != "" {
				alive, err := t.Alive(h.restorer)
				if err != nil {
					return err
				}
				if alive {
					continue
				}
			}
			h.restorer = s.instance
			if err := h.save(t); err != nil {
				return err
			}
			list = append(list, h)
		}
		return nil
	})
	return list, err
}

// Restored notes whether the sender has its checkpoint. If not, it must be restored again.
func (s *Store) Restored(ctx context.Context, list []*Handoff, restored bool) error {
	return s.each(ctx, list, func(t *database.Tx, _ int, h *Handoff) error {
		if h.State != RolledBack {
			return nil
		}
		h.Restored, h.restorer = restored, ""
		return h.save(t)
	})
}
