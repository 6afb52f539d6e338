package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
)

// ways are what records say that other rows must agree with: which messages are to be handed
// over, and what was done with the log itself.
type ways struct {
	seed maphash.Seed
	// last is, by handoff, what was recorded last: that it was accepted, or handed over. Of
	// those that were handed over, a whole log has none.
	last   map[uint64]passage
	erased []passage // of data subjects
	notes  []note
	lost   bool // there were too many to remember
}

// A passage is a message that was accepted.
type passage struct {
	sequence int64  // of the record; -1 if it was handed over
	subject  string // whose personal data it has, "" for nobody's
	erased   bool   // it is gone, and nobody has to hand the message over
}

// A note is a record about the log itself.
type note struct {
	sequence int64
	Details
}

func newWays(seed maphash.Seed) ways { return ways{seed: seed, last: map[uint64]passage{}} }

// maxPassages bounds how many messages that are to be handed over are remembered.
const maxPassages = 1 << 20

// add takes a record in, and returns its details, if they are about more than its message.
func (w *ways) add(r *Row) (d Details) {
	switch {
	case r.Tombstone:
		return d
	case r.Event == Erased || r.Event == Configured || r.Event == Archived || r.Event == Pruned || bytes.Contains(r.RawDetails, []byte(`"payloadDigest"`)):
		var err error
		if d, err = ParseDetails(r.RawDetails); err != nil {
			d = Details{} // it was changed, which was reported
		}
	}
	switch r.Event {
	case Accepted:
		p := passage{sequence: r.Sequence}
		if d.PayloadDigest != nil {
			p.subject = d.Subject
		}
		w.last[w.key(r.HandoffID)] = p
	case HandedOver:
		w.last[w.key(r.HandoffID)] = passage{sequence: -1}
	case Erased:
		w.erased = append(w.erased, passage{r.Sequence, d.Subject, true})
	case Configured, Archived, Pruned:
		w.notes = append(w.notes, note{r.Sequence, d})
	}
	return d
}

func (w *ways) key(handoff string) uint64 { return maphash.String(w.seed, handoff) }

// join takes the records in that come after.
func (w *ways) join(after ways) {
	for key, p := range after.last {
		if p.sequence < 0 {
			delete(w.last, key)
		} else if !w.lost {
			w.last[key] = p
		}
	}
	w.lost = w.lost || len(w.last) > maxPassages
	for _, e := range after.erased {
		for key, p := range w.last {
			if p.subject == e.subject && p.subject != "" && p.sequence < e.sequence {
				p.erased = true
				w.last[key] = p
			}
		}
	}
	w.notes = append(w.notes, after.notes...)
}

// beside compares the rows beside the records with what these say, at one moment.
func (v *verification) beside(i Inspector) error {
	late := newWays(v.way.seed) // what was added since is not verified, and may have changed the rows
	err := i.Rows(v.Size, math.MaxInt64, func(r *Row) error {
		late.add(r)
		return nil
	})
	if err != nil {
		return err
	}
	v.way.join(late)
	if err := v.pending(i); err != nil {
		return err
	}
	kept, err := i.Retention()
	if err != nil {
		return err
	}
	return v.notes(kept)
}

// row reports a problem of a row that a record is about, or of one that none is about.
func (v *verification) row(record int64, format string, args ...any) error {
	return v.found(Problem{RowChanged, record, record, fmt.Sprintf(format, args...)})
}

// pending compares what is to be handed over with what records say of it.
func (v *verification) pending(i Inspector) error {
	if v.way.lost {
		return v.row(-1, "more than %d messages were accepted and not handed over: too many to compare with audit_pending", maxPassages)
	}
	err := i.Pending(func(handoff string, sequence int64, written bool) error {
		key := v.way.key(handoff)
		p, ok := v.way.last[key]
		delete(v.way.last, key)
		switch {
		case !written:
			return v.row(-1, "what is under way of handoff %s (record %d) was changed", finding.Quote(handoff), sequence)
		case !ok:
			return v.row(-1, "handoff %s is under way (record %d), and no record has accepted it, or it was handed over", finding.Quote(handoff), sequence)
		case p.sequence != sequence:
			return v.row(-1, "handoff %s is under way, but not by record %d: record %d has accepted it", finding.Quote(handoff), sequence, p.sequence)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range slices.SortedFunc(maps.Values(v.way.last), func(a, b passage) int { return cmp.Compare(a.sequence, b.sequence) }) {
		if p.erased {
			continue
		}
		if err := v.row(p.sequence, "the message that record %d has accepted was not handed over, and is not under way: its row of audit_pending is missing", p.sequence); err != nil {
			return err
		}
	}
	return nil
}

// notes compares what was set, moved and removed with what records say of it.
func (v *verification) notes(kept Retention) error {
	set, moved, removed := map[string]int64{}, map[int64]note{}, map[int64]note{}
	gone := int64(0)
	for _, n := range v.way.notes {
		switch {
		case n.Setting != nil:
			if before, ok := set[n.Setting.Name]; ok {
				if err := v.row(n.sequence, "record %d makes the setting %s, which record %d has made once for all", n.sequence, finding.Quote(n.Setting.Name), before); err != nil {
					return err
				}
				continue
			}
			set[n.Setting.Name] = n.sequence
		case n.Archive != nil:
			moved[n.Archive.First] = n
		case n.Removal != nil:
			removed[n.Removal.Before] = n
			gone += n.Removal.Records
		}
	}
	for _, a := range kept.Archives {
		n, ok := moved[a.First]
		delete(moved, a.First)
		switch {
		case !ok:
			if err := v.row(-1, "no record says that the messages of the records %d to %d were moved: their row of audit_archive was added or changed", a.First, a.Last); err != nil {
				return err
			}
		case *n.Archive != a:
			if err := v.row(n.sequence, "the row of audit_archive for the records %d to %d is not what record %d says", n.Archive.First, n.Archive.Last, n.sequence); err != nil {
				return err
			}
		}
	}
	for _, before := range kept.Removals {
		if _, ok := removed[before]; !ok {
			if err := v.row(-1, "no record says that the records before %d were removed: their row of audit_removal was added or changed", before); err != nil {
				return err
			}
		}
		delete(removed, before)
	}
	for _, n := range sorted(moved) {
		if err := v.row(n.sequence, "the row of audit_archive for the records %d to %d, which record %d is about, is missing", n.Archive.First, n.Archive.Last, n.sequence); err != nil {
			return err
		}
	}
	for _, n := range sorted(removed) {
		if err := v.row(n.sequence, "the row of audit_removal for the records before %d, which record %d is about, is missing", n.Removal.Before, n.sequence); err != nil {
			return err
		}
	}
	if kept.Tombstones != gone && len(removed) == 0 {
		return v.row(-1, "%d records are removed, and the records of that say %d", kept.Tombstones, gone)
	}
	return nil
}

// sorted returns notes in the order of their records.
func sorted(notes map[int64]note) []note {
	return slices.SortedFunc(maps.Values(notes), func(a, b note) int { return cmp.Compare(a.sequence, b.sequence) })
}
