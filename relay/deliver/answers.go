package deliver

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// isOlder reports whether an answer is older than the latest known one. attempt is the sender's attempt that
// it answers, 0 if unknown. The receivers' numbers of the attempt are compared first, then their clocks,
// which may differ. Whatever the clocks report, a message was accepted before its agent ended, and before it
// was revoked; the answer to a revocation counts no attempts. After a failure of the agent and another
// dispatch, an acceptance is compared by the sender's attempt: the receivers' numbers may differ from it,
// since they also count failures of other messages of the task.
func (h *Handoff) isOlder(a *receiver.Answer, at time.Time, attempt int) bool {
	known := h.Answer
	if known == nil {
		return false
	}
	got := a.Status == receiver.Accepted || a.Status == receiver.Duplicate
	knew := known.Status == receiver.Accepted || known.Status == receiver.Duplicate
	same := a.Attempt == known.Attempt
	before := at.UnixMicro() < h.answered
	switch {
	case known.Reason == receiver.Revoked && got:
		return true
	case h.Revoked && knew && a.Reason == receiver.Revoked:
		return false
	case a.Attempt > known.Attempt, same && knew && (a.Reason == receiver.ExecutionFailed || a.Status == receiver.Completed):
		return false
	case same && got && known.Status == receiver.Completed:
		return true
	case known.Reason == receiver.ExecutionFailed && a.Status != receiver.Rejected:
		switch {
		case h.State != Waiting && h.State != Dispatched: // it was not sent again
			return true
		case attempt > 0:
			return attempt < h.Attempt
		}
	}
	return before
}

// take stores an answer, carried by m, in its handoff, and reports whether it is news. The newest answer
// counts. changed reports that the handoff must be saved: a refused answer is noted, and changes nothing
// else.
func (s *Sender) take(h *Handoff, a *receiver.Answer, m transport.Message) (news, changed bool) {
	at, err := time.Parse(time.RFC3339Nano, a.RecordedAt)
	// A successful end of the agent is final: a later answer can only be a duplicate.
	ended := a.Status == receiver.Completed && h.State == Accepted
	older := err == nil && h.isOlder(a, at, m.Attempt) && !ended
	if older && (s.options.Verifier == nil || h.AnswerCheck == AnswerVerified) || h.answer != "" && bytes.Equal([]byte(h.answer), m.Body) {
		return false, false
	}
	rejected := a.Status == receiver.Rejected
	if rejected && m.Attempt > 0 && m.Attempt < h.Attempt {
		return false, false // a late copy of an earlier attempt
	}
	check, key, why := s.check(h, a, m, at)
	if why != "" {
		return false, s.refuse(h, why)
	}
	// An answer about this message that the receiver signed outranks one that anybody could have written.
	better := check == AnswerVerified && h.Answer != nil && h.AnswerCheck != AnswerVerified && a.MessageDigest != audit.Hash{}
	withdrawn := h.Revoked && h.State == Accepted && a.Reason == receiver.Revoked
	if (older || rejected && h.State.Taken() && a.Reason != receiver.ExecutionFailed && !withdrawn) && !better {
		return false, false // an old answer, or another message with this id was rejected; the receiver still has the task
	}
	h.answer, h.answered, h.Answer = string(m.Body), at.UnixMicro(), a
	h.AnswerCheck, h.AnswerKey = check, key
	h.Escalated = a.Escalated || h.Escalated && rejected // an acceptance ends the escalation
	if !rejected {
		s.taken(h, a)
		return true, true
	}
	if withdrawn { // before an agent had it: the rollback is recorded
		h.State, h.since, h.settle, h.Problem = RolledBack, s.options.Now(), false, ""
	}
	if h.State == RolledBack || h.State == rolling {
		return true, true
	}
	h.failures++
	h.since = s.options.Now()
	h.State, h.settle = rolling, true
	if a.Retryable && a.Reason != receiver.ExecutionFailed && h.failures < s.options.Retries {
		h.State, h.settle = Rejected, false
	}
	h.unplan()
	return true, true
}

// taken notes that the receiver has the task.
func (s *Sender) taken(h *Handoff, a *receiver.Answer) {
	if h.State == RolledBack || h.State == rolling {
		h.Problem = "the receiver accepted it after the sender had taken it back: two agents may have the task"
	}
	if h.State == rolling { // the rollback has begun, and is recorded first
		return
	}
	now := s.options.Now()
	if h.State != Completed && h.State != Accepted {
		h.State, h.since, h.ask, h.askPause = Accepted, now, now, firstAsk
	}
	if a.Status == receiver.Completed {
		h.State, h.since = Completed, now
	}
	h.settle = h.Receivers > 1
	if !h.Revoked {
		h.unplan()
	}
}

// unplan cancels further publication. A process that is publishing the message notices.
func (h *Handoff) unplan() { h.Next, h.Tries = time.Time{}, 0 }

// storeAnswers makes the answers from an address durable. foreign holds the positions of answers for other
// addresses, which were not stored.
func (s *Sender) storeAnswers(ctx context.Context, address string, list []transport.Message) (news News, foreign []int, err error) {
	err = s.store.update(ctx, func(t *database.Tx) error {
		news, foreign = News{}, nil
		for i, m := range list {
			a, err := readAnswer(m.Body)
			if err != nil {
				news.Unknown++
				continue
			}
			h, elsewhere, err := s.answered(t, address, a)
			switch {
			case err != nil:
				return err
			case elsewhere:
				foreign = append(foreign, i)
				continue
			case h == nil:
				news.Unknown++
				continue
			}
			isNews, changed := s.take(h, a, m)
			if changed {
				if err := h.save(t); err != nil {
					return err
				}
			}
			if isNews {
				news.add(News{Handoffs: []*Handoff{h}})
			}
		}
		return nil
	})
	return news, foreign, err
}

// answered returns the handoff of an answer from an address, nil if there is none. elsewhere reports that it
// was sent to another address, which may be the same place in another spelling.
func (s *Sender) answered(t *database.Tx, address string, a *receiver.Answer) (h *Handoff, elsewhere bool, err error) {
	all, err := read(t, "WHERE handoff_id = ?"+s.store.forUpdate(), a.HandoffID)
	if err != nil {
		return nil, false, err
	}
	var list []*Handoff
	for _, h := range all {
		if h.Destination == address {
			list = append(list, h)
		}
	}
	if len(list) == 0 {
		return nil, len(all) > 0, nil
	}
	if i := slices.IndexFunc(list, func(h *Handoff) bool { return h.Receiver == a.Receiver }); i >= 0 {
		return list[i], false, nil
	}
	if len(list) > 1 { // several receivers at one address: the answer must name its receiver
		return nil, false, nil
	}
	return list[0], false, nil
}
