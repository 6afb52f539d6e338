package receiver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/stats"
)

// Options are the options of a [Receiver].
type Options struct {
	// EscalateAfter is the number of failures after which a person is called (section 6.3); 0 means 3.
	EscalateAfter int
	// AtMostOnce prevents other processes from handing over an accepted message, even if the process that
	// accepted it has died. Then the message may be lost.
	AtMostOnce bool
	// Personal stores personal data apart; nil if the log has none, and should have none.
	Personal Sealer
	// Limits bound the processing of one message.
	Limits jsonstream.Limits
	// As is the receiver's own agentType; "" if it accepts the messages of all receivers. Receivers that
	// share an audit log may each accept a copy of one message (section 14.2): then each needs a name.
	As string
	// Rerun hands a message over again if its agent died with its receiver. Otherwise that is a failure of
	// the agent, and the sender has the task again.
	Rerun bool
	// Place names the place of the messages and answers, in any form; "" if unknown. [Receiver.Resume] takes
	// over messages from that place or an unknown one: other places have other agents.
	Place string
	// AnswerKey signs the answers; nil for none.
	AnswerKey *sign.Key
	// RejectedPerDay is the number of bytes a day that may be recorded of rejected and duplicate messages,
	// for each signing key, and for all unsigned messages together; 0 means [DefaultRejectedPerDay], a
	// negative number no limit. Messages over it are answered and counted.
	RejectedPerDay int64
}

// DefaultEscalateAfter is the default number of failures (EAAPL-MAG006, section 6.3).
const DefaultEscalateAfter = 3

// A Receiver accepts or rejects messages. It is safe for concurrent use.
type Receiver struct {
	validator *validate.Validator
	log       *audit.Log
	options   Options
	instance  string
	parsers   sync.Pool // of *message.Parser
	meter     meter
	takeovers takeovers
}

// New returns a receiver that validates messages with v and records in log.
func New(ctx context.Context, v *validate.Validator, log *audit.Log, o Options) (*Receiver, error) {
	if o.EscalateAfter == 0 {
		o.EscalateAfter = DefaultEscalateAfter
	}
	if o.RejectedPerDay == 0 {
		o.RejectedPerDay = DefaultRejectedPerDay
	}
	instance, err := log.Store().Instance(ctx)
	if err != nil {
		return nil, err
	}
	return &Receiver{validator: v, log: log, options: o, instance: instance, meter: meter{perDay: o.RejectedPerDay},
		parsers: sync.Pool{New: func() any { return &message.Parser{} }}}, nil
}

