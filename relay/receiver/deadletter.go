package receiver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

// A Letter is a dead letter, waiting for a person's decision (EAAPL-MAG006, sections 6.1 and 11).
type Letter struct {
	DeadLettered audit.Stored
	Rejected     audit.Stored // the record of its rejection
	Raw          []byte       // the message as received
	// Missing is the reason why the message is not available: a [*personal.ErasedError], or for a missing or
	// damaged archive file an [*audit.UnreadableError]. It is nil if the message is available.
	Missing error
}

// Letters are the dead letters of an audit log.
type Letters struct {
	log    *audit.Log
	sealer Sealer
}

// NewLetters returns the dead letters of a log. sealer restores the personal data of messages; nil if none is
// stored separately.
func NewLetters(log *audit.Log, sealer Sealer) Letters { return Letters{log, sealer} }

// Letters returns the dead letters of the receiver's log.
func (r *Receiver) Letters() Letters { return Letters{r.log, r.options.Personal} }

// List returns the records of the waiting letters, oldest first.
func (l Letters) List(ctx context.Context) (waiting []audit.Stored, err error) {
	err = l.log.Store().View(ctx, func(r audit.Reader) (err error) {
		waiting, err = audit.Waiting(r)
		return err
	})
	return waiting, err
}

// A LetterError reports that no letter waits under a name, or more than one.
type LetterError struct {
	Name     string
	Matching int // number of waiting letters with that name
}

func (e *LetterError) Error() string {
	if e.Matching == 0 {
		return fmt.Sprintf("no waiting dead letter is named %s: use its handoffId or the number of its record", finding.Quote(e.Name))
	}
	return fmt.Sprintf("%d dead letters have the id %s: use the number of a record", e.Matching, finding.Quote(e.Name))
}

// Find returns the waiting letter with a handoff id or a record number. If there is none, or more than one,
// the error is a [*LetterError].
func (l Letters) Find(ctx context.Context, name string) (letter Letter, err error) {
	err = l.log.Store().View(ctx, func(r audit.Reader) (err error) {
		if letter, err = findLetter(r, name); err == nil {
			err = readLetter(ctx, l.sealer, r, &letter)
		}
		if errors.As(err, new(*personal.ErasedError)) || errors.As(err, new(*audit.UnreadableError)) {
			letter.Missing, err = err, nil
		}
		return err
	})
	return letter, err
}

func findLetter(r audit.Reader, name string) (letter Letter, err error) {
	waiting, err := audit.Waiting(r)
	if err != nil {
		return letter, err
	}
	number, notNumber := strconv.ParseInt(name, 10, 64)
	var found []audit.Stored
	for _, w := range waiting {
		if w.HandoffID == name && name != "" || notNumber == nil && (w.Sequence == number || w.Details.Concerns != nil && *w.Details.Concerns == number) {
			found = append(found, w)
		}
	}
	if len(found) != 1 {
		return letter, &LetterError{name, len(found)}
	}
	letter.DeadLettered = found[0]
	if found[0].Details.Concerns == nil {
		return letter, fmt.Errorf("record %d of the audit log does not name its message", found[0].Sequence)
	}
	letter.Rejected, err = recordAt(r, *found[0].Details.Concerns)
	return letter, err
}

// readLetter reads a letter's message.
func readLetter(ctx context.Context, sealer Sealer, r audit.Reader, letter *Letter) (err error) {
	letter.Raw, err = readMessage(ctx, sealer, r, letter.Rejected)
	if err == nil && sealer != nil {
		letter.Rejected.Details.Findings, err = sealer.Findings(ctx, r, letter.Rejected)
	}
	return err
}

// A Decision is a person's decision about a letter.
type Decision struct {
	By          string   // the person; required
	Explanation string   // the reason; required
	Allow       []string // ids of rules whose findings are allowed; nil for all rules for which the letter was rejected
}

func (d Decision) check() error {
	if strings.TrimSpace(d.By) == "" || strings.TrimSpace(d.Explanation) == "" {
		return errors.New("a decision about a dead letter needs a name and a reason")
	}
	return nil
}

// Discard records the decision not to accept a letter. The record and the message stay.
func (l Letters) Discard(ctx context.Context, name string, d Decision) (stored audit.Stored, err error) {
	if err := d.check(); err != nil {
		return stored, err
	}
	err = l.log.Append(ctx, func(b *audit.Batch) error {
		letter, err := findLetter(b, name)
		if err != nil {
			return err
		}
		stored, err = b.Add(decided(letter, audit.Discarded, d), nil)
		return err
	})
	return stored, err
}

// decided returns the record of a decision about a letter.
func decided(letter Letter, event audit.Event, d Decision) audit.Record {
	r := letter.DeadLettered.Record
	r.Event = event
	r.Details = audit.Details{Concerns: &letter.DeadLettered.Sequence, By: d.By, Explanation: d.Explanation, Allowed: d.Allow}
	return r
}

// A StillInvalidError reports errors of a letter that a decision does not allow.
type StillInvalidError struct{ Findings []finding.Finding }

