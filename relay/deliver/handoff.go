package deliver

import (
	"time"

	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/receiver"
)

// A State is the state of a handoff to one receiver.
type State string

// The states. In the states of [State.Pending], the sender has the task.
const (
	Waiting    State = "WAITING"    // in the outbox, to be published
	Stopped    State = "STOPPED"    // in the outbox: another try with the same message would fail
	Dispatched State = "DISPATCHED" // the transport has it, no answer yet
	Accepted   State = "ACCEPTED"
	Completed  State = "COMPLETED"
	Rejected   State = "REJECTED"    // the sender may send a corrected message
	RolledBack State = "ROLLED_BACK" // the sender has the task again
)

// rolling is the state of a handoff whose rollback may not be in the audit log yet.
const rolling State = "ROLLING_BACK"

// PendingHandoff is section 6.3's name for the state of a task that its sender has.
const PendingHandoff = "PENDING_HANDOFF"

// Pending reports whether the sender certainly has the task.
func (s State) Pending() bool { return s == Rejected || s == RolledBack || s == rolling }

// Taken reports whether a receiver has the task.
func (s State) Taken() bool { return s == Accepted || s == Completed }

// A Confirmation is a transport's confirmation of a message.
type Confirmation string

// The confirmations.
const (
	NotConfirmed Confirmation = ""
	Taken        Confirmation = "TAKEN"
	Known        Confirmation = "KNOWN" // it already had the message, and has dropped this copy
)

// A Handoff is the state of a handoff to one receiver, as stored.
type Handoff struct {
	HandoffID   string
	TaskID      string
	Sender      string // fromAgent.agentId
	Receiver    string
	Receivers   int    // number of receivers of the message
	Destination string // address of the transport, as given by the caller
	Attempt     int    // from 1
	State       State
	Tries       int       // failed tries to publish it
	Next        time.Time // time of the next try; zero if none is planned
	Queued      time.Time // when this attempt entered the outbox
	Dispatched  time.Time // when the transport confirmed; zero if it has not
	Problem     string    // error of the last try, "" if it succeeded
	Revoked     bool      // the sender has forcibly revoked it
	Explanation string    // a person's explanation of the rollback
	Escalated   bool      // it has failed so often that a person must look at it
	Restored    bool      // the sender has its checkpoint again after a rollback
	MessageSize int64     // bytes
	// Chunks is the number of stored chunks, if the message is sent in chunks; Published is the number that
	// the transport has. Ended reports that the last chunk is stored.
	Chunks, Published int
	Ended             bool
	// Answer is the receiver's newest answer; nil if there is none.
	Answer *receiver.Answer
	// Confirmed is the transport's confirmation to the call that returns this; it is not stored.
	Confirmed Confirmation
	// AnswerCheck is the result of checking the answer's signature, and AnswerKey the ID of the key that
	// signed it; both are "" without an answer.
	AnswerCheck AnswerCheck
	AnswerKey   string
	Refused     int    // number of refused answers
	Refusal     string // why the last of them was refused
	// RevocationSigned reports that the revocation is signed.
	RevocationSigned bool

	digest      []byte
	text        []byte // the message, nil if only frame is set
	frame       []byte // the compressed message; nil if it was not read
	checkpoint  []byte // digest
	traceparent string
	failures    int
	uncertain   bool   // a failed try may have reached the transport
	claimed     string // instance that is publishing it, "" for none
	answer      string // as received
	revocation  string // as published
	answered    int64  // when the receiver recorded it, in microseconds since 1970
	restorer    string // instance that is restoring the sender's checkpoint, "" for none
	settle      bool   // the audit log is not up to date with it
	position    int
	ask         time.Time     // when its outcome is requested next; zero for never
	since       time.Time     // when it was accepted, completed, rejected or rolled back
	askPause    time.Duration // interval until the request after that
	held        bool          // this process will get more of its chunks
}

// InFlight reports whether a process has claimed the handoff for publication. That process may have died.
func (h *Handoff) InFlight() bool { return h.claimed != "" }

// columns are the columns of a [Handoff] without its message.
const columns = "handoff_id, receiver, task_id, sender, traceparent, receivers, destination, digest, bytes, checkpoint, attempt, failures, state, " +
	"uncertain, revoked, explanation, settle, escalated, restored, restorer, tries, coalesce(next_at, 0), claimed, queued_at, position, dispatched_at, problem, answer, answered_at, chunks, published, ended, coalesce(ask_at, 0), ask_pause, since_at, answer_check, answer_key, refused, refusal, revocation"

// read returns the handoffs selected by the rest of a query, without their messages.
func read(t *database.Tx, rest string, args ...any) ([]*Handoff, error) {
	return readColumns(t, columns, rest, args...)
}

// readWhole is like read, but includes the messages.
func readWhole(t *database.Tx, rest string, args ...any) ([]*Handoff, error) {
	return readColumns(t, columns+", frame", rest, args...)
}

func readColumns(t *database.Tx, columns, rest string, args ...any) (list []*Handoff, err error) {
	rows, err := t.Query("SELECT "+columns+" FROM delivery_handoff "+rest, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // read only: errors of Close do not matter
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

// moment converts stored microseconds to a time; 0 is the zero time.
func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// micros returns the stored form of a time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// number returns the stored form of a boolean.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// save writes all mutable members of a handoff.
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

// become copies the current state into a handoff, which keeps its message.
func (h *Handoff) become(now *Handoff) {
	text, frame, confirmed := h.text, h.frame, h.Confirmed
	*h = *now
	h.text, h.frame, h.Confirmed = text, frame, confirmed
}
