package receiver

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

// Revoke records the revocation of a message, once. If the message was not accepted before, no receiver that
// sees the record accepts it. If it was accepted but not handed over, and its process has died, it is not
// handed over: the sender has its task again. A message that was, or is being, handed over stays with its
// agent.
//
// Revoke returns the answer for the sender, for this receiver's copy: REJECTED with the reason REVOKED, or if
// the revocation is too late, the earlier answer.
//
// If this receiver has keys, a revocation must be signed by a key that may sign for the sender of the
// message; [Receiver.ReadRevocation] checks that. Otherwise it is recorded as REFUSED, and the error is a
// [*RevocationError]. If the message was not received yet, its sender is unknown: then the check is made when
// it is received.
func (r *Receiver) Revoke(ctx context.Context, v Revocation) (a Answer, err error) {
	if v.HandoffID == "" {
		return a, errors.New("a revocation needs the handoffId of a message")
	}
	var refused *RevocationError
	err = r.append(ctx, func(b *audit.Batch, q *quota) error {
		a, refused = Answer{}, nil
		why, err := r.whyRefused(b, &v)
		if err != nil {
			return err
		}
		if why != "" {
			refused = &RevocationError{v.HandoffID, why}
			return q.refuse(v, why)
		}
		if v.Explanation != "" && r.Withholds() {
			v.Explanation = personal.Withheld
		}
		revoked, err := r.revoke(b, q, v)
		if err != nil {
			return err
		}
		if revoked == nil {
			refused = &RevocationError{v.HandoffID, "there are too many unsigned revocations of messages that have not arrived"}
			return nil
		}
		if v.withdrawn == nil {
			v.withdrawn = new(Answer)
		}
		if made, err := isRecorded(b, v.withdrawn.Record); made || err != nil { // by a try with an unknown result
			a = *v.withdrawn
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
			a, *v.withdrawn = *withdrawn, *withdrawn
			return nil
		}
		before, err := r.lookUp(b, audit.Copy{HandoffID: v.HandoffID, Receiver: whose})
		a = before.Answer
		if !before.stands {
			a = answerTo(*revoked, Rejected)
			a.Reason, a.Details = Revoked, v.Explanation
		}
		return err
	})
	if err == nil && refused != nil {
		err = refused
	}
	return a, err
}

// refuse records the refusal of a revocation.
func (q *quota) refuse(v Revocation, why string) error {
	return q.add(audit.Record{
		Event: audit.Refused, HandoffID: v.HandoffID, TaskID: v.TaskID, Receiver: v.Receiver, Reason: validate.SignatureInvalid,
		Details: audit.Details{Explanation: boundedText("a revocation: "+why, maxText)},
	})
}

// revoke adds the record of a revocation, unless an equally valid one exists, and returns it. Unsigned
// revocations of messages that were not accepted are limited: the result is nil if there are too many.
func (r *Receiver) revoke(b *audit.Batch, q *quota, v Revocation) (*audit.Stored, error) {
	list, err := audit.List(b, audit.Filter{Handoffs: []string{v.HandoffID}, Events: []audit.Event{audit.Revoked}})
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(s audit.Stored) bool {
		return (s.Receiver == v.Receiver || s.Receiver == "") && r.counts(&s, v.Sender)
	}); i >= 0 {
		return &list[i], nil
	}
	if !v.signed {
		accepted, err := audit.List(b, audit.Filter{Handoffs: []string{v.HandoffID}, Events: []audit.Event{audit.Accepted}, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(accepted) == 0 {
			if ok, err := q.allows("", len(v.Explanation)); !ok || err != nil {
				return nil, err
			}
		}
	}
	record := audit.Record{
		Event: audit.Revoked, HandoffID: v.HandoffID, TaskID: v.TaskID, Receiver: v.Receiver, Reason: Revoked,
		Details: audit.Details{Explanation: v.Explanation, Unsigned: !v.signed},
	}
	if v.signed {
		record.Sender, record.KeyID = v.Sender, v.keyID
	}
	stored, err := b.Add(record, nil)
	return &stored, err
}

// withdrawLeft withdraws copies left by dead processes before they were handed over: the copy of a receiver,
// or all copies if it has no name. It returns the answer of the last one, nil if there is none.
func (r *Receiver) withdrawLeft(b *audit.Batch, c audit.Copy) (last *Answer, err error) {
	list, err := b.Pending(c.HandoffID)
	if err != nil {
		return nil, err
	}
	var alerts []audit.Stored
	for _, p := range list {
		if !r.isLeft(p) || p.Running || c.Receiver != "" && p.Receiver != c.Receiver {
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

// withdraw records that an accepted message is not handed over, because its sender has revoked it.
func withdraw(b *audit.Batch, accepted audit.Stored) (Answer, error) {
	record := ended(accepted, audit.RolledBack, audit.Details{Concerns: &accepted.Sequence})
	record.Reason = Revoked
	stored, err := b.Add(record, nil)
	a := answerTo(stored, Rejected)
	a.Details, a.Alerts = "it was revoked before it was handed over", []audit.Stored{stored}
	return a, err
}

// takenBack are the revocations of copies; a revocation of all receivers' copies has the receiver "".
type takenBack struct {
	*Receiver
	copies map[audit.Copy][]audit.Stored
}

// of reports whether the sender of a message in flight has revoked it.
func (t takenBack) of(b *audit.Batch, p audit.Pending) (bool, error) {
	list := slices.Concat(t.copies[p.Copy()], t.copies[audit.Copy{HandoffID: p.HandoffID}])
	if len(list) == 0 {
		return false, nil
	}
	accepted, err := recordAt(b, p.Sequence)
	return slices.ContainsFunc(list, func(s audit.Stored) bool { return t.counts(&s, accepted.Sender) }), err
}

// revocations returns the revocations of messages in flight.
func (r *Receiver) revocations(b *audit.Batch, list []audit.Pending) (takenBack, error) {
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.HandoffID
	}
	t := takenBack{r, map[audit.Copy][]audit.Stored{}}
	for some := range slices.Chunk(ids, audit.MaxNamed) {
		for s, err := range b.Records(audit.Filter{Handoffs: some, Events: []audit.Event{audit.Revoked}}) {
			if err != nil {
				return t, err
			}
			t.copies[s.Copy()] = append(t.copies[s.Copy()], s)
		}
	}
	return t, nil
}

// IsRevoked reports whether a message was revoked by its sender after an agent had begun with it.
func (r *Receiver) IsRevoked(ctx context.Context, begun audit.Stored) (revoked bool, err error) {
	err = r.log.Store().View(ctx, func(v audit.Reader) error {
		list, err := audit.List(v, audit.Filter{Handoffs: []string{begun.HandoffID}, Events: []audit.Event{audit.Revoked}})
		revoked = slices.ContainsFunc(list, func(s audit.Stored) bool {
			return (s.Receiver == "" || s.Receiver == begun.Receiver) && r.counts(&s, begun.Sender)
		})
		return err
	})
	return revoked, err
}
