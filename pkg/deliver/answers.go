package deliver

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/internal/database"
	"github.com/eaapl/handoff/pkg/receiver"
	"github.com/eaapl/handoff/pkg/transport"
)

// parseAnswer reads an answer as receivers write it.
func parseAnswer(text []byte) (*receiver.Answer, error) {
	a := &receiver.Answer{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("an answer is none: %w", err)
	}
	return a, nil
}

// isOlder reports whether an answer to an attempt of the sender, 0 if nobody says, is older than the
// one that is known: by the receivers' number of the attempt, or else by their clocks, which may be
// apart. What an agent has that has failed was accepted before, whatever the clocks say.
func (h *Handoff) isOlder(a *receiver.Answer, at time.Time, attempt int) bool {
	known := h.Answer
	if known == nil || a.Attempt > known.Attempt {
		return false
	}
	before := at.UnixMicro() < h.answered
	if known.Reason == receiver.ExecutionFailed && a.Status != receiver.Rejected {
		sentAgain := h.State == Waiting || h.State == Dispatched
		return !sentAgain || before && attempt < h.Attempt
	}
	return before
}

// take puts an answer, which m carries, into its handoff, and reports whether it is news. The
// newest answer counts.
func (s *Sender) take(h *Handoff, a *receiver.Answer, m transport.Message) bool {
	at, err := time.Parse(time.RFC3339Nano, a.RecordedAt)
	// That the agent has ended well is final: a later answer may only say that it came again.
	ended := a.Status == receiver.Completed && h.State == Accepted
	if err != nil || h.isOlder(a, at, m.Attempt) && !ended || h.answer != "" && bytes.Equal([]byte(h.answer), m.Body) {
		return false
	}
	rejected := a.Status == receiver.Rejected
	if rejected && m.Attempt > 0 && m.Attempt < h.Attempt {
		return false // a copy of an earlier attempt came late
	}
	if rejected && h.State.Taken() && a.Reason != receiver.ExecutionFailed {
		return false // another message of the id was rejected; the receiver still has the task
	}
	h.answer, h.answered, h.Answer = string(m.Body), at.UnixMicro(), a
	h.Escalated = a.Escalated || h.Escalated && rejected // whoever has taken it has solved that
	if !rejected {
		s.taken(h, a)
		return true
	}
	if h.State == RolledBack || h.State == rolling {
		return true
	}
	h.failures++
	h.since = s.options.Now()
	h.State, h.settle = rolling, true
	if a.Retryable && a.Reason != receiver.ExecutionFailed && h.failures < s.options.Retries {
		h.State, h.settle = Rejected, false
	}
	h.unplan()
	return true
}

// taken notes that the receiver has the task.
func (s *Sender) taken(h *Handoff, a *receiver.Answer) {
	if h.State == RolledBack || h.State == rolling {
		h.Problem = "the receiver has accepted it, after the sender had taken it back: two agents may have the task"
	}
	if h.State == rolling { // that has begun, and is recorded before anything else
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

// unplan has nothing published any more. Who is publishing it finds out.
func (h *Handoff) unplan() { h.Next, h.Tries = time.Time{}, 0 }

// storeAnswers makes answers durable that came from an address. Those at the places of foreign are
// for another address, and were not taken.
func (s *Sender) storeAnswers(ctx context.Context, address string, list []transport.Message) (news News, foreign []int, err error) {
	err = s.store.update(ctx, func(t *database.Tx) error {
		news, foreign = News{}, nil
		for i, m := range list {
			a, err := parseAnswer(m.Body)
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
			if s.take(h, a, m) {
				if err := h.save(t); err != nil {
					return err
				}
				news.add(News{Handoffs: []*Handoff{h}})
			}
		}
		return nil
	})
	return news, foreign, err
}

// answered returns the handoff that an answer from an address is to, nil if there is none.
// elsewhere: it was sent to another address, which may be the same place in another spelling.
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
	if len(list) > 1 { // several receivers at one address: its answer has to say which one it is
		return nil, false, nil
	}
	return list[0], false, nil
}
