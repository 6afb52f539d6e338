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

// ways are the facts in records that other rows must match: messages to be handed over, running agents, and
// changes of the log itself.
type ways struct {
	seed maphash.Seed
	// last is the last recorded state by copy: accepted, running, or done. A complete log has no entry with
	// done.
	last map[uint64]passage
	// handedOver is, by handoff, the last HANDED_OVER without a receiver, written by older versions: it
	// applies to all copies accepted before. A complete log has none.
	handedOver map[uint64]int64
	erased     []passage // erasures of data subjects
	notes      []note
	lost       bool // too many to keep
}

// A passage is the state of an accepted message.
type passage struct {
	sequence int64  // of its record; or done, or earlier
	handoff  uint64 // key of its id
	subject  string // data subject, "" for none
	running  bool   // handed over to an agent that has not ended
	free     bool   // its personal data was erased or it was rolled back, so it need not be handed over
	ended    bool   // with earlier: its agent has ended, if it ran
}

// Sequence numbers of passages without a record.
const (
	done    = -1 // nothing is left to do
	earlier = -2 // accepted before the examined records
)

// A note is a record about the log itself.
type note struct {
	sequence int64
	Details
}

func newWays(seed maphash.Seed) ways {
	return ways{seed: seed, last: map[uint64]passage{}, handedOver: map[uint64]int64{}}
}

// maxPassages limits the number of messages to be handed over that are kept.
const maxPassages = 1 << 20

// add adds a record, and returns its details, if they are about more than its message.
func (w *ways) add(r *Row) (d Details) {
	switch {
	case r.Tombstone:
		return d
	case r.Event == Erased || r.Event == Configured || r.Event == Archived || r.Event == Pruned ||
		bytes.Contains(r.RawDetails, []byte(`"payloadDigest"`)) || r.Event == HandedOver && r.RawDetails != nil:
		var err error
		if d, err = ParseDetails(r.RawDetails); err != nil {
			d = Details{} // the change is already reported
		}
	}
	switch r.Event {
	case Accepted:
		p := passage{sequence: r.Sequence, handoff: w.key(r.HandoffID)}
		if d.PayloadDigest != nil {
			p.subject = d.Subject
		}
		w.last[w.keyOf(r)] = p
	case HandedOver:
		switch {
		case d.Running && d.Concerns != nil:
			w.last[w.keyOf(r)] = passage{sequence: *d.Concerns, handoff: w.key(r.HandoffID), running: true}
		case r.Receiver == "":
			w.handedOver[w.key(r.HandoffID)] = r.Sequence
		default:
			w.last[w.keyOf(r)] = passage{sequence: done}
		}
	case Completed, ExecutionFailed:
		switch p := w.before(r); {
		case p.running:
			w.last[w.keyOf(r)] = passage{sequence: done}
		case p.sequence == earlier:
			p.ended = true
			w.last[w.keyOf(r)] = p
		}
	case RolledBack:
		if p := w.before(r); p.sequence != done && !p.running {
			p.free = true
			w.last[w.keyOf(r)] = p
		}
	case Erased:
		w.erased = append(w.erased, passage{sequence: r.Sequence, subject: d.Subject})
	case Configured, Archived, Pruned:
		w.notes = append(w.notes, note{r.Sequence, d})
	}
	return d
}

func (w *ways) key(handoff string) uint64 { return maphash.String(w.seed, handoff) }

// keyOf returns the key of a record's copy.
func (w *ways) keyOf(r *Row) uint64 { return w.keyOfCopy(r.HandoffID, r.Receiver) }

func (w *ways) keyOfCopy(handoff, receiver string) uint64 {
	return maphash.Comparable(w.seed, Copy{handoff, receiver})
}

// before returns the state of a record's copy before it.
func (w *ways) before(r *Row) passage {
	p, ok := w.last[w.keyOf(r)]
	if !ok {
		p = passage{sequence: earlier, handoff: w.key(r.HandoffID)}
	}
	return p
}

// join adds the records that follow.
func (w *ways) join(after ways) {
	if len(after.handedOver) > 0 {
		for key, p := range w.last {
			if _, gone := after.handedOver[p.handoff]; gone {
				delete(w.last, key)
			}
		}
	}
	for key, p := range after.last {
		gone := p.sequence == done
		if at, ok := after.handedOver[p.handoff]; ok && p.sequence < at {
			gone = true
		}
		if p.sequence == earlier {
			before, known := w.last[key]
			gone = gone || !known || before.running && p.ended
			before.free = before.free || p.free && !before.running
			p = before
		}
		if gone {
			delete(w.last, key)
		} else if !w.lost {
			w.last[key] = p
		}
	}
	w.lost = w.lost || len(w.last) > maxPassages
	for _, e := range after.erased {
		for key, p := range w.last {
			if p.subject == e.subject && p.subject != "" && p.sequence < e.sequence {
				p.free = true
				w.last[key] = p
			}
		}
	}
	w.notes = append(w.notes, after.notes...)
}

