package receiver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
)

// A Sealer stores the personal data of messages separately from them, encrypted, so that it can be erased
// (EAAPL-MAG006, section 12.3). [*personal.Sealer] implements it.
type Sealer interface {
	// Separate returns the personal data of a message, nil if it has none or the sealer separates none. m is
	// nil if raw could not be parsed as a message. quoted reports that findings quote the message: then the
	// result is not nil, unless the sealer separates none.
	Separate(raw []byte, m *message.Message, quoted bool) *personal.Part
	// TakesApart reports whether the sealer separates personal data.
	TakesApart() bool
	// Unlock gets the keys of parts for the records of a batch.
	Unlock(ctx context.Context, b *audit.Batch, parts []*personal.Part) error
	// Same reports whether the message of a record whose personal data is stored separately has a plain
	// digest.
	Same(ctx context.Context, r audit.Reader, sealed audit.Stored, plain audit.Hash) (bool, error)
	// Restore returns the message of a record as received, from its stored text.
	Restore(ctx context.Context, r audit.Reader, of audit.Stored, text []byte) ([]byte, error)
	// Findings returns the findings of a record with their original texts, which are personal data, too.
	Findings(ctx context.Context, r audit.Reader, of audit.Stored) ([]audit.Finding, error)
}

// A SealedError reports that there are no keys for a record's personal data.
type SealedError struct{ Sequence int64 }

func (e *SealedError) Error() string {
	return fmt.Sprintf("the personal data of record %d is stored separately: name the key store", e.Sequence)
}

// An UnsealedError reports that a message whose personal data is stored separately would be recorded together
// with it.
type UnsealedError struct{ Sequence int64 }

func (e *UnsealedError) Error() string {
	return fmt.Sprintf("the personal data of record %d is stored separately, but would now be recorded with its message: name the policy", e.Sequence)
}

// restore returns the message of a record as received.
func restore(ctx context.Context, s Sealer, r audit.Reader, of audit.Stored, text []byte) ([]byte, error) {
	switch {
	case of.Details.PayloadDigest == nil:
		return text, nil
	case s == nil:
		return nil, &SealedError{of.Sequence}
	}
	return s.Restore(ctx, r, of, text)
}

// Withholds reports whether messages must not be quoted: quotations are only stored in the audit log,
// encrypted.
func (r *Receiver) Withholds() bool {
	return r.options.Personal != nil && r.options.Personal.TakesApart()
}

// ownRules is the prefix of rules whose findings quote only ids.
const ownRules = "receiver/"

// told returns the errors of a rejected message in one line. If they are withheld, it contains only rules and
// places.
func told(findings []finding.Finding, withheld bool) string {
	var list []finding.Finding
	quotes := false
	for _, f := range findings {
		if f.Severity != finding.Error {
			continue
		}
		if withheld && !strings.HasPrefix(f.Rule, ownRules) {
			quotes = true
			f = finding.Finding{Pointer: personal.Told(f.Pointer), Message: cmp.Or(f.Rule, string(f.Reason))}
		}
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	text := finding.Details(list)
	if quotes {
		text += "; " + personal.Withheld
	}
	return text
}

// unlock gets the keys for deliveries to be recorded.
func (r *Receiver) unlock(ctx context.Context, b *audit.Batch, deliveries ...*Delivery) error {
	var parts []*personal.Part
	for _, d := range deliveries {
		if d.part != nil {
			parts = append(parts, d.part)
		}
	}
	if parts == nil {
		return nil
	}
	return r.options.Personal.Unlock(ctx, b, parts)
}

// recorded returns the record of a message whose keys are available.
func (d *Delivery) recorded() audit.Record {
	record := d.record
	if d.part != nil {
		d.part.Describe(&record)
	}
	return record
}

// add adds a record with the message, and the personal data apart from it.
func (d *Delivery) add(b *audit.Batch, record audit.Record) (audit.Stored, error) {
	if d.part == nil {
		return b.Add(record, d.frame)
	}
	payload, err := d.part.Seal(b.Next(), &record)
	if err != nil {
		return audit.Stored{}, err
	}
	return b.AddApart(record, d.frame, payload)
}

// same reports whether a message is the message that was accepted under its id. It is false after erasure.
func (r *Receiver) same(ctx context.Context, h *history, before *past, d *Delivery, record *audit.Record) (bool, error) {
	if before.accepted == nil {
		return false, nil
	}
	if before.accepted.MessageDigest == record.MessageDigest {
		return true, nil
	}
	same, err := r.isOf(ctx, h, before, d.record.MessageDigest)
	if erased := (*personal.ErasedError)(nil); errors.As(err, &erased) {
		return false, nil
	}
	return same, err
}
