package personal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/relay/audit"
)

// Options are the options of a [Sealer].
type Options struct {
	// Scanner finds personal data, and its policy has the pointers of the data subject's id. Without a
	// policy, no data is stored separately; data that was stored so can still be restored.
	Scanner *privacy.Scanner
	// Limits bound the processing of one message.
	Limits jsonstream.Limits
	// Keys opens the key store on its first use. [Sealer.Close] closes it.
	Keys func(context.Context) (KeyStore, error)
}

// A Sealer separates the personal data of messages, and restores it. It is safe for concurrent use.
type Sealer struct {
	separator *separator // nil to separate nothing
	keys      func(context.Context) (KeyStore, error)

	mu     sync.Mutex
	store  KeyStore // nil before its first use
	secret Secret
	log    string // name of the log, "" before its first use
}

// New returns a sealer. It returns an error if the policy is invalid.
func New(o Options) (*Sealer, error) {
	s := &Sealer{keys: o.Keys}
	if o.Scanner == nil {
		return s, nil
	}
	var err error
	s.separator, err = newSeparator(o.Scanner, o.Limits)
	return s, err
}

// Close closes the key store, if it is open.
func (s *Sealer) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		return nil
	}
	err := s.store.Close()
	s.store = nil
	return err
}

// Connect opens the key store if data is to be separated: so errors occur before anything is recorded.
func (s *Sealer) Connect(ctx context.Context) error {
	if s.separator == nil {
		return nil
	}
	_, _, err := s.open(ctx)
	return err
}

// open returns the key store and its secret, opening it on first use.
func (s *Sealer) open(ctx context.Context) (KeyStore, Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, s.secret, nil
	}
	if s.keys == nil {
		return nil, Secret{}, errNoKeys
	}
	store, err := s.keys(ctx)
	if err != nil {
		return nil, Secret{}, err
	}
	if s.secret, err = store.Secret(ctx); err != nil {
		return nil, Secret{}, errors.Join(err, store.Close())
	}
	s.store = store
	return store, s.secret, nil
}

// logSetting is the setting with the log's name.
const logSetting = "personal-log"

// logID returns the name of a log, "" if it has none.
func (s *Sealer) logID(r audit.Reader) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log != "" {
		return s.log, nil
	}
	settings, err := audit.Settings(r)
	if err == nil {
		s.log = settings[logSetting]
	}
	return s.log, err
}

// nameLog returns the name of a log, and sets it if there is none.
func (s *Sealer) nameLog(b *audit.Batch) (string, error) {
	id, err := s.logID(b)
	if err != nil || id != "" {
		return id, err
	}
	id = newLogID() // cached only when it is durable
	return id, b.Set(logSetting, id)
}

// KeptApart reports whether a log has, or had, personal data that is stored separately from its messages.
func KeptApart(ctx context.Context, store audit.Store) (kept bool, err error) {
	err = store.View(ctx, func(r audit.Reader) error {
		settings, err := audit.Settings(r)
		kept = settings[logSetting] != ""
		return err
	})
	return kept, err
}

// TakesApart reports whether there is a policy for separating data.
func (s *Sealer) TakesApart() bool { return s.separator != nil }

// Separate returns the personal data of a message, nil if it has none. m is nil if raw could not be parsed as
// a message: then all of it is personal data. quoted reports that findings quote the message: then the result
// is not nil, for [Part.Withhold].
func (s *Sealer) Separate(raw []byte, m *message.Message, quoted bool) *Part {
	if s.separator == nil {
		return nil
	}
	return s.separator.separate(raw, m, quoted)
}

// Unlock gets the keys of the data subjects of parts, which may be nil, for the records of a batch. No key is
// destroyed before the end of the batch: erasing is a batch, too.
func (s *Sealer) Unlock(ctx context.Context, b *audit.Batch, parts []*Part) error {
	if len(parts) == 0 {
		return nil
	}
	keys, secret, err := s.open(ctx)
	if err != nil {
		return err
	}
	log, err := s.nameLog(b)
	if err != nil {
		return err
	}
	subjects := make([]string, len(parts))
	for i, p := range parts {
		subjects[i] = secret.hash(p.kind, p.id)
	}
	list, err := keys.Keys(ctx, log, subjects)
	if err != nil {
		return fmt.Errorf("the keys of data subjects: %w", err)
	}
	for i, p := range parts {
		p.key, p.log = &list[i], log
	}
	return nil
}

// Describe sets the members of a record of a message whose personal data is stored separately: its keyed
// digest in place of the plain one, and the data subject.
func (p *Part) Describe(r *audit.Record) {
	r.MessageDigest = p.key.digest(r.MessageDigest)
	r.Details.Subject = p.key.Subject
}

// Seal returns the encrypted payload of a record, and sets the record's members about it. sequence is the
// record's future sequence number.
func (p *Part) Seal(sequence int64, r *audit.Record) (payload []byte, err error) {
	if r.Details.Commitments, err = p.content.commitments(); err != nil {
		return nil, err
	}
	payload, err = p.key.seal(p.log, sequence, p.content)
	digest := audit.Hash(sha256.Sum256(payload))
	r.Details.PayloadDigest = &digest
	return payload, err
}

