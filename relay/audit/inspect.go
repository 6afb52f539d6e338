package audit

import (
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit/tree"
)

// A Row is a record as the columns of a store have it, before anything of it is believed.
type Row struct {
	Stored            // without PreviousRecordHash and Details
	RawDetails []byte // the text of Details
	// Tombstone: the record was removed after its retention period. Only Sequence and Hash are
	// left.
	Tombstone bool
	// Problem says why the columns cannot be what this program has written, "" if they can.
	Problem string
}

// An Inspector reads all that a [Store] has, the good and the bad, for [Verify]. It is for one
// goroutine; functions that it calls must not use it.
type Inspector interface {
	// LastRecord returns the sequence number of the last record.
	LastRecord() (sequence int64, found bool, err error)
	// NextRecord returns the sequence number of the first record from one on.
	NextRecord(from int64) (sequence int64, found bool, err error)
	// Rows calls f with the records from first to before end, in order. The Row is valid until
	// f returns.
	Rows(first, end int64, f func(*Row) error) error
	// Frames calls f with the compressed messages beside these records: those in the store, in
	// order, then those that were moved to files.
	Frames(first, end int64, f func(sequence int64, frame []byte) error) error
	// Payloads calls f with the personal data of these records, encrypted, and its subject, in
	// order.
	Payloads(first, end int64, f func(sequence int64, subject string, payload []byte) error) error
	// Nodes calls f with nodes of one level, in order.
	Nodes(level int, first, end int64, f func(tree.Node) error) error
	// Pending calls f with the messages that are to be handed over, or whose agents run, and
	// whether the row is as this program writes it. Instance and Alive are not set.
	Pending(f func(p Pending, written bool) error) error
	// Retention returns what was moved and removed.
	Retention() (Retention, error)
	// Outcomes calls f with the records that say how messages were received, since a time, or
	// with all if that is zero: ACCEPTED, REJECTED and ROLLED_BACK, in order. It reads the end
	// of the log alone: what was recorded before another record that is older than the time by
	// more than [MaxSkew] is left out, as such a time is wrong. The Outcome is valid until f
	// returns.
	Outcomes(since time.Time, f func(*Outcome) error) error
	// Others calls f with what is wrong in the rest: files that are not as they were written,
	// messages without a record, nodes that the tree does not have.
	Others(f func(Problem) error) error
}

// MaxSkew is how far clocks may be apart for [Inspector.Outcomes].
const MaxSkew = 10 * time.Minute

// An Outcome is the part of a record that says how a message was received.
type Outcome struct {
	RecordedAt       time.Time // UTC
	Event            Event
	Sender, Receiver string
	Reason           finding.Reason
	Transport        string
	LatencyMicros    int64
	Details          Details
}

// A Retention is what a store has of what was moved and removed.
type Retention struct {
	Archives   []Archive // in order; Digest is zero where the row is not as this program writes it
	Removals   []int64   // before which records were removed, in order; below zero, before which those alone of rejected messages were
	Tombstones int64     // how many of the records before all of these are ones
}

// A Problem is something that is wrong with an audit log.
type Problem struct {
	Kind ProblemKind
	// First and Last are the sequence numbers of the records that it is about, -1 for none.
	First, Last int64
	Message     string // one line; it names the record or the row
}

// A ProblemKind is what a [Problem] is about.
type ProblemKind string

// The kinds of problems.
const (
	RecordChanged  ProblemKind = "record-changed"  // columns, hash and the hash before do not go together
	RecordMissing  ProblemKind = "record-missing"  // a gap in the sequence
	MessageChanged ProblemKind = "message-changed" // the message beside a record is another, or missing, or one too many
	NodeChanged    ProblemKind = "node-changed"    // a stored hash of the tree is not that of the records
	RowChanged     ProblemKind = "row-changed"     // a row beside the records was added, changed or removed
	CutOff         ProblemKind = "cut-off"         // the log is shorter than a checkpoint says
	Rewritten      ProblemKind = "rewritten"       // the records are not those of a checkpoint
	AcceptedTwice  ProblemKind = "accepted-twice"  // a copy of a message was accepted again
	IndexDamaged   ProblemKind = "index-damaged"   // what the database finds rows by is not what its tables have
)
