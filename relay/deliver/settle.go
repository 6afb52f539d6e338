package deliver

import (
	"context"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/receiver"
)

// Settle appends the records that follow from answers and rollbacks and are missing from the audit log:
// ACKNOWLEDGED for each receiver of a fan-out, REVOKED, ROLLED_BACK, and ESCALATED at the failure after which
// a person is called, each once. [Sender.News] has the alerts.
func (s *Sender) Settle(ctx context.Context) error {
	select { // the news of another goroutine's settling must be there on return
	case s.settling <- struct{}{}:
		defer func() { <-s.settling }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		var list []*Handoff
		err := s.store.db.View(ctx, func(t *database.Tx) (err error) {
			list, err = read(t, "WHERE settle = 1 ORDER BY handoff_id, receiver LIMIT ?", groupSize)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		if err := s.settle(ctx, list); err != nil {
			return err
		}
	}
}

// settle settles some handoffs. A crash between the record and its note is harmless: the record is found.
func (s *Sender) settle(ctx context.Context, list []*Handoff) error {
	failures, err := s.store.failuresOf(ctx, list)
	if err != nil {
		return err
	}
	settled := make([]settlement, len(list))
	err = s.log.Append(ctx, func(b *audit.Batch) error {
		for i, h := range list {
			records, err := audit.List(b, audit.Filter{Handoffs: []string{h.HandoffID}, Events: []audit.Event{
				audit.Dispatched, audit.Acknowledged, audit.Revoked, audit.RolledBack, audit.Escalated,
			}})
			if err != nil {
				return err
			}
			settled[i] = settlement{Sender: s, batch: b, handoff: h, records: records}
			if err := settled[i].settle(failures[pairOf(h)] >= s.options.EscalateAfter); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	now := s.options.Now()
	var news News
	err = s.store.each(ctx, list, func(t *database.Tx, i int, h *Handoff) error {
		if !h.settle { // another process was faster, and sends the alerts
			return nil
		}
		h.settle = false
		h.Escalated = h.Escalated || settled[i].escalated
		news.add(News{Handoffs: list[i : i+1], Alerts: settled[i].alerts})
		if h.State == rolling {
			h.State, h.since, h.Restored = RolledBack, now, false
			if h.Revoked {
				h.Next = now // the revocation, which follows its record
			}
		}
		return h.save(t)
	})
	if err == nil {
		s.tell(news)
	}
	return err
}

// A settlement is a handoff with its records in the audit log.
type settlement struct {
	*Sender
	batch   *audit.Batch
	handoff *Handoff
	records []audit.Stored // in order

	alerts    []audit.Stored
	escalated bool
}

func (s *settlement) settle(escalate bool) error {
	h := s.handoff
	switch {
	case h.State.Taken():
		if s.has(audit.Acknowledged) == nil {
			_, err := s.batch.Add(s.newRecord(h, audit.Acknowledged), nil)
			return err
		}
		return nil
	case h.State != rolling:
		return nil
	}
	if h.Revoked && !slices.ContainsFunc(s.records, func(r audit.Stored) bool {
		return r.Event == audit.Revoked && (r.Receiver == "" || r.Receiver == h.Receiver)
	}) {
		record := s.newRecord(h, audit.Revoked)
		record.Reason, record.Details.Explanation = receiver.Revoked, h.Explanation
		record.Receiver = h.revokedFor()
		if _, err := s.batch.Add(record, nil); err != nil {
			return err
		}
	}
	back := s.has(audit.RolledBack)
	if back == nil {
		record := s.newRecord(h, audit.RolledBack)
		record.Reason, record.Details.Explanation = h.why()
		stored, err := s.batch.Add(record, nil)
		if err != nil {
			return err
		}
		back = &stored
	}
	s.alerts = append(s.alerts, *back)
	if !escalate {
		return nil
	}
	s.escalated = true
	if already := s.has(audit.Escalated); already != nil { // by the receiver
		s.alerts = append(s.alerts, *already)
		return nil
	}
	record := s.newRecord(h, audit.Escalated)
	record.Reason, record.Details.Concerns = back.Reason, &back.Sequence
	stored, err := s.batch.Add(record, nil)
	s.alerts = append(s.alerts, stored)
	return err
}

// revokedFor returns the receiver whose copy a revocation is about: "" for any, if there is one receiver,
// which may use another name for itself.
func (h *Handoff) revokedFor() string {
	if h.Receivers == 1 {
		return ""
	}
	return h.Receiver
}

// has returns the record of an event of this attempt, nil if there is none: it follows the dispatch of the
// attempt. The receiver may have added it, to the same log.
func (s *settlement) has(event audit.Event) (found *audit.Stored) {
	h, dispatched := s.handoff, false
	for i := range s.records {
		r := &s.records[i]
		own := r.Receiver == h.Receiver || h.Receivers == 1
		switch {
		case !own:
		case r.Event == audit.Dispatched && r.Attempt == h.Attempt:
			found, dispatched = nil, true
		case r.Event == event && (dispatched || r.Attempt == h.Attempt):
			found = r
		}
	}
	return found
}

// why returns the reason for a rollback, and an explanation.
func (h *Handoff) why() (finding.Reason, string) {
	switch {
	case h.Revoked:
		return receiver.Revoked, h.Explanation
	case h.Answer != nil && h.Answer.Status == receiver.Rejected:
		return h.Answer.Reason, ""
	default:
		return "", h.Explanation
	}
}

// A pair is the key under which failures are counted: a corrected message may have a new id.
type pair struct{ task, sender, receiver string }

func pairOf(h *Handoff) pair { return pair{h.TaskID, h.Sender, h.Receiver} }

// failuresOf counts the failed attempts of tasks between two agents.
func (s *Store) failuresOf(ctx context.Context, list []*Handoff) (map[pair]int, error) {
	failures := map[pair]int{}
	for _, h := range list {
		if h.State == rolling {
			failures[pairOf(h)] = 0
		}
	}
	err := s.db.View(ctx, func(t *database.Tx) error {
		for p := range failures {
			var n int
			if err := t.QueryRow("SELECT coalesce(sum(failures), 0) FROM delivery_handoff WHERE task_id = ? AND sender = ? AND receiver = ?", p.task, p.sender, p.receiver).Scan(&n); err != nil {
				return err
			}
			failures[p] = n
		}
		return nil
	})
	return failures, err
}