// Record decides about messages in order, and returns an answer for each when the decisions are durable
// (section 7.1, step 5). After an error there are no decisions, and no message may be handed over (section
// 11); but after an [*audit.UncertainError] the messages may have been accepted: recording the same
// deliveries again finds such records, and so does [Receiver.Resume] later. Rejections are not recorded
// twice, and the answers have the same alerts.
//
// handedOver are messages handed over since the previous call: they are recorded with the decisions at no
// extra cost.
func (r *Receiver) Record(ctx context.Context, deliveries []*Delivery, handedOver []Handover) ([]Answer, error) {
	answers := make([]Answer, len(deliveries))
	var takenOver []*takeover
	err := r.append(ctx, func(b *audit.Batch, q *quota) error {
		if err := r.addHandovers(b, handedOver); err != nil {
			return err
		}
		if err := r.unlock(ctx, b, deliveries...); err != nil {
			return err
		}
		known, err := r.known(b, deliveries)
		if err != nil {
			return err
		}
		defer func() { takenOver = known.takenOver }()
		for i, d := range deliveries {
			if answers[i], err = r.decideOnce(ctx, b, q, known, d); err != nil {
				return err
			}
		}
		return b.SetPending(known.accepted)
	})
	for _, of := range takenOver {
		if err != nil {
			r.takeovers.fail(of)
		} else {
			r.takeovers.end(of)
		}
	}
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// decideOnce is like decide, except for a message whose rejection was recorded by an earlier try with an
// unknown result: its answer is repeated, with its alerts.
func (r *Receiver) decideOnce(ctx context.Context, b *audit.Batch, q *quota, known *history, d *Delivery) (Answer, error) {
	made, err := isRecorded(b, d.rejected.Record)
	if made || err != nil {
		return d.rejected, err
	}
	a, err := r.decide(ctx, b, q, known, d)
	if d.rejected = (Answer{}); a.Status == Rejected {
		d.rejected = a
	}
	return a, err
}

// decide records the decision about a message.
func (r *Receiver) decide(ctx context.Context, b *audit.Batch, q *quota, known *history, d *Delivery) (Answer, error) {
	before := known.of(d)
	record := d.recorded()
	record.Transport, record.LatencyMicros = d.Transport, d.LatencyMicros
	record.Attempt = before.failures + 1
	same, err := r.same(ctx, known, before, d, &record)
	if err != nil {
		return Answer{}, err
	}
	foreign, err := r.foreignParent(ctx, known, d)
	if err != nil {
		return Answer{}, err
	}
	left := same && before.pending != nil && !before.ended && (r.isLeft(*before.pending) || d.tried == before.accepted.Hash && before.pending.Instance == r.instance)
	if left {
		if a, settled, err := r.settle(b, *before.pending, *before.accepted, before.revoked != nil); settled || err != nil {
			known.settle(before, a.Record)
			return a, err
		}
	}
	switch {
	case left && !r.options.AtMostOnce:
		return r.resume(b, known, before, d)
	case same:
		return again(b, q, record, before.accepted, Duplicate)
	case d.isStale(before):
		a, err := again(b, q, record, before.lost, Rejected)
		a.Reason, a.Details, a.Retryable = before.rolledBack.Reason, "its task was rolled back after it was sent", before.revoked == nil
		return a, err
	case before.revoked != nil && before.accepted == nil:
		record.Reason = Revoked
		return r.rejectFor(b, q, known, before, record, d, audit.Finding{Rule: "receiver/revoked", Severity: finding.Error, Pointer: "/handoffId",
			Message: fmt.Sprintf("%s was revoked %s (record %d): a new message needs a new id", finding.Quote(record.HandoffID), revoker(before.revoked), before.revoked.Sequence)})
	case !d.Result.Valid:
		record.Reason = d.Result.Reason
		details := d.Result.Details
		if r.Withholds() {
			details = told(d.Result.Findings, true)
		}
		return r.reject(b, q, known, before, record, d, details)
	case before.accepted != nil:
		record.Reason = HandoffIDReused
		return r.rejectFor(b, q, known, before, record, d, audit.Finding{Rule: "receiver/handoff-id-reused", Severity: finding.Error, Pointer: "/handoffId",
			Message: fmt.Sprintf("%s was accepted with other content (record %d): a new message needs a new id", finding.Quote(record.HandoffID), before.accepted.Sequence)})
	case foreign != nil:
		record.Reason = validate.SignatureInvalid
		return r.rejectFor(b, q, known, before, record, d, audit.Finding{Rule: "receiver/parent-digest", Severity: finding.Error, Pointer: "/extensions/parentDigest",
			Message: fmt.Sprintf("is not the digest of the parent that was accepted (record %d): the history before this message was replaced", foreign.Sequence)})
	}
	if before.pending != nil { // a message rolled back by others is no longer pending
		if err := b.ClearPending([]audit.Copy{before.pending.Copy()}); err != nil {
			return Answer{}, err
		}
	}
	record.Event = audit.Accepted
	if d.Attempt != record.Attempt {
		record.Details.SenderAttempt = d.Attempt
	}
	stored, err := d.add(b, record)
	known.accept(stored, r.own(stored, r.placed(d.ReplyTo)))
	d.tried = stored.Hash
	if d.part != nil {
		before.plain = &d.record.MessageDigest
	}
	a := answerTo(stored, Accepted)
	if late := time.Duration(d.LatencyMicros)*time.Microsecond > stats.LimitsOf(d.Transport).Maximum; late && err == nil {
		a.Alerts = append(a.Alerts, stored)
	}
	return a, err
}

// again records a duplicate of a message that was accepted by a record.
func again(b *audit.Batch, q *quota, record audit.Record, before *audit.Stored, status Status) (Answer, error) {
	record.Event, record.Attempt, record.Details.Findings, record.Details.MoreFindings = audit.Duplicate, before.Attempt, nil, 0
	record.FrameDigest = audit.Hash{}
	// The digest is keyed if the accepted message's personal data is stored separately, even if there is
	// no policy now.
	record.MessageDigest, record.MessageBytes, record.Details.Subject = before.MessageDigest, before.MessageBytes, before.Details.Subject
	ok, err := q.allows(record.KeyID, 0)
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	if ok {
		stored, err := b.Add(record, nil)
		if err != nil {
			return a, err
		}
		a = answerTo(stored, status)
	} else {
		a = q.unrecorded(record, status)
	}
	a.MessageDigest = plainDigest(before)
	return a, nil
}

// revoker returns a description of the signer of a revocation.
func revoker(s *audit.Stored) string {
	if s.Details.Unsigned {
		return "by an unsigned revocation"
	}
	return "by its sender"
}

// own returns the note that this process is handing over an accepted message. A ReplyTo that a database
// cannot store as text is dropped: it came with the message, which must not block others.
func (r *Receiver) own(accepted audit.Stored, replyTo string) audit.Pending {
	if !utf8.ValidString(replyTo) || strings.ContainsRune(replyTo, 0) || len(replyTo) > maxReplyTo {
		replyTo = ""
	}
	return audit.Pending{HandoffID: accepted.HandoffID, Receiver: accepted.Receiver, Sequence: accepted.Sequence, Instance: r.instance, Alive: true, ReplyTo: replyTo}
}

// maxReplyTo is the maximum length of a stored ReplyTo, in bytes.
const maxReplyTo = 4096

// resume takes over a message whose process died before it had handed it over, or while its agent ran.
func (r *Receiver) resume(b *audit.Batch, known *history, before *past, d *Delivery) (Answer, error) {
	if err := b.ClearPending([]audit.Copy{before.pending.Copy()}); err != nil {
		return Answer{}, err
	}
	replyTo := before.pending.ReplyTo
	if d.ReplyTo != "" {
		replyTo = r.placed(d.ReplyTo)
	}
	own := r.own(*before.accepted, replyTo)
	own.Running = before.pending.Running // unchanged in the records until it is handed over again
	known.accept(*before.accepted, own)
	d.tried = audit.Hash{} // from now on it is a takeover
	known.takenOver = append(known.takenOver, r.takeovers.begin(own))
	a := answerTo(*before.accepted, Accepted)
	a.Resumed = true
	return a, nil
}

// rejectFor is like reject, for a problem that only the log shows.
func (r *Receiver) rejectFor(b *audit.Batch, q *quota, known *history, before *past, record audit.Record, d *Delivery, f audit.Finding) (Answer, error) {
	record.Details.Findings, record.Details.MoreFindings = []audit.Finding{f}, 0
	return r.reject(b, q, known, before, record, d, f.Pointer+": "+f.Message)
}

// reject records a rejection, and its consequences.
func (r *Receiver) reject(b *audit.Batch, q *quota, known *history, before *past, record audit.Record, d *Delivery, details string) (Answer, error) {
	record.Event = audit.Rejected
	size := len(d.frame)
	if forPeople(record.Reason) { // with a second record and an alert
		size += recordBytes
	}
	ok, err := q.allows(record.KeyID, size)
	if err != nil {
		return Answer{}, err
	}
	if !ok {
		a := q.unrecorded(record, Rejected)
		if d.part != nil {
			a.MessageDigest = audit.Hash{}
		}
		a.Details, a.Retryable = details, retryable(record.Reason) && !d.abandoned
		return a, nil
	}
	stored, err := d.add(b, record)
	if err != nil {
		return Answer{}, err
	}
	a := answerTo(stored, Rejected)
	a.Details, a.Retryable = details, retryable(record.Reason)
	known.reject(before, stored)
	if d.abandoned {
		a.Retryable = false
		if err := a.follow(b, stored, audit.RolledBack); err != nil {
			return Answer{}, err
		}
	}
	if forPeople(record.Reason) && !before.deadLetter(record.MessageDigest) {
		if err := a.follow(b, stored, audit.DeadLettered); err != nil {
			return Answer{}, err
		}
	}
	if record.Attempt == r.options.EscalateAfter && isFailure(&stored) {
		a.Escalated = true
		err = a.follow(b, stored, audit.Escalated)
	}
	return a, err
}

// follow records an event that follows from a record, and that people must be alerted to.
func (a *Answer) follow(b *audit.Batch, from audit.Stored, event audit.Event) error {
	next := from.Record
	next.Event, next.Details = event, audit.Details{Concerns: &from.Sequence}
	next.FrameDigest = audit.Hash{} // only the first record has the message
	s, err := b.Add(next, nil)
	if err != nil {
		return err
	}
	a.Alerts = append(a.Alerts, s)
	return nil
}

func answerTo(s audit.Stored, status Status) Answer {
	a := Answer{
		HandoffID: s.HandoffID, TaskID: s.TaskID, Receiver: s.Receiver, Status: status, Reason: s.Reason, Attempt: s.Attempt,
		RecordHash: s.Hash, RecordedAt: audit.FormatTime(s.RecordedAt), Record: s,
	}
	if status == Rejected {
		a.Rules = rulesIn(s.Details.Findings)
	}
	if s.Event == audit.Accepted || s.Event == audit.Rejected {
		a.MessageDigest = plainDigest(&s)
	}
	return a
}

// rulesIn returns the rules of errors, each once.
func rulesIn(findings []audit.Finding) []string {
	var rules []string
	for _, f := range findings {
		if f.Severity == finding.Error && !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}

// plainDigest returns the digest of a record's message, zero if it is keyed.
func plainDigest(s *audit.Stored) audit.Hash {
	if s.Details.PayloadDigest != nil {
		return audit.Hash{}
	}
	return s.MessageDigest
}
