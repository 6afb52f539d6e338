package audit

import (
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/merkle"
)

// A Row is a record as stored in columns, not yet verified.
type Row struct {
	Stored            // without PreviousRecordHash and Details
	RawDetails []byte // text of Details
	// Tombstone reports that the record was removed after its retention period. Only Sequence and Hash are
	// left.
	Tombstone bool
	// Problem is the reason why this program cannot have written these columns, "" if it can.
	Problem string
}

// An Inspector reads all rows of a [Store], valid or not, for [Verify]. It is for one goroutine; functions
// that it calls must not use it.
type Inspector interface {
	// LastRecord returns the sequence number of the last record.
	LastRecord() (sequence int64, found bool, err error)
	// NextRecord returns the sequence number of the first record at or after from.
	NextRecord(from int64) (sequence int64, found bool, err error)
	// Rows calls f with the records from first up to, but not including, end, in order. The Row is valid
	// until f returns.
	Rows(first, end int64, f func(*Row) error) error
	// Frames calls f with the compressed messages of these records: from the store, in order, and then from
	// archive files.
	Frames(first, end int64, f func(sequence int64, frame []byte) error) error
	// Payloads calls f with the encrypted personal data of these records and its subject, in order.
	Payloads(first, end int64, f func(sequence int64, subject string, payload []byte) error) error
	// Nodes calls f with nodes of one level, in order.
	Nodes(level int, first, end int64, f func(merkle.Node) error) error
	// Pending calls f with the accepted messages that were not handed over, or whose agents run. written
	// reports whether this program can have written the row. Instance and Alive are not set.
	Pending(f func(p Pending, written bool) error) error
	// Retention returns the moves and removals.
	Retention() (Retention, error)
	// Outcomes calls f with the ACCEPTED, REJECTED and ROLLED_BACK records since a time, or with all if it is
	// zero, in order. It reads only the end of the log: a record is missed if a later one is older than since
	// by more than [MaxSkew], which only a wrong clock causes. The Outcome is valid until f returns.
	Outcomes(since time.Time, f func(*Outcome) error) error
	// Others calls f with the remaining problems: changed rows about files, messages without a record,
	// unexpected nodes of the tree.
	Others(f func(Problem) error) error
}

// MaxSkew is the maximum difference between clocks for [Inspector.Outcomes].
const MaxSkew = 10 * time.Minute

// An Outcome is the part of a record that describes the reception of a message.
type Outcome struct {
	RecordedAt       time.Time // UTC
	Event            Event
	Sender, Receiver string
	Reason           finding.Reason
	Transport        string
	LatencyMicros    int64
	Details          Details
}

// A Retention is the store's list of moves and removals.
type Retention struct {
	Archives   []Archive // in order; Digest is zero in rows that this program cannot have written
	Removals   []int64   // bounds of removed records, exclusive, in order; negative for removals of rejected messages only
	Tombstones int64     // number of tombstones before all of these bounds
}

// A Problem is an inconsistency in an audit log.
type Problem struct {
	Kind ProblemKind
	// First and Last are the sequence numbers of the affected records, -1 for none.
	First, Last int64
	Message     string // one line, naming the record or the row
}

// A ProblemKind is the kind of a [Problem].
type ProblemKind string

// The kinds of problems.
const (
	RecordChanged  ProblemKind = "record-changed"  // the hash does not match the columns and the previous hash
	RecordMissing  ProblemKind = "record-missing"  // a gap in the sequence
	MessageChanged ProblemKind = "message-changed" // a record's message is missing, unexpected or different
	NodeChanged    ProblemKind = "node-changed"    // a stored hash of the tree does not match the records
	RowChanged     ProblemKind = "row-changed"     // a row outside the records was added, changed or removed
	CutOff         ProblemKind = "cut-off"         // the log is shorter than at a checkpoint
	Rewritten      ProblemKind = "rewritten"       // the records differ from those at a checkpoint
	AcceptedTwice  ProblemKind = "accepted-twice"  // a copy of a message was accepted again
	IndexDamaged   ProblemKind = "index-damaged"   // an index of the database does not match its table
)
