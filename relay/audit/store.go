package audit

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/eaapl/handoff/pkg/merkle"
)

// A Store keeps records, in order, and their messages. It is append-only. Several processes may use one store
// concurrently.
type Store interface {
	// Update calls f with exclusive access: no other process adds records until f returns. When Update
	// returns nil, all that f has added is durable; when it returns an error, nothing was added, unless the
	// error is an [*UncertainError].
	Update(ctx context.Context, f func(Tx) error) error
	// View calls f with a consistent snapshot of the store.
	View(ctx context.Context, f func(Reader) error) error
	// Inspect calls f with a consistent snapshot of the store, row by row. It may be called by several
	// goroutines concurrently.
	Inspect(ctx context.Context, f func(Inspector) error) error
	// CheckIndexes calls found with each damaged index that the database reports. It returns the reason why
	// the indexes could not be checked, "" if they were.
	CheckIndexes(ctx context.Context, found func(problem string) error) (unchecked string, err error)
	// Instance returns the name of this process among the users of the store. From then on, until the process
	// ends, others see it as alive.
	Instance(ctx context.Context) (string, error)
	// Close closes the store.
	Close() error
}

// An UncertainError reports that records may or may not have been added: the connection was lost during the
// commit.
type UncertainError struct{ Err error }

func (e *UncertainError) Error() string {
	return fmt.Sprintf("it is not known whether the audit log has the records: %v", e.Err)
}

// Unwrap returns the error of the connection.
func (e *UncertainError) Unwrap() error { return e.Err }

// A Head is the end of a log.
type Head struct {
	Size int64 // number of records
	Last Hash  // hash of the last record; zero if there is none
}

// A Filter selects records. Members with their zero value do not restrict the selection.
type Filter struct {
	Handoffs []string // handoffId is one of these
	Tasks    []string // taskId is one of these
	Agent    string   // sender or receiver
	Events   []Event
	Reason   string
	Subject  string    // records with personal data of this data subject, as in [Details]
	Since    time.Time // inclusive
	Until    time.Time // exclusive
	From     int64     // first sequence number
	Before   int64     // sequence number, exclusive; 0 for no limit
	// Prefix is a prefix of handoffId or taskId; a UUID may be in either case. All matches are read before
	// the first is yielded.
	Prefix string
	Limit  int  // maximum number of records, 0 for no limit
	Newest bool // from the last record to the first
	ByTask bool // grouped by task, sorted by task id; only records with a task
	// Hash is a prefix of the hash, in hexadecimal digits. The whole log is searched.
	Hash string
}

// MaxNamed is the recommended maximum number of ids in a [Filter]. Use several queries for more.
const MaxNamed = 500

// A Stored is a record as stored. Its Hash is unverified.
type Stored struct {
	Record
	Hash Hash
}

// A Reader reads from a [Store].
type Reader interface {
	// Head returns the end of the log.
	Head() (Head, error)
	// Records yields the records that match a filter, in the order of their sequence numbers unless the
	// filter has another order. It stops after an error.
	Records(Filter) iter.Seq2[Stored, error]
	// Frame returns the compressed message of a record, from the store or an archive file; nil if there is
	// none. If the archive file cannot be read, the error is an [*UnreadableError].
	Frame(sequence int64) ([]byte, error)
	// Payload returns the encrypted personal data of a record's message; nil if there is none.
	Payload(sequence int64) ([]byte, error)
	// Pending returns the accepted messages that were not handed over, or whose agents run: all copies of
	// some handoffs, or of all, in the order of acceptance.
	Pending(handoffs ...string) ([]Pending, error)
	merkle.Source
	// Archives returns the archive files, in the order of their records.
	Archives() ([]Archive, error)
}

// A Tx is a transaction that adds to a [Store].
type Tx interface {
	Reader
	// Insert adds records with correct sequence numbers and hashes, and their messages.
	Insert([]Entry) error
	// InsertNodes adds hashes of subtrees.
	InsertNodes([]merkle.Node) error
	// SetPending notes the instance that hands over the messages that have no instance yet.
	SetPending([]Pending) error
	// ClearPending notes that these messages no longer need to be handed over, and their agents have ended.
	ClearPending([]Copy) error
	// Archive notes a file, and removes its messages from the store. [Batch.Archive] also records it.
	Archive(Archive) error
	// Remove removes all records before one, except records of the log itself, with their messages. It keeps
	// their numbers and hashes, and notes the removal if there was any. It returns the number of removed
	// records. [Batch.Remove] also records it.
	Remove(before int64) (int64, error)
	// RemoveOnly is like Remove, but only removes the given records. [Batch.RemoveRejected] also records it.
	RemoveOnly(before int64, sequences []int64) (int64, error)
}

// An Archive is a file with the messages of some records.
type Archive struct {
	First     int64  `json:"first"` // sequence numbers
	Last      int64  `json:"last"`
	Directory string `json:"directory"`
	File      string `json:"file"`   // file name in the directory
	Digest    Hash   `json:"sha256"` // its SHA-256
}

// A Removal is a removal of records after their retention period.
type Removal struct {
	Before  int64 `json:"before"`  // sequence number, exclusive
	Records int64 `json:"records"` // number of removed records
	// Rejected reports that only records of rejected messages without a verified signature were removed.
	Rejected bool `json:"rejected,omitzero"`
}

// An Entry is a record to be stored.
type Entry struct {
	Stored
	Frame   []byte // compressed message, nil for none
	Payload []byte // encrypted personal data of Details.Subject; nil for none
}

// A Pending is an accepted message that was not handed over, or whose agent runs.
type Pending struct {
	HandoffID string
	Receiver  string // receiver of the copy
	Sequence  int64  // of its ACCEPTED record
	Instance  string // instance that hands it over, or waits for its agent
	Alive     bool   // whether the instance still runs
	Running   bool   // handed over to an agent whose end the instance waits for
	ReplyTo   string // the sender's address for the answer, as noted by the receiver; "" for none
}

// Copy returns its copy.
func (p *Pending) Copy() Copy { return Copy{p.HandoffID, p.Receiver} }
