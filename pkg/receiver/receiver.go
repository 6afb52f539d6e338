package receiver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/audit"
	"github.com/eaapl/handoff/pkg/audit/stats"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/validate"
)

// Options say how messages are received.
type Options struct {
	// EscalateAfter is the failure at which a person is called (section 6.3); 0 means 3.
	EscalateAfter int
	// AtMostOnce: a message that was accepted is never handed over by another attempt, even
	// if the process that accepted it has died. Then it may be lost.
	AtMostOnce bool
	// Personal keeps personal data apart; nil if there is none in the log, and none is to be.
	Personal Sealer
	// Limits bound what one message may cost.
	Limits jsonstream.Limits
}

// DefaultEscalateAfter is the third failure (EAAPL-MAG006, section 6.3).
const DefaultEscalateAfter = 3

// A Receiver accepts or rejects messages. It is safe for concurrent use.
type Receiver struct {
	validator *validate.Validator
	log       *audit.Log
	options   Options
	instance  string
	frames    *compress.Encoder // of the messages in the audit log (section 9)
	parsers   sync.Pool         // of *message.Parser
}

// New returns a receiver that validates messages by v and records in log.
func New(ctx context.Context, v *validate.Validator, log *audit.Log, o Options) (*Receiver, error) {
	frames, err := compress.NewEncoder(compress.EncoderOptions{Codec: compress.Zstd, Level: frameLevel, Dictionary: dictionary.Builtin()})
	if err != nil {
		return nil, err
	}
	if o.EscalateAfter == 0 {
		o.EscalateAfter = DefaultEscalateAfter
	}
	instance, err := log.Store().Instance(ctx)
	if err != nil {
		return nil, err
	}
	return &Receiver{validator: v, log: log, options: o, instance: instance, frames: frames,
		parsers: sync.Pool{New: func() any { return &message.Parser{} }}}, nil
}

// frameLevel is zstd's that every accepted message waits for.
const frameLevel = 1

