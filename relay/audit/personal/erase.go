package personal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
)

// A Subject selects a data subject: by the id in messages, or by a record, which also works for messages
// without such an id.
type Subject struct {
	ID     string
	Record *int64
}

// A NothingHeldError reports that a log has no data about a data subject.
type NothingHeldError struct{ Subject Subject }

func (e *NothingHeldError) Error() string {
	if e.Subject.Record != nil {
		return fmt.Sprintf("record %d has no personal data", *e.Subject.Record)
	}
	return fmt.Sprintf("the audit log has no data about the data subject %s: ids are compared byte by byte", finding.Quote(e.Subject.ID))
}

// hash returns the subject's hash as stored in records.
func (s *Sealer) hash(ctx context.Context, r audit.Reader, of Subject) (string, error) {
	if of.Record == nil {
		_, secret, err := s.open(ctx)
		return secret.hash(ofSubject, of.ID), err
	}
	for stored, err := range r.Records(audit.Filter{From: *of.Record, Limit: 1}) {
		if err != nil {
			return "", err
		}
		if stored.Sequence == *of.Record && stored.Details.Subject != "" {
			return stored.Details.Subject, nil
		}
	}
	return "", &NothingHeldError{of}
}

// A Decision is a person's decision to erase.
type Decision struct {
	By     string // "" if unknown
	Reason string // must not be empty
}

// Erase destroys the key of a data subject and records the erasure. The key is durably destroyed before the
// record is added, so that no record is untrue. Meanwhile no other process adds records. If a crash happened
// between these steps, the next Erase of any subject adds the record.
//
// A repeated erasure returns the existing record. The error is a [*NothingHeldError] if there is no data
// about the subject.
func (s *Sealer) Erase(ctx context.Context, log *audit.Log, of Subject, d Decision) (erased audit.Stored, err error) {
	if d.Reason == "" {
		return erased, errors.New("an erasure needs a reason")
	}
	keys, _, err := s.open(ctx)
	if err != nil {
		return erased, err
	}
	var done []Erasure
	err = log.Append(ctx, func(b *audit.Batch) error {
		done = nil
		name, err := s.nameLog(b)
		if err != nil {
			return err
		}
		subject, err := s.hash(ctx, b, of)
		if err != nil {
			return err
		}
		unfinished, err := keys.Unfinished(ctx, name)
		if err != nil {
			return err
		}
		for _, e := range unfinished {
			stored, err := finish(ctx, b, keys, e)
			if err != nil {
				return err
			}
			done = append(done, e)
			if e.Subject == subject {
				erased = stored
			}
		}
		if erased.Event == audit.Erased {
			return nil
		}
		last, err := lastHeld(b, subject)
		if err != nil {
			return err
		}
		if last < 0 {
			return &NothingHeldError{of}
		}
		before, err := erasedAfter(b, subject, last)
		if err != nil {
			return err
		}
		if before != nil {
			erased = *before
			return nil
		}
		e := Erasure{Log: name, Subject: subject, By: d.By, Reason: d.Reason, At: b.Now(), Size: b.Next()}
		if err := keys.Destroy(ctx, e); err != nil {
			return err
		}
		done = append(done, e)
		erased, err = finish(ctx, b, keys, e)
		return err
	})
	for _, e := range done {
		if err == nil {
			err = keys.Finish(ctx, e)
		}
	}
	return erased, err
}

// lastHeld returns the number of the last record with data of a subject, -1 if there is none.
func lastHeld(r audit.Reader, subject string) (int64, error) {
	for stored, err := range r.Records(audit.Filter{Subject: subject, Newest: true, Limit: 1}) {
		return stored.Sequence, err
	}
	return -1, nil
}

// finish completes an erasure after the destruction of the key: it removes remains of the key from files,
// cancels handing over messages that are no longer readable, and adds the record.
func finish(ctx context.Context, b *audit.Batch, keys KeyStore, e Erasure) (stored audit.Stored, err error) {
	if err := keys.Sweep(ctx); err != nil {
		return stored, err
	}
	before, err := erasedAfter(b, e.Subject, e.Size)
	if err != nil {
		return stored, err
	}
	if before != nil {
		return *before, nil
	}
	pending, err := b.Pending()
	if err != nil {
		return stored, err
	}
	var left []audit.Copy
	for held, err := range b.Records(audit.Filter{Subject: e.Subject, Events: []audit.Event{audit.Accepted}}) {
		if err != nil {
			return stored, err
		}
		if slices.ContainsFunc(pending, func(p audit.Pending) bool { return p.Sequence == held.Sequence && !p.Alive && !p.Running }) {
			left = append(left, held.Copy())
		}
	}
	if err := b.ClearPending(left); err != nil {
		return stored, err
	}
	return b.Add(audit.Record{Event: audit.Erased, Details: audit.Details{Subject: e.Subject, By: e.By, Explanation: e.Reason}}, nil)
}

// A Held is the data about a data subject in one record.
type Held struct {
	Record audit.Stored
	Data   []Datum
	Erased *audit.Stored // the record of the erasure; nil if the data is not erased
}

// Held calls each with the data about a data subject, in the order of the log (GDPR, Article 15). The error
// is a [*NothingHeldError] if the log never had any.
func (s *Sealer) Held(ctx context.Context, r audit.Reader, of Subject, each func(Held) error) error {
	subject, err := s.hash(ctx, r, of)
	if err != nil {
		return err
	}
	found := false
	for from := int64(0); ; found = true {
		// A list, since a database cannot answer a second query while it sends rows.
		list, err := audit.List(r, audit.Filter{Subject: subject, From: from, Limit: atOnce})
		if err != nil {
			return err
		}
		if list == nil && !found {
			return &NothingHeldError{of}
		}
		if list == nil {
			return nil
		}
		for _, stored := range list {
			held, err := s.held(ctx, r, stored)
			if err == nil {
				err = each(held)
			}
			if err != nil {
				return err
			}
			from = stored.Sequence + 1
		}
	}
}

// atOnce is the number of records in memory at once.
const atOnce = 500

// held returns the data of a record.
func (s *Sealer) held(ctx context.Context, r audit.Reader, stored audit.Stored) (Held, error) {
	held := Held{Record: stored}
	c, err := s.contentOf(ctx, r, stored)
	if gone := (*ErasedError)(nil); errors.As(err, &gone) {
		held.Erased, err = &gone.Erased, nil
	}
	for _, d := range c.Data {
		if d.Class != digestClass {
			held.Data = append(held.Data, d)
		}
	}
	return held, err
}
