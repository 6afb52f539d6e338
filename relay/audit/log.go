package audit

import (
	"context"
	"time"

	"github.com/eaapl/handoff/relay/audit/tree"
)

// A Log adds records to a [Store]. It may be used by several goroutines.
type Log struct {
	store Store
	now   func() time.Time
}

// NewLog returns the log in a store. now gives the time of records; nil means time.Now.
func NewLog(store Store, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{store, now}
}

// Store returns where the log is kept.
func (l *Log) Store() Store { return l.store }

// Append calls f with a batch, to which it adds records, and makes them durable, all or
// none. Nobody else adds records meanwhile, so what f reads is true until then. If the error
// is an [*UncertainError], the records may be durable.
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

// A Batch is records that become durable together.
type Batch struct {
	Tx
	ctx     context.Context
	head    Head
	now     time.Time
	entries []Entry
}

// Add adds a record, of which it sets the sequence number, the time and the hash of the
// record before, and the compressed message beside it, nil for none.
func (b *Batch) Add(r Record, frame []byte) (Stored, error) { return b.AddApart(r, frame, nil) }

// AddApart is like [Batch.Add], with the personal data of the message, encrypted, which is
// stored apart from it.
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

// Next returns the sequence number of the record that is added next.
func (b *Batch) Next() int64 { return b.head.Size }

// flush gives all to the store.
func (b *Batch) flush() error {
	if len(b.entries) == 0 {
		return nil
	}
	if err := b.Insert(b.entries); err != nil {
		return err
	}
	hashes := make([]tree.Hash, len(b.entries))
	for i, e := range b.entries {
		hashes[i] = e.Hash
	}
	nodes, err := tree.NewNodes(b.ctx, b.Tx, b.entries[0].Sequence, hashes)
	if err != nil || len(nodes) == 0 {
		return err
	}
	return b.InsertNodes(nodes)
}
