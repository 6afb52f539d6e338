package simulation

import (
	"context"
	"fmt"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
)

// audit checks a world without further events: nothing is lost, and all parties agree.
func (w *world) audit() error {
	ctx := context.Background()
	for _, log := range w.logs {
		_, err := audit.Verify(ctx, handle{memory: log}, audit.VerifyOptions{Found: func(p audit.Problem) error {
			w.violated("the log does not verify: %s", p.Message)
			return nil
		}})
		if err != nil {
			return err
		}
		for _, p := range log.state.pending {
			if !w.atMostOnce(p.Receiver) {
				w.violated("%s is left with nobody at %s (record %d, running %t)", p.HandoffID, p.Receiver, p.Sequence, p.Running)
			}
		}
	}
	list, err := w.hosts[0].life.store.List(ctx, true)
	if err != nil {
		return err
	}
	known := map[audit.Copy]bool{}
	for _, h := range list {
		c := audit.Copy{HandoffID: h.HandoffID, Receiver: h.Receiver}
		known[c] = true
		if problem := w.disagreement(h, w.copy(c)); problem != "" {
			w.violated("%s to %s is %s (attempt %d): %s", h.HandoffID, h.Receiver, h.State, h.Attempt, problem)
		}
	}
	for _, o := range w.orders {
		for _, to := range o.to {
			if o.accepted && !known[audit.Copy{HandoffID: o.id, Receiver: to.Receiver}] {
				w.violated("%s to %s is lost: its send has ended well", o.id, to.Receiver)
			}
		}
	}
	for _, c := range w.copies {
		switch {
		case c.accepted != nil && !known[c.Copy]:
			w.violated("%s has %s, and its sender does not know it", c.Receiver, c.HandoffID)
		case c.accepted != nil && c.given == 0 && !w.atMostOnce(c.Receiver):
			w.violated("%s has accepted %s, and no agent has got it", c.Receiver, c.HandoffID)
		case c.live != nil:
			w.violated("an agent of %s works on %s for ever", c.Receiver, c.HandoffID)
		case c.accepted != nil && c.running && c.how == "" && !w.atMostOnce(c.Receiver):
			w.violated("nothing is recorded of the end of %s at %s", c.HandoffID, c.Receiver)
		}
	}
	return nil
}

// atMostOnce reports whether a receiver may lose an accepted message, because of its options.
func (w *world) atMostOnce(receiver string) bool {
	for _, s := range w.stations {
		if s.options.As == receiver && s.options.AtMostOnce {
			return true
		}
	}
	return false
}

// disagreement returns how sender and receiver disagree, "" if they agree.
func (w *world) disagreement(h *deliver.Handoff, c *copyState) string {
	has := c.accepted != nil
	switch h.State {
	case deliver.Accepted, deliver.Completed:
		if !has {
			return fmt.Sprintf("its receiver does not have the task (%s)", c.how)
		}
		if completed := c.how == audit.Completed; completed != (h.State == deliver.Completed) {
			return fmt.Sprintf("and the agent of its receiver: %q", c.how)
		}
	case deliver.Rejected:
		if has {
			return "its receiver has the task"
		}
	case deliver.RolledBack:
		if has && !h.Revoked {
			return "its receiver has the task"
		}
	default:
		return "that is no end: " + h.Problem
	}
	return ""
}