// Same reports whether a plain digest is the digest of the message of a record, whose personal data is stored
// separately. The error is an [*ErasedError] if this can no longer be determined.
func (s *Sealer) Same(ctx context.Context, r audit.Reader, sealed audit.Stored, plain audit.Hash) (bool, error) {
	key, _, err := s.keyOf(ctx, r, sealed)
	return err == nil && key != nil && key.digest(plain) == sealed.MessageDigest, err
}

// An ErasedError reports that the personal data of a record was erased.
type ErasedError struct {
	Sequence int64
	Erased   audit.Stored // the record of the erasure
}

func (e *ErasedError) Error() string {
	text := fmt.Sprintf("the personal data of record %d was erased at %s (record %d)", e.Sequence, audit.FormatTime(e.Erased.RecordedAt), e.Erased.Sequence)
	if by := e.Erased.Details.By; by != "" {
		text += " by " + by
	}
	if reason := e.Erased.Details.Explanation; reason != "" {
		text += ": " + reason
	}
	return text
}

// A KeyError reports that the key store lacks the key of a record whose personal data was not erased.
type KeyError struct{ Sequence int64 }

func (e *KeyError) Error() string {
	return fmt.Sprintf("the key for the personal data of record %d is not in the key store, and there is no record that it was erased: use the key store that the log was written with", e.Sequence)
}

// keyOf returns the key and the payload of a record; nil if it has no payload. The error may be an
// [*ErasedError] or a [*KeyError].
func (s *Sealer) keyOf(ctx context.Context, r audit.Reader, of audit.Stored) (*Key, []byte, error) {
	payload, err := r.Payload(of.Sequence)
	if err != nil {
		return nil, nil, err
	}
	if err := CheckPayload(&of.Record, payload); err != nil {
		return nil, nil, err
	}
	if payload == nil {
		return nil, nil, nil
	}
	id, _, _, err := splitPayload(payload)
	if err != nil {
		return nil, nil, &TamperedError{of.Sequence, err.Error()}
	}
	keys, _, err := s.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	key, err := keys.Find(ctx, id)
	if err != nil || key != nil {
		return key, payload, err
	}
	erased, err := erasedAfter(r, of.Details.Subject, of.Sequence)
	switch {
	case err != nil:
		return nil, nil, err
	case erased == nil:
		return nil, nil, &KeyError{of.Sequence}
	}
	return nil, nil, &ErasedError{of.Sequence, *erased}
}

// ErasedBy returns the record of the erasure of a record's personal data; nil if there is none.
func ErasedBy(r audit.Reader, of audit.Stored) (*audit.Stored, error) {
	if of.Details.PayloadDigest == nil {
		return nil, nil
	}
	return erasedAfter(r, of.Details.Subject, of.Sequence)
}

// Erased returns the records whose personal data an erasure destroyed: their number, and the sequence numbers
// of the first and the last.
func Erased(r audit.Reader, by audit.Stored) (n int, first, last int64, err error) {
	previous := int64(-1)
	for s, err := range r.Records(audit.Filter{Events: []audit.Event{audit.Erased}}) {
		if err != nil {
			return 0, 0, 0, err
		}
		if s.Sequence < by.Sequence && s.Details.Subject == by.Details.Subject {
			previous = s.Sequence
		}
	}
	for s, err := range r.Records(audit.Filter{Subject: by.Details.Subject, From: previous + 1}) {
		if err != nil {
			return 0, 0, 0, err
		}
		if s.Sequence > by.Sequence {
			break
		}
		if n++; n == 1 {
			first = s.Sequence
		}
		last = s.Sequence
	}
	return n, first, last, nil
}

// erasedAfter returns the first record after sequence of the erasure of a subject; nil if there is none.
func erasedAfter(r audit.Reader, subject string, sequence int64) (*audit.Stored, error) {
	for s, err := range r.Records(audit.Filter{Events: []audit.Event{audit.Erased}, From: sequence}) {
		if err != nil {
			return nil, err
		}
		if s.Details.Subject == subject {
			return &s, nil
		}
	}
	return nil, nil
}

// contentOf returns the personal data of a record; the zero content if it has none.
func (s *Sealer) contentOf(ctx context.Context, r audit.Reader, of audit.Stored) (c content, err error) {
	key, payload, err := s.keyOf(ctx, r, of)
	if err != nil || key == nil {
		return c, err
	}
	log, err := s.logID(r)
	if err != nil {
		return c, err
	}
	return key.open(log, &of.Record, payload)
}

// Restore returns the message of a record as received, from its stored text. If it has no personal data, this
// is the stored text. The error is an [*ErasedError] after erasure.
func (s *Sealer) Restore(ctx context.Context, r audit.Reader, of audit.Stored, text []byte) ([]byte, error) {
	if of.Details.PayloadDigest == nil {
		return text, nil
	}
	c, err := s.contentOf(ctx, r, of)
	if err != nil {
		return nil, err
	}
	original, ok := redact.Restore(text, c.changes())
	if !ok {
		return nil, &TamperedError{of.Sequence, "it does not belong to the message beside the record"}
	}
	return original, nil
}

// Findings returns the findings of a record with their original texts.
func (s *Sealer) Findings(ctx context.Context, r audit.Reader, of audit.Stored) ([]audit.Finding, error) {
	withheld := slices.ContainsFunc(of.Details.Findings, func(f audit.Finding) bool { return f.Message == Withheld })
	if of.Details.PayloadDigest == nil || !withheld {
		return of.Details.Findings, nil
	}
	c, err := s.contentOf(ctx, r, of)
	return c.Findings, err
}
