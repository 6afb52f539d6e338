package receiver

import (
	"context"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/audit"
)

// DefaultRejectedPerDay is the default of [Options].RejectedPerDay: 16 MiB.
const DefaultRejectedPerDay = 16 << 20

// recordBytes is how much a record takes in a database with its indexes, in bytes, beside its message.
const recordBytes = 2 << 10

// How often it is recorded at most how much was not recorded, and what part of the quota has to be there
// again before single records go on.
const (
	unrecordedEvery = time.Hour
	resumeShare     = 24
)

// A meter bounds what is recorded of messages that are not accepted, and of those that come again:
// anybody who reaches the queue can send them for ever. Each key that has signed has a quota of its
// own, and all that nobody has signed has one together. What is beyond it is answered as ever, and
// counted.
type meter struct {
	perDay int64 // bytes; negative for no bound

	mu      sync.Mutex
	buckets map[string]*bucket // by key; "" for nobody
}

type bucket struct {
	key        string
	level      int64     // bytes that may be recorded
	at         time.Time // of that level
	empty      bool      // it was used up, and is not full enough again
	unrecorded int64     // since told
	told       time.Time
	last       audit.Hash    // of the record that says so
	alert      *audit.Stored // that record, if people have not heard of it
}

// A quota is what one transaction takes of a meter. It counts when that has succeeded.
type quota struct {
	*meter
	batch   *audit.Batch
	buckets map[string]*bucket // as they are then
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

// of returns a copy of the bucket of a key, as full as it is now.
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

// allows reports whether a record may be added, with a message of so many bytes, of whom a key has
// signed, "" for nobody. If not, it is counted.
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

// add adds a record of nobody known if it may be.
func (q *quota) add(r audit.Record) error {
	ok, err := q.allows("", 0)
	if err == nil && ok {
		_, err = q.batch.Add(r, nil)
	}
	return err
}

// tell records how much was not recorded, if it is time for that, or now.
func (b *bucket) tell(batch *audit.Batch, now bool) (*audit.Stored, error) {
	if b.unrecorded == 0 || !now && b.empty && batch.Now().Sub(b.told) < unrecordedEvery {
		return nil, nil
	}
	s, err := batch.Add(audit.Record{Event: audit.Unrecorded, KeyID: b.key, Details: audit.Details{
		Unrecorded: b.unrecorded, Explanation: "rejected messages, messages that came again and refused revocations are not recorded one by one: more come than the quota has room for",
	}}, nil)
	b.unrecorded, b.told, b.last = 0, batch.Now(), s.Hash
	return &s, err
}

// unrecorded returns the answer to a message that was counted alone. People hear of the first.
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

// Close records what was counted and not recorded yet. The receiver is not used any more.
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
