package deliver

import (
	"time"

	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/receiver"
)

// A State is where a handoff to one receiver is.
type State string

// The states. In those that [State.Pending] reports, the task is the sender's.
const (
	Waiting    State = "WAITING"    // in the outbox, to be published
	Stopped    State = "STOPPED"    // in the outbox: publishing it again as it is would fail again
	Dispatched State = "DISPATCHED" // the transport has it, and nobody has answered
	Accepted   State = "ACCEPTED"
	Completed  State = "COMPLETED"
	Rejected   State = "REJECTED"    // the sender may send a corrected message
	RolledBack State = "ROLLED_BACK" // the task is the sender's again
)

// rolling is a handoff of which the audit log may not say yet that it was rolled back.
const rolling State = "ROLLING_BACK"

// PendingHandoff is what section 6.3 calls a task that its sender has.
const PendingHandoff = "PENDING_HANDOFF"

// Pending reports whether the task is the sender's, for sure.
func (s State) Pending() bool { return s == Rejected || s == RolledBack || s == rolling }

// Taken reports whether a receiver has the task.
func (s State) Taken() bool { return s == Accepted || s == Completed }

// A Confirmation is what a transport has said of a message that it was given.
type Confirmation string

// The confirmations.
const (
	NotConfirmed Confirmation = ""
	Taken        Confirmation = "TAKEN"
	Known        Confirmation = "KNOWN" // it had the message already, and has dropped this copy
)

// A Handoff is what the store has of a handoff to one receiver.
type Handoff struct {
	HandoffID   string
	TaskID      string
	Sender      string // fromAgent.agentId
	Receiver    string
	Receivers   int    // how many receivers the message is for
	Destination string // the address of the transport, as it was given
	Attempt     int    // from 1
	State       State
	Tries       int       // to publish it, that failed
	Next        time.Time // when it is tried next; zero if it is not
	Queued      time.Time // when this attempt came into the outbox
	Dispatched  time.Time // when the transport has confirmed; zero if it has not
	Problem     string    // why the last try failed, "" if none did
	Revoked     bool      // the sender has taken it back by force
	Explanation string    // why it was taken back, in a person's words
	Escalated   bool      // it has failed so often that a person has to look
	Restored    bool      // after a rollback, the sender has its checkpoint
	MessageSize int64     // bytes
	// Chunks is how many chunks of the message are here, if it is sent in chunks; Published how
	// many of them the transport has, and Ended says that the last one is here.
	Chunks, Published int
	Ended             bool
	// Answer is the newest of the receiver; nil if there is none.
	Answer *receiver.Answer
	// Confirmed is what the transport has confirmed to the call that returns this; it is not stored.
	Confirmed Confirmation
	// AnswerCheck says whether anybody has shown whose the answer is, and AnswerKey is the ID of the
	// key that has; "" without an answer.
	AnswerCheck AnswerCheck
	AnswerKey   string
	Refused     int    // how many answers were not believed
	Refusal     string // why not, of the last one
	// RevocationSigned: a key has signed that the message is taken back.
	RevocationSigned bool

	digest      []byte
	text        []byte // the message, nil if only its frame is known
	frame       []byte // the message, packed; nil if it was not read
	checkpoint  []byte // digest
	traceparent string
	failures    int
	uncertain   bool   // a try that failed may have reached the transport
	claimed     string // the instance that publishes it, "" for none
	answer      string // as it came
	revocation  string // as it is published
	answered    int64  // when the receiver recorded it, in microseconds
	restorer    string // the instance that gives the sender its checkpoint, "" for none
	settle      bool   // the audit log does not have all of it yet
	position    int
	ask         time.Time     // when it is looked next what became of it; zero if it is not
	since       time.Time     // when it was accepted, completed, rejected or rolled back
	askPause    time.Duration // how long after that again
	held        bool          // this process gets more chunks of it
}

// InFlight reports whether some process is publishing it, or was when it died.
func (h *Handoff) InFlight() bool { return h.claimed != "" }

// columns are those that a [Handoff] is read from, without the message.
const columns = "handoff_id, receiver, task_id, sender, traceparent, receivers, destination, digest, bytes, checkpoint, attempt, failures, state, " +
	"uncertain, revoked, explanation, settle, escalated, restored, restorer, tries, coalesce(next_at, 0), claimed, queued_at, position, dispatched_at, problem, answer, answered_at, chunks, published, ended, coalesce(ask_at, 0), ask_pause, since_at, answer_check, answer_key, refused, refusal, revocation"

