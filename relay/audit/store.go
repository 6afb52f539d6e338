package audit

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/eaapl/handoff/relay/audit/tree"
)

// A Store keeps records, in order, and the messages beside them. It never changes or removes
// a record. Several processes may use one store at once.
type Store interface {
	// Update calls f with the store for itself: no other process adds records meanwhile.
	// When Update returns nil, all that f has added is durable; when it returns an error,
	// nothing was added, unless the error is a [*UncertainError].
	Update(ctx context.Context, f func(Tx) error) error
	// View calls f with the store as it is at one moment.
	View(ctx context.Context, f func(Reader) error) error
	// Inspect calls f with the store as it is at one moment, row by row. It may be called by
	// several goroutines at once.
	Inspect(ctx context.Context, f func(Inspector) error) error
	// CheckIndexes calls found with each damage of the indexes of the store, by which others find
	// records, as the database sees it. It returns why it could not look, "" if it did.
	CheckIndexes(ctx context.Context, found func(problem string) error) (unchecked string, err error)
	// Instance returns the name of this process among those that use the store. Others see
	// it as alive from then on, until it ends.
	Instance(ctx context.Context) (string, error)
	// Close ends the use of the store.
	Close() error
}

// An UncertainError says that it is not known whether records were added: the connection was
// lost while the database made them durable.
type UncertainError struct{ Err error }

func (e *UncertainError) Error() string {
	return fmt.Sprintf("it is not known whether the audit log has the records: %v", e.Err)
}

// Unwrap returns what happened to the connection.
func (e *UncertainError) Unwrap() error { return e.Err }

// A Head is the end of a log.
type Head struct {
	Size int64 // how many records there are
	Last Hash  // the hash of the last one; zero if there is none
}

// A Filter says which records are wanted. What has its zero value does not restrict.
type Filter struct {
	Handoffs []string // handoffId is one of these
	Tasks    []string // taskId is one of these
	Agent    string   // sender or receiver
	Events   []Event
	Reason   string
	Subject  string    // there is personal data of this data subject, as [Details] has it
	Since    time.Time // at this time or later
	Until    time.Time // before this time
	From     int64     // sequence number from which on
	Before   int64     // sequence number before which, 0 for all
	// Prefix is what handoffId or taskId begins with, a UUID in capitals or in small letters. All that
	// begin so are read before the first is yielded.
	Prefix string
	Limit  int  // the most records, 0 for all
	Newest bool // from the last record to the first
	ByTask bool // the records of each task together, in the order of their ids; only those with one
	// Hash is what the hash begins with, as hexadecimal digits. The whole log is searched.
	Hash string
}

// MaxNamed is how many ids a [Filter] should name at most: who looks for more asks several times.
const MaxNamed = 500

// A Stored is a record as a store has it. Its Hash is what the store says, which need not be
// true before the log was verified.
type Stored struct {
	Record
	Hash Hash
}

// A Reader reads from a [Store].
type Reader interface {
	// Head returns the end of the log.
	Head() (Head, error)
	// Records yields the records that a filter wants, in the order of their sequence
	// numbers unless it says otherwise. It ends after an error.
	Records(Filter) iter.Seq2[Stored, error]
	// Frame returns the compressed message beside a record, wherever it was moved to, nil if
	// there is none. If the file that it was moved to cannot be read, the error is an
	// [*UnreadableError].
	Frame(sequence int64) ([]byte, error)
	// Payload returns the personal data of a record's message, encrypted; nil if there is none.
	Payload(sequence int64) ([]byte, error)
	// Pending returns the messages that were accepted and have not been handed over, or whose
	// agents run: all copies of some handoffs, or of all, in the order of acceptance.
	Pending(handoffs ...string) ([]Pending, error)
	tree.Source
	// Archives returns the files that messages were moved to, in the order of their records.
	Archives() ([]Archive, error)
}

// A Tx adds to a [Store].
type Tx interface {
	Reader
	// Insert adds records, whose sequence numbers and hashes are right, with their
	// messages.
	Insert([]Entry) error
	// InsertNodes adds hashes of subtrees.
	InsertNodes([]tree.Node) error
	// SetPending notes who is handing over messages for which nobody is noted.
	SetPending([]Pending) error
	// ClearPending notes that nobody has to hand over these messages, or waits for their agents.
	ClearPending([]Copy) error
	// Archive notes a file, and removes the messages that are in it. [Batch.Archive] also
	// records that.
	Archive(Archive) error
	// Remove removes all records before one that are not of the log itself, and their messages,
	// but for their numbers and hashes, and notes that if there were any. It returns how many
	// there were. [Batch.Remove] also records that.
	Remove(before int64) (int64, error)
	// RemoveOnly is Remove for some of the records before one alone. [Batch.RemoveRejected] also
	// records that.
	RemoveOnly(before int64, sequences []int64) (int64, error)
}

// An Archive is a file that the messages of some records were moved to.
type Archive struct {
	First     int64  `json:"first"` // sequence numbers of the records
	Last      int64  `json:"last"`
	Directory string `json:"directory"`
	File      string `json:"file"`   // its name in there
	Digest    Hash   `json:"sha256"` // its SHA-256
}

// A Removal is that records were removed after their retention period.
type Removal struct {
	Before  int64 `json:"before"`  // sequence number
	Records int64 `json:"records"` // how many were removed
	// Rejected: of the records before, those alone of rejected messages that nobody known has signed.
	Rejected bool `json:"rejected,omitzero"`
}

// An Entry is a record to be stored.
type Entry struct {
	Stored
	Frame   []byte // the compressed message, nil for none
	Payload []byte // its personal data, encrypted, of Details.Subject; nil for none
}

// A Pending is a message that was accepted and has not been handed over, or whose agent runs.
type Pending struct {
	HandoffID string
	Receiver  string // whose copy it is
	Sequence  int64  // of the record by which it was accepted
	Instance  string // who is handing it over, or waits for its agent
	Alive     bool   // whether that process still runs
	Running   bool   // it was handed over, to an agent for whose end that process waits
	ReplyTo   string // where the sender waits for the answer, as the receiver notes it; "" for nowhere
}

// Copy returns which copy it is.
func (p *Pending) Copy() Copy { return Copy{p.HandoffID, p.Receiver} }
