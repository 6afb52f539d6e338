package sqlstore

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
)

// sampled is the interval between the records that are sampled to find a time in the log. An index of all
// times would need space for every record.
const sampled = 4096

// firstSince returns a record number before which there is no record at or after a time, unless a clock was
// ahead by more than audit.MaxSkew.
func (i inspector) firstSince(since int64) (first int64, err error) {
	last, found, err := i.LastRecord()
	if err != nil || !found {
		return 0, err
	}
	first = last / sampled * sampled
	err = i.Scanner.Rows(func(v []database.Cell) error {
		if v[0].Kind == database.Int {
			first = max(v[0].Int-sampled, 0)
		}
		return nil
	}, fmt.Sprintf(`WITH RECURSIVE step (n) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT n + %[1]d FROM step WHERE n <= ?)
SELECT min(r.sequence) FROM step JOIN audit_record AS r ON r.sequence = step.n WHERE r.recorded_at >= ?`, sampled), last-sampled, since-audit.MaxSkew.Microseconds())
	return first, err
}

// Outcomes implements [audit.Inspector].
func (i inspector) Outcomes(since time.Time, f func(*audit.Outcome) error) error {
	first, from := int64(0), int64(math.MinInt64)
	if !since.IsZero() {
		var err error
		from = ceilMicro(since)
		if first, err = i.firstSince(from); err != nil {
			return err
		}
	}
	number := func(e audit.Event) int64 { return int64(slices.Index(events, e)) }
	var o audit.Outcome
	return i.Scanner.Rows(func(v []database.Cell) error {
		o = audit.Outcome{
			RecordedAt: time.UnixMicro(v[8].Int).UTC(), Event: events[v[1].Int], Sender: view(v[2].Bytes), Receiver: view(v[3].Bytes), Reason: finding.Reason(view(v[4].Bytes)),
			Transport: view(v[5].Bytes), LatencyMicros: v[6].Int,
		}
		var err error
		if o.Details, err = audit.ParseDetails(v[7].Bytes); err != nil {
			return &RowError{v[0].Int, "its details are not valid"}
		}
		return f(&o)
	}, `SELECT sequence, event, sender, receiver, reason, transport, latency, details, recorded_at FROM audit_record
WHERE sequence >= ? AND recorded_at >= ? AND event IN (?, ?, ?) ORDER BY sequence`, first, from, number(audit.Accepted), number(audit.Rejected), number(audit.RolledBack))
}