// read returns the handoffs that the rest of a query describes, without their messages.
func read(t *database.Tx, rest string, args ...any) ([]*Handoff, error) {
	return readColumns(t, columns, rest, args...)
}

// readWhole is read, with the messages.
func readWhole(t *database.Tx, rest string, args ...any) ([]*Handoff, error) {
	return readColumns(t, columns+", frame", rest, args...)
}

func readColumns(t *database.Tx, columns, rest string, args ...any) (list []*Handoff, err error) {
	rows, err := t.Query("SELECT "+columns+" FROM delivery_handoff "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // what it read is what counts
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		h := &Handoff{}
		var next, queued, dispatched, ask, askPause, since int64
		var uncertain, revoked, settle, escalated, restored, ended int
		into := []any{
			&h.HandoffID, &h.Receiver, &h.TaskID, &h.Sender, &h.traceparent, &h.Receivers, &h.Destination, &h.digest, &h.MessageSize, &h.checkpoint,
			&h.Attempt, &h.failures, &h.State, &uncertain, &revoked, &h.Explanation, &settle, &escalated, &restored, &h.restorer, &h.Tries, &next, &h.claimed, &queued,
			&h.position, &dispatched, &h.Problem, &h.answer, &h.answered, &h.Chunks, &h.Published, &ended, &ask, &askPause, &since,
			&h.AnswerCheck, &h.AnswerKey, &h.Refused, &h.Refusal, &h.revocation, &h.frame,
		}
		if err := rows.Scan(into[:len(names)]...); err != nil {
			return nil, err
		}
		h.uncertain, h.Revoked, h.settle, h.Escalated, h.Restored = uncertain == 1, revoked == 1, settle == 1, escalated == 1, restored == 1
		h.Ended = ended == 1
		h.Next, h.Queued, h.Dispatched = moment(next), moment(queued), moment(dispatched)
		h.since = moment(since)
		h.ask, h.askPause = moment(ask), time.Duration(askPause)*time.Microsecond
		if h.answer != "" {
			if h.Answer, err = receiver.ReadAnswer([]byte(h.answer)); err != nil {
				return nil, err
			}
		}
		h.RevocationSigned = h.revocation != "" && receiver.IsSigned([]byte(h.revocation))
		list = append(list, h)
	}
	return list, rows.Err()
}

// moment returns a time that is stored in microseconds, 0 for none.
func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// micros returns a time as it is stored.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// number returns what a boolean is stored as.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// save writes all of a handoff that changes after it was put.
func (h *Handoff) save(t *database.Tx) error {
	var next, ask any
	if !h.Next.IsZero() {
		next = micros(h.Next)
	}
	if h.State == Accepted && !h.ask.IsZero() {
		ask = micros(h.ask)
	}
	return t.Exec("UPDATE delivery_handoff SET destination = ?, attempt = ?, failures = ?, state = ?, uncertain = ?, revoked = ?, explanation = ?, settle = ?, escalated = ?, restored = ?, restorer = ?, "+
		"tries = ?, next_at = ?, claimed = ?, queued_at = ?, position = ?, dispatched_at = ?, problem = ?, answer = ?, answered_at = ?, chunks = ?, published = ?, ended = ?, ask_at = ?, ask_pause = ?, since_at = ?, answer_check = ?, answer_key = ?, refused = ?, refusal = ?, revocation = ? WHERE handoff_id = ? AND receiver = ?",
		h.Destination, h.Attempt, h.failures, string(h.State), number(h.uncertain), number(h.Revoked), h.Explanation, number(h.settle), number(h.Escalated), number(h.Restored), h.restorer,
		h.Tries, next, h.claimed, micros(h.Queued), h.position, micros(h.Dispatched), h.Problem, h.answer, h.answered, h.Chunks, h.Published, number(h.Ended), ask, h.askPause.Microseconds(), micros(h.since),
		string(h.AnswerCheck), h.AnswerKey, h.Refused, h.Refusal, h.revocation, h.HandoffID, h.Receiver)
}

// become lets a handoff be what it is now. Its message stays.
func (h *Handoff) become(now *Handoff) {
	text, frame, confirmed := h.text, h.frame, h.Confirmed
	*h = *now
	h.text, h.frame, h.Confirmed = text, frame, confirmed
}
