package receiver

import (
	"context"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/audit"
)

// DefaultRejectedPerDay is the default of [Options].RejectedPerDay: 16 MiB.
const DefaultRejectedPerDay = 16 << 20

// recordBytes is the size of a record with its indexes in a database, in bytes, without its message.
const recordBytes = 2 << 10

// The minimum interval between records of unrecorded messages, and the fraction of the quota that must be
// free before recording resumes.
const (
	unrecordedEvery = time.Hour
	resumeShare     = 24
)

// A meter limits the records of messages that are rejected or duplicate: anybody with access to the queue
// could send them without end. Each signing key has its own quota, and all unsigned messages share one.
// Messages over the quota are still answered, and counted.
type meter struct {
	perDay int64 // bytes; negative for no limit

	mu      sync.Mutex
	buckets map[string]*bucket // by key; "" for unsigned messages
}

type bucket struct {
	key        string
	level      int64     // bytes left
	at         time.Time // time of that level
	empty      bool      // exhausted, and not yet full enough again
	unrecorded int64     // since the last record about them
	told       time.Time
	last       audit.Hash    // hash of that record
	alert      *audit.Stored // that record, if there was no alert about it yet
}

// A quota is the use of a meter by one transaction. It takes effect when the transaction succeeds.
type quota struct {
	*meter
	batch   *audit.Batch
	buckets map[string]*bucket // as after the transaction
}

// append is [audit.Log.Append] with a quota.
func (r *Receiver) append(ctx context.Context, f func(*audit.Batch, *quota) error) error {
	var q *quota
	err := r.log.Append(ctx, func(b *audit.Batch) error {
		q = &quota{meter: &r.meter, batch: b, buckets: map[string]*bucket{}}
		return f(b, q)
	})
	if err == nil {
		r.meter.mu.Lock()
		defer r.meter.mu.Unlock()
		if r.meter.buckets == nil {
			r.meter.buckets = map[string]*bucket{}
		}
		for key, of := range q.buckets {
			r.meter.buckets[key] = of
		}
	}
	return err
}

// of returns a copy of the bucket of a key, at its current level.
func (q *quota) of(key string) *bucket {
	now := q.batch.Now()
	of := q.buckets[key]
	if of == nil {
		of = &bucket{key: key, level: q.perDay, at: now}
		q.mu.Lock()
		if before := q.meter.buckets[key]; before != nil {
			*of = *before
		}
		q.mu.Unlock()
		q.buckets[key] = of
	}
	if passed := now.Sub(of.at); passed > 0 {
		of.level = min(q.perDay, of.level+int64(float64(q.perDay)*min(passed.Hours()/24, 1)))
		of.at = now
	}
	if of.empty && of.level >= q.perDay/resumeShare {
		of.empty = false
	}
	return of
}

// allows reports whether the quota of a key, "" for unsigned messages, allows a record with a message of so
// many bytes. If not, the message is counted.
func (q *quota) allows(key string, bytes int) (bool, error) {
	if q.perDay < 0 {
		return true, nil
	}
	of := q.of(key)
	if !of.empty && of.level > 0 {
		of.level -= recordBytes + int64(bytes)
		_, err := of.tell(q.batch, false)
		return true, err
	}
	first := !of.empty
	of.empty = true
	of.unrecorded++
	told, err := of.tell(q.batch, first)
	if first {
		of.alert = told
	}
	return false, err
}

// add adds an unsigned record if the quota allows it.
func (q *quota) add(r audit.Record) error {
	ok, err := q.allows("", 0)
	if err == nil && ok {
		_, err = q.batch.Add(r, nil)
	}
	return err
}

// tell records the number of unrecorded messages, if the interval has passed or now is set.
func (b *bucket) tell(batch *audit.Batch, now bool) (*audit.Stored, error) {
	if b.unrecorded == 0 || !now && b.empty && batch.Now().Sub(b.told) < unrecordedEvery {
		return nil, nil
	}
	s, err := batch.Add(audit.Record{Event: audit.Unrecorded, KeyID: b.key, Details: audit.Details{
		Unrecorded: b.unrecorded, Explanation: "rejected messages, repeated messages and refused revocations are counted instead of recorded, because they exceed the quota",
	}}, nil)
	b.unrecorded, b.told, b.last = 0, batch.Now(), s.Hash
	return &s, err
}

// unrecorded returns the answer to a message that was only counted. The first one causes an alert.
func (q *quota) unrecorded(r audit.Record, status Status) Answer {
	of := q.of(r.KeyID)
	s := audit.Stored{Record: r, Hash: of.last}
	s.RecordedAt = q.batch.Now()
	a := answerTo(s, status)
	if of.alert != nil {
		a.Alerts, of.alert = append(a.Alerts, *of.alert), nil
	}
	return a
}

// Close records the number of unrecorded messages. The receiver must not be used afterwards.
func (r *Receiver) Close(ctx context.Context) error {
	r.meter.mu.Lock()
	open := false
	for _, of := range r.meter.buckets {
		open = open || of.unrecorded > 0
	}
	r.meter.mu.Unlock()
	if !open {
		return nil
	}
	return r.append(ctx, func(b *audit.Batch, q *quota) error {
		for key := range q.meter.buckets {
			if _, err := q.of(key).tell(b, true); err != nil {
				return err
			}
		}
		return nil
	})
}