// Record decides about messages in their order, and returns an answer for each when what was
// decided is durable (section 7.1, step 5). After an error nothing was decided, and no
// message may pass (section 11); if it is an [*audit.UncertainError], the messages may have
// been accepted, and [Receiver.Resume] hands them over later.
//
// handedOver are messages that were handed over since: it is noted with the decisions, and
// costs nothing more.
func (r *Receiver) Record(ctx context.Context, deliveries []*Delivery, handedOver []Handover) ([]Answer, error) {
	answers := make([]Answer, len(deliveries))
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		if err := addHandovers(b, handedOver); err != nil {
			return err
		}
		if err := r.unlock(ctx, b, deliveries...); err != nil {
			return err
		}
		known, err := r.known(b, deliveries)
		if err != nil {
			return err
		}
		for i, d := range deliveries {
			if answers[i], err = r.decide(ctx, b, known, d); err != nil {
				return err
			}
		}
		return b.SetPending(known.accepted)
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// decide records what becomes of a message.
func (r *Receiver) decide(ctx context.Context, b *audit.Batch, known *history, d *Delivery) (Answer, error) {
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
	switch {
	case same && before.pending != nil && !before.pending.Alive && !r.options.AtMostOnce:
		return r.resume(b, known, before)
	case same:
		record.Event, record.Attempt, record.Details.Findings, record.Details.MoreFindings = audit.Duplicate, before.accepted.Attempt, nil, 0
		record.FrameDigest = audit.Hash{}
		// One whose personal data is apart has a keyed digest, also where no policy says so.
		record.MessageDigest, record.MessageBytes, record.Details.Subject = before.accepted.MessageDigest, before.accepted.MessageBytes, before.accepted.Details.Subject
		stored, err := b.Add(record, nil)
		return answerTo(stored, Duplicate), err
	case !d.Result.Valid:
		record.Reason = d.Result.Reason
		return r.reject(b, known, before, record, d, d.Result.Details)
	case before.accepted != nil:
		record.Reason = HandoffIDReused
		return r.rejectFor(b, known, before, record, d, audit.Finding{Rule: "receiver/handoff-id-reused", Severity: finding.Error, Pointer: "/handoffId",
			Message: fmt.Sprintf("%s was accepted with other content (record %d): a new message needs a new id", finding.Quote(record.HandoffID), before.accepted.Sequence)})
	case foreign:
		record.Reason = validate.SignatureInvalid
		return r.rejectFor(b, known, before, record, d, audit.Finding{Rule: "receiver/parent-digest", Severity: finding.Error, Pointer: "/extensions/parentDigest",
			Message: fmt.Sprintf("is not the digest of the parent that was accepted (record %d): the history was exchanged behind this message", known.ids[record.ParentHandoffID].accepted.Sequence)})
	}
	record.Event = audit.Accepted
	stored, err := d.add(b, record)
	known.accept(stored, r.instance)
	if d.part != nil {
		before.plain = &d.record.MessageDigest
	}
	a := answerTo(stored, Accepted)
	if late := time.Duration(d.LatencyMicros)*time.Microsecond > stats.LimitsOf(d.Transport).Maximum; late && err == nil {
		a.Alerts = append(a.Alerts, stored)
	}
	return a, err
}

// resume takes over a message whose process died before it had handed it over.
func (r *Receiver) resume(b *audit.Batch, known *history, before *past) (Answer, error) {
	if err := b.ClearPending([]string{before.accepted.HandoffID}); err != nil {
		return Answer{}, err
	}
	known.accept(*before.accepted, r.instance)
	a := answerTo(*before.accepted, Accepted)
	a.Resumed = true
	return a, nil
}

// rejectFor is reject for something that only the log shows.
func (r *Receiver) rejectFor(b *audit.Batch, known *history, before *past, record audit.Record, d *Delivery, f audit.Finding) (Answer, error) {
	record.Details.Findings, record.Details.MoreFindings = []audit.Finding{f}, 0
	return r.reject(b, known, before, record, d, f.Pointer+": "+f.Message)
}

// reject records that a message is rejected, and what follows from that.
func (r *Receiver) reject(b *audit.Batch, known *history, before *past, record audit.Record, d *Delivery, details string) (Answer, error) {
	record.Event = audit.Rejected
	stored, err := d.add(b, record)
	if err != nil {
		return Answer{}, err
	}
	a := answerTo(stored, Rejected)
	a.Details, a.Retryable = details, retryable(record.Reason)
	known.reject(before, stored)
	if forPeople(record.Reason) && !before.deadLetters[record.MessageDigest] {
		before.deadLetters[record.MessageDigest] = true
		if err := a.follow(b, stored, audit.DeadLettered); err != nil {
			return Answer{}, err
		}
	}
	if record.Attempt == r.options.EscalateAfter {
		a.Escalated = true
		err = a.follow(b, stored, audit.Escalated)
	}
	return a, err
}

// follow records what follows from a record, of which people have to hear.
func (a *Answer) follow(b *audit.Batch, from audit.Stored, event audit.Event) error {
	next := from.Record
	next.Event, next.Details = event, audit.Details{Concerns: &from.Sequence}
	next.FrameDigest = audit.Hash{} // the message is beside the first record alone
	s, err := b.Add(next, nil)
	if err != nil {
		return err
	}
	a.Alerts = append(a.Alerts, s)
	return nil
}

func answerTo(s audit.Stored, status Status) Answer {
	return Answer{
		HandoffID: s.HandoffID, TaskID: s.TaskID, Status: status, Reason: s.Reason, Attempt: s.Attempt,
		RecordHash: s.Hash, RecordedAt: audit.FormatTime(s.RecordedAt), Record: s,
	}
}

// A Handover says that an agent has a message.
type Handover struct {
	Accepted audit.Stored // the record by which it was accepted
	Resumed  bool
}

// HandedOver makes durable that messages were handed over: nobody hands them over again.
func (r *Receiver) HandedOver(ctx context.Context, list []Handover) error {
	if len(list) == 0 {
		return nil
	}
	return r.log.Append(ctx, func(b *audit.Batch) error { return addHandovers(b, list) })
}

func addHandovers(b *audit.Batch, list []Handover) error {
	ids := make([]string, len(list))
	for i, h := range list {
		ids[i] = h.Accepted.HandoffID
		if _, err := b.Add(audit.Record{Event: audit.HandedOver, HandoffID: h.Accepted.HandoffID, TaskID: h.Accepted.TaskID,
			Details: audit.Details{Resumed: h.Resumed}}, nil); err != nil {
			return err
		}
	}
	return b.ClearPending(ids)
}

// A Left is a message that was accepted by a process that died before it had handed it over.
type Left struct {
	Answer Answer // with Resumed
	Raw    []byte // the message as it came
}

// Resume takes over what was left, in the order of acceptance, and calls each with it; the
// caller then says that it was handed over. It ends at an error of each, and what has not
// been handed over then is left again when this process ends. A message that was changed in
// the log is left out, and does not keep back the others: the error, an
// [*audit.ChangedError], comes at the end.
func (r *Receiver) Resume(ctx context.Context, each func(Left) error) error {
	var taken []audit.Pending
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		list, err := b.Pending()
		if err != nil {
			return err
		}
		var ids []string
		for _, p := range list {
			if !p.Alive {
				p.Instance = r.instance
				taken, ids = append(taken, p), append(ids, p.HandoffID)
			}
		}
		return errors.Join(b.ClearPending(ids), b.SetPending(taken))
	})
	if err != nil {
		return err
	}
	var changed error
	for _, p := range taken {
		left := Left{}
		err := r.log.Store().View(ctx, func(v audit.Reader) error {
			accepted, err := recordAt(v, p.Sequence)
			if err != nil {
				return err
			}
			left.Answer = answerTo(accepted, Accepted)
			left.Answer.Resumed = true
			left.Raw, err = readMessage(ctx, r.options.Personal, v, accepted)
			return err
		})
		if errors.As(err, new(*audit.ChangedError)) {
			changed = errors.Join(changed, err)
			continue
		}
		if err == nil {
			err = each(left)
		}
		if err != nil {
			return errors.Join(changed, err)
		}
	}
	return changed
}

// recordAt returns the record with a sequence number, or if that was removed the next one.
func recordAt(r audit.Reader, sequence int64) (audit.Stored, error) {
	for s, err := range r.Records(audit.Filter{From: sequence, Limit: 1}) {
		return s, err
	}
	return audit.Stored{}, nil
}

// readMessage returns the message of a record as it came. One that was changed in the log, or
// is not there any more, is an error: nobody is to get it.
func readMessage(ctx context.Context, sealer Sealer, r audit.Reader, of audit.Stored) ([]byte, error) {
	frame, err := r.Frame(of.Sequence)
	if err == nil && of.FrameDigest != (audit.Hash{}) {
		err = of.CheckFrame(frame)
	}
	if err != nil {
		return nil, err
	}
	text, err := audit.ReadFrame(frame, of.MessageBytes)
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", of.Sequence, err)
	}
	return restore(ctx, sealer, r, of, text)
}