// beside compares the rows beside the records with the records, in one snapshot.
func (v *verification) beside(i Inspector) error {
	late := newWays(v.way.seed) // records added meanwhile are not verified, but may have changed the rows
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

// row reports a problem of a row, with its record if there is one.
func (v *verification) row(record int64, format string, args ...any) error {
	return v.found(Problem{RowChanged, record, record, fmt.Sprintf(format, args...)})
}

// pending compares the messages to be handed over with the records.
func (v *verification) pending(i Inspector) error {
	if v.way.lost {
		return v.row(-1, "more than %d messages were accepted and not handed over: too many to compare with audit_pending", maxPassages)
	}
	var ended []Pending // agents have ended, but senders may not know
	err := i.Pending(func(row Pending, written bool) error {
		key := v.way.keyOfCopy(row.HandoffID, row.Receiver)
		p, ok := v.way.last[key]
		delete(v.way.last, key)
		id := finding.Quote(row.HandoffID)
		switch {
		case !written:
			return v.row(-1, "the row of audit_pending for handoff %s (record %d) was changed", id, row.Sequence)
		case !ok && row.Running && row.ReplyTo != "":
			ended = append(ended, row)
			return nil
		case !ok:
			return v.row(-1, "handoff %s is in audit_pending (record %d), but no record accepted it, or it was already handed over", id, row.Sequence)
		case p.sequence != row.Sequence:
			return v.row(-1, "handoff %s is in audit_pending with record %d, but record %d accepted it", id, row.Sequence, p.sequence)
		case p.running && !row.Running:
			return v.row(p.sequence, "handoff %s is in audit_pending (record %d) without an agent, but it was handed over to an agent that has not ended", id, row.Sequence)
		case !p.running && row.Running:
			return v.row(p.sequence, "handoff %s is in audit_pending (record %d) with an agent, but no record has this handover", id, row.Sequence)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, row := range ended {
		accepted := false
		err := i.Rows(row.Sequence, row.Sequence+1, func(r *Row) error {
			accepted = r.Event == Accepted && r.Copy() == row.Copy()
			return nil
		})
		if err == nil && !accepted {
			err = v.row(-1, "handoff %s is in audit_pending (record %d), but that record did not accept it for this receiver", finding.Quote(row.HandoffID), row.Sequence)
		}
		if err != nil {
			return err
		}
	}
	for _, p := range slices.SortedFunc(maps.Values(v.way.last), func(a, b passage) int { return cmp.Compare(a.sequence, b.sequence) }) {
		what := "was not handed over"
		switch {
		case p.running:
			what = "has an agent that has not ended"
		case p.free:
			continue
		}
		if err := v.row(p.sequence, "the message that record %d accepted %s, but its row of audit_pending is missing", p.sequence, what); err != nil {
			return err
		}
	}
	return nil
}

// notes compares the settings, moves and removals with the records.
func (v *verification) notes(kept Retention) error {
	set, moved, removed := map[string]int64{}, map[int64]note{}, map[int64]note{}
	gone := int64(0)
	for _, n := range v.way.notes {
		switch {
		case n.Setting != nil:
			if before, ok := set[n.Setting.Name]; ok {
				if err := v.row(n.sequence, "record %d makes the setting %s again, but record %d made it, and it cannot be changed", n.sequence, finding.Quote(n.Setting.Name), before); err != nil {
					return err
				}
				continue
			}
			set[n.Setting.Name] = n.sequence
		case n.Archive != nil:
			moved[n.Archive.First] = n
		case n.Removal != nil:
			gone += n.Removal.Records
			if n.Removal.Rejected {
				removed[-n.Removal.Before] = n
				continue
			}
			removed[n.Removal.Before] = n
		}
	}
	for _, a := range kept.Archives {
		n, ok := moved[a.First]
		delete(moved, a.First)
		switch {
		case !ok:
			if err := v.row(-1, "no record confirms that the messages of the records %d to %d were moved: their row of audit_archive was added or changed", a.First, a.Last); err != nil {
				return err
			}
		case *n.Archive != a:
			if err := v.row(n.sequence, "the row of audit_archive for the records %d to %d differs from record %d", n.Archive.First, n.Archive.Last, n.sequence); err != nil {
				return err
			}
		}
	}
	for _, before := range kept.Removals {
		if _, ok := removed[before]; !ok {
			if err := v.row(-1, "no record confirms that the records before %d were removed: their row of audit_removal was added or changed", before); err != nil {
				return err
			}
		}
		delete(removed, before)
	}
	for _, n := range sorted(moved) {
		if err := v.row(n.sequence, "the row of audit_archive for the records %d to %d, which record %d describes, is missing", n.Archive.First, n.Archive.Last, n.sequence); err != nil {
			return err
		}
	}
	for _, n := range sorted(removed) {
		if err := v.row(n.sequence, "the row of audit_removal for the records before %d, which record %d describes, is missing", n.Removal.Before, n.sequence); err != nil {
			return err
		}
	}
	if kept.Tombstones != gone && len(removed) == 0 {
		return v.row(-1, "%d records are removed, but the records of removals count %d", kept.Tombstones, gone)
	}
	return nil
}

// sorted returns notes in the order of their records.
func sorted(notes map[int64]note) []note {
	return slices.SortedFunc(maps.Values(notes), func(a, b note) int { return cmp.Compare(a.sequence, b.sequence) })
}
