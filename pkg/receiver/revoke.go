package receiver

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/personal"
)

// A Revocation says that a sender takes a message back, since nobody has answered it in time. Its
// JSON is the body of a message of the kind revocation.
type Revocation struct {
	HandoffID   string `json:"handoffId"`   // not ""
	TaskID      string `json:"taskId"`      // "" if it is not known
	Receiver    string `json:"receiver"`    // whose copy is meant, "" for those of all receivers
	Explanation string `json:"explanation"` // why, "" if the sender did not say
}

// Revoke records that a message is taken back, once, however often it is. If it was not accepted
// before, no receiver that sees the record accepts it; if it was accepted and not handed over, and
// its process has died, nobody hands it over: its task is the sender's again. What was handed over,
// or is just being, stays with its agent.
//
// The answer is what the sender is told, for this receiver's copy: REJECTED with the reason
// REVOKED, or what it was told before, if the revocation comes too late.
func (r *Receiver) Revoke(ctx context.Context, v Revocation) (a Answer, err error) {
	if v.HandoffID == "" {
		return a, errors.New("a revocation needs the handoffId of a message")
	}
	if v.Explanation != "" && r.Withholds() {
		v.Explanation = personal.Withheld
	}
	err = r.log.Append(ctx, func(b *audit.Batch) error {
		revoked, err := revoke(b, v)
		if err != nil {
			return err
		}
		whose := v.Receiver
		if whose == "" {
			whose = r.options.As
		}
		withdrawn, err := r.withdrawLeft(b, audit.Copy{HandoffID: v.HandoffID, Receiver: whose})
		if err != nil {
			return err
		}
		if withdrawn != nil {
			a = *withdrawn
			return nil
		}
		before, err := r.lookUp(b, audit.Copy{HandoffID: v.HandoffID, Receiver: whose})
		a = before.Answer
		if !before.stands {
			a = answerTo(revoked, Rejected)
			a.Reason, a.Details = Revoked, v.Explanation
		}
		return err
	})
	return a, err
}

// revoke adds the record of a revocation, if there is none, and returns it.
func revoke(b *audit.Batch, v Revocation) (audit.Stored, error) {
	list, err := audit.List(b, audit.Filter{Handoffs: []string{v.HandoffID}, Events: []audit.Event{audit.Revoked}})
	if err != nil {
		return audit.Stored{}, err
	}
	if i := slices.IndexFunc(list, func(s audit.Stored) bool { return s.Receiver == v.Receiver || s.Receiver == "" }); i >= 0 {
		return list[i], nil
	}
	return b.Add(audit.Record{
		Event: audit.Revoked, HandoffID: v.HandoffID, TaskID: v.TaskID, Receiver: v.Receiver, Reason: Revoked,
		Details: audit.Details{Explanation: v.Explanation},
	}, nil)
}

// withdrawLeft withdraws copies that were left before they were handed over: that of a receiver, or
// those of all if it has no name. It returns the answer of the last one, nil if there is none.
func (r *Receiver) withdrawLeft(b *audit.Batch, c audit.Copy) (last *Answer, err error) {
	list, err := b.Pending(c.HandoffID)
	if err != nil {
		return nil, err
	}
	var alerts []audit.Stored
	for _, p := range list {
		if p.Alive || p.Running || c.Receiver != "" && p.Receiver != c.Receiver {
			continue
		}
		accepted, err := recordAt(b, p.Sequence)
		if err != nil {
			return nil, err
		}
		a, _, err := r.settle(b, p, accepted, true)
		if err != nil {
			return nil, err
		}
		alerts = append(alerts, a.Alerts...)
		a.Alerts = alerts
		last = &a
	}
	return last, nil
}

// withdraw records that an accepted message, which its sender has taken back, is not handed over.
func withdraw(b *audit.Batch, accepted audit.Stored) (Answer, error) {
	record := ended(accepted, audit.RolledBack, audit.Details{Concerns: &accepted.Sequence})
	record.Reason = Revoked
	stored, err := b.Add(record, nil)
	a := answerTo(stored, Rejected)
	a.Details, a.Alerts = "it was revoked before it was handed over", []audit.Stored{stored}
	return a, err
}

// takenBack are the copies of messages that were taken back; those of all receivers have the receiver "".
type takenBack map[audit.Copy]bool

// of reports whether a message that is under way was taken back.
func (t takenBack) of(p audit.Pending) bool {
	return t[p.Copy()] || t[audit.Copy{HandoffID: p.HandoffID}]
}

// revocations returns which copies of messages that are under way were taken back.
func revocations(b *audit.Batch, list []audit.Pending) (takenBack, error) {
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.HandoffID
	}
	revoked := takenBack{}
	for some := range slices.Chunk(ids, audit.MaxNamed) {
		for s, err := range b.Records(audit.Filter{Handoffs: some, Events: []audit.Event{audit.Revoked}}) {
			if err != nil {
				return nil, err
			}
			revoked[s.Copy()] = true
		}
	}
	return revoked, nil
}