func (e *StillInvalidError) Error() string {
	return "it would still be rejected: " + finding.Details(e.Findings)
}

// A PendingError reports that another message with the letter's id was accepted and has not been handed over,
// so that the letter must wait.
type PendingError struct{ Accepted int64 } // record number of the other message's acceptance

func (e *PendingError) Error() string {
	return fmt.Sprintf("another message with this handoffId was accepted (record %d), and must be handed over first", e.Accepted)
}

// A RevokedError reports that the sender of a letter has revoked it.
type RevokedError struct{ Revoked int64 } // record number of the revocation

func (e *RevokedError) Error() string {
	return fmt.Sprintf("its sender revoked it (record %d), and may have given its task to another agent: discard it", e.Revoked)
}

// Release accepts a letter, and records the rules that the decision allows (section 11's appeal). The message
// is examined again, by a receiver whose validator must run all layers. If there are errors other than the
// allowed ones, the error is a [*StillInvalidError]; it may also be a [*PendingError] or a [*RevokedError].
// The caller hands the message over and calls [Receiver.HandedOver].
func (r *Receiver) Release(ctx context.Context, name string, decision Decision) (Left, error) {
	return r.release(ctx, name, decision, r.instance)
}

// ReleaseToResume is like [Receiver.Release] for a caller that does not hand the message over: the next
// [Receiver.Resume] does, as if the process that accepted it had died. It returns the record of the
// acceptance.
func (r *Receiver) ReleaseToResume(ctx context.Context, name string, decision Decision) (audit.Stored, error) {
	left, err := r.release(ctx, name, decision, "")
	return left.Answer.Record, err
}

// release releases a letter, to be handed over by an instance; "" for none.
func (r *Receiver) release(ctx context.Context, name string, decision Decision, instance string) (left Left, err error) {
	if err := decision.check(); err != nil {
		return left, err
	}
	err = r.log.Append(ctx, func(b *audit.Batch) error {
		letter, err := findLetter(b, name)
		if err != nil {
			return err
		}
		if err := readLetter(ctx, r.options.Personal, b, &letter); err != nil {
			return err
		}
		if letter.Rejected.Details.PayloadDigest != nil && !r.options.Personal.TakesApart() {
			return &UnsealedError{letter.Rejected.Sequence}
		}
		d, err := r.Examine(ctx, jsonstream.NewRaw(letter.Raw), nil)
		if err != nil {
			return err
		}
		if err := r.unlock(ctx, b, d); err != nil {
			return err
		}
		if decision.Allow == nil {
			decision.Allow = rejectedFor(letter, d)
		}
		if rest := d.errorsBut(decision.Allow); len(rest) > 0 {
			return &StillInvalidError{rest}
		}
		if err := r.free(b, letter.Rejected); err != nil {
			return err
		}
		if _, err := b.Add(decided(letter, audit.Released, decision), nil); err != nil {
			return err
		}
		record := d.recorded()
		record.Event, record.Attempt, record.Receiver = audit.Accepted, letter.Rejected.Attempt, letter.Rejected.Receiver
		record.Details.By, record.Details.Allowed = decision.By, decision.Allow
		stored, err := d.add(b, record)
		if err != nil {
			return err
		}
		left = Left{Answer: answerTo(stored, Accepted), Raw: letter.Raw}
		pending := r.own(stored, "")
		pending.Instance = instance
		return b.SetPending([]audit.Pending{pending})
	})
	return left, err
}

// free returns an error if a copy of a message cannot be accepted: another message with its id has not been
// handed over, or its sender has revoked it.
func (r *Receiver) free(b *audit.Batch, rejected audit.Stored) error {
	c := rejected.Copy()
	others, err := b.Pending(c.HandoffID)
	if err != nil {
		return err
	}
	for _, p := range others {
		if p.Copy() == c {
			return &PendingError{p.Sequence}
		}
	}
	for s, err := range b.Records(audit.Filter{Handoffs: []string{c.HandoffID}, Events: []audit.Event{audit.Revoked}}) {
		if err != nil {
			return err
		}
		if (s.Receiver == c.Receiver || s.Receiver == "") && r.counts(&s, rejected.Sender) {
			return &RevokedError{s.Sequence}
		}
	}
	return nil
}

// rejectedFor returns the rules for which a letter was rejected: the rules in its record, and rules that it
// now breaks with the same reason.
func rejectedFor(letter Letter, now *Delivery) (rules []string) {
	for _, f := range letter.Rejected.Details.Findings {
		if f.Severity == finding.Error {
			rules = append(rules, f.Rule)
		}
	}
	for _, f := range now.Result.Findings {
		if f.Severity == finding.Error && f.Reason == letter.Rejected.Reason {
			rules = append(rules, f.Rules()...)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// errorsBut returns the errors of a message except violations of some rules.
func (d *Delivery) errorsBut(rules []string) (rest []finding.Finding) {
	for _, f := range d.Result.Findings {
		if f.Severity == finding.Error && slices.ContainsFunc(f.Rules(), func(id string) bool { return !slices.Contains(rules, id) }) {
			rest = append(rest, f)
		}
	}
	return rest
}
