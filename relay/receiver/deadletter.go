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

// A Letter is a message that waits for a person to decide (EAAPL-MAG006, sections 6.1 and 11).
type Letter struct {
	DeadLettered audit.Stored
	Rejected     audit.Stored // why
	Raw          []byte       // the message as it came
	// Missing is why the message is not there: a [*personal.ErasedError] or, of a file of the archive
	// that is away or damaged, an [*audit.UnreadableError]. Nil if it is.
	Missing error
}

// Letters are the dead letters of an audit log.
type Letters struct {
	log    *audit.Log
	sealer Sealer
}

// NewLetters returns the dead letters of a log. sealer puts back the personal data of messages;
// nil if there is none apart.
func NewLetters(log *audit.Log, sealer Sealer) Letters { return Letters{log, sealer} }

// Letters returns the letters of the log that the receiver records in.
func (r *Receiver) Letters() Letters { return Letters{r.log, r.options.Personal} }

// List returns the records of the letters that wait, the oldest first.
func (l Letters) List(ctx context.Context) (waiting []audit.Stored, err error) {
	err = l.log.Store().View(ctx, func(r audit.Reader) (err error) {
		waiting, err = audit.Waiting(r)
		return err
	})
	return waiting, err
}

// A LetterError says that no one letter waits under a name.
type LetterError struct {
	Name     string
	Matching int // how many do
}

func (e *LetterError) Error() string {
	if e.Matching == 0 {
		return fmt.Sprintf("no dead letter waits under %s: give its handoffId or the number of its record", finding.Quote(e.Name))
	}
	return fmt.Sprintf("%d dead letters have the id %s: give the number of one's record", e.Matching, finding.Quote(e.Name))
}

// Find returns the letter that waits under a handoff id or the number of its record. If there
// is none, or more than one, the error is a [*LetterError].
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
		return letter, fmt.Errorf("record %d of the audit log does not say which message it is about", found[0].Sequence)
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

// A Decision is a person's about a letter.
type Decision struct {
	By          string   // who decides; not ""
	Explanation string   // why; not ""
	Allow       []string // ids of rules whose findings are allowed; nil for all that the letter was rejected for
}

func (d Decision) check() error {
	if strings.TrimSpace(d.By) == "" || strings.TrimSpace(d.Explanation) == "" {
		return errors.New("a decision about a dead letter needs a name and a reason")
	}
	return nil
}

// Discard records that a letter is not accepted. The record and the message stay.
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

// A StillInvalidError says what is wrong with a letter beside what a decision allows.
type StillInvalidError struct{ Findings []finding.Finding }

func (e *StillInvalidError) Error() string {
	return "it would still be rejected: " + finding.Details(e.Findings)
}

// A PendingError says that another message of a letter's id was accepted and has not been
// handed over, so that the letter has to wait.
type PendingError struct{ Accepted int64 } // the record that accepted the other one

func (e *PendingError) Error() string {
	return fmt.Sprintf("another message of this handoffId was accepted (record %d) and has not been handed over: that comes first", e.Accepted)
}

// A RevokedError says that the sender of a letter has taken it back.
type RevokedError struct{ Revoked int64 } // the record of that

func (e *RevokedError) Error() string {
	return fmt.Sprintf("its sender has revoked it (record %d), and may have given its task to somebody else: discard it", e.Revoked)
}

// Release accepts a letter, with what the decision allows recorded (section 11's appeal). The
// message is examined again: by a receiver whose validator runs all layers. If more is wrong
// with it than is allowed, the error is a [*StillInvalidError]; it may be a [*PendingError]
// or a [*RevokedError], too. The caller hands the message over and says so by [Receiver.HandedOver].
func (r *Receiver) Release(ctx context.Context, name string, decision Decision) (Left, error) {
	return r.release(ctx, name, decision, r.instance)
}

// ReleaseToResume is [Receiver.Release] for a caller that does not hand the message over: it is left
// as if the process that accepted it had ended, so that the next [Receiver.Resume] hands it over. It
// returns the record by which the message was accepted.
func (r *Receiver) ReleaseToResume(ctx context.Context, name string, decision Decision) (audit.Stored, error) {
	left, err := r.release(ctx, name, decision, "")
	return left.Answer.Record, err
}

// release releases a letter for an instance to hand it over, "" for none that runs.
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

// free returns an error if a copy of a message cannot be accepted: another message of its id has
// not been handed over, or its sender has taken it back.
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

// rejectedFor returns the rules for which a letter was rejected: those of its record, and
// those of the same reason now.
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

// errorsBut returns the errors of a message that break others than some rules.
func (d *Delivery) errorsBut(rules []string) (rest []finding.Finding) {
	for _, f := range d.Result.Findings {
		if f.Severity == finding.Error && slices.ContainsFunc(f.Rules(), func(id string) bool { return !slices.Contains(rules, id) }) {
			rest = append(rest, f)
		}
	}
	return rest
}
