package audit

import (
	"context"
	"time"

	"github.com/eaapl/handoff/pkg/merkle"
)

// A Log adds records to a [Store]. It is safe for concurrent use.
type Log struct {
	store Store
	now   func() time.Time
}

// NewLog returns the log in a store. now returns the time for records; nil means time.Now.
func NewLog(store Store, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{store, now}
}

// Store returns the store of the log.
func (l *Log) Store() Store { return l.store }

// Append calls f with a batch and makes the records that f adds durable, all or none. Meanwhile no other
// process adds records, so data that f reads stays current. If the error is an [*UncertainError], the records
// may be durable.
func (l *Log) Append(ctx context.Context, f func(*Batch) error) error {
	return l.store.Update(ctx, func(tx Tx) error {
		head, err := tx.Head()
		if err != nil {
			return err
		}
		b := &Batch{Tx: tx, ctx: ctx, head: head, now: l.now().UTC().Truncate(time.Microsecond)}
		if err := f(b); err != nil {
			return err
		}
		return b.flush()
	})
}

// A Batch is a group of records that become durable together.
type Batch struct {
	Tx
	ctx     context.Context
	head    Head
	now     time.Time
	entries []Entry
}

// Add adds a record and its compressed message, nil for none. It sets the record's sequence number, its time
// and the hash of the previous record.
func (b *Batch) Add(r Record, frame []byte) (Stored, error) { return b.AddApart(r, frame, nil) }

// AddApart is like [Batch.Add], with the encrypted personal data of the message, which is stored separately
// from it.
func (b *Batch) AddApart(r Record, frame, payload []byte) (Stored, error) {
	r.Sequence, r.PreviousRecordHash, r.RecordedAt = b.head.Size, b.head.Last, b.now
	hash, err := r.Hash()
	if err != nil {
		return Stored{}, err
	}
	b.head = Head{b.head.Size + 1, hash}
	s := Stored{r, hash}
	b.entries = append(b.entries, Entry{s, frame, payload})
	return s, nil
}

// Now returns the time of the batch's records.
func (b *Batch) Now() time.Time { return b.now }

// Next returns the sequence number of the next record.
func (b *Batch) Next() int64 { return b.head.Size }

// flush writes the batch to the store.
func (b *Batch) flush() error {
	if len(b.entries) == 0 {
		return nil
	}
	if err := b.Insert(b.entries); err != nil {
		return err
	}
	hashes := make([]merkle.Hash, len(b.entries))
	for i, e := range b.entries {
		hashes[i] = e.Hash
	}
	nodes, err := merkle.NewNodes(b.ctx, b.Tx, b.entries[0].Sequence, hashes)
	if err != nil || len(nodes) == 0 {
		return err
	}
	return b.InsertNodes(nodes)
}
