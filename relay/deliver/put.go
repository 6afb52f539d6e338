package deliver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/internal/database"
)

// A BusyError reports that a handoff cannot be sent: another message with its id is in flight, or was
// accepted.
type BusyError struct {
	Handoff *Handoff // its current state
	Problem string
	// Elsewhere reports that the handoff is, or may be, at an address other than the requested one, and that
	// no receiver has accepted it: a forced rollback revokes it there.
	Elsewhere bool
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s to %s %s", finding.Quote(e.Handoff.HandoffID), finding.Quote(e.Handoff.Receiver), e.Problem)
}

// elsewhere returns the error for a message that is, or may be, at another address.
func (h *Handoff) elsewhere(to string) *BusyError {
	was, other := Redacted(h.Destination), Redacted(to)
	if was == other {
		other += " by another user or with other parameters"
	}
	at := "may have been sent to " + was
	switch {
	case h.State.Taken():
		return &BusyError{Handoff: h, Problem: fmt.Sprintf("was sent to %s, where its receiver accepted it (%s), so it is not sent to %s as well: a message to another receiver needs a new handoffId", was, h.since.UTC().Format(time.RFC3339), other)}
	case h.State == Dispatched:
		at = "was sent to " + was + " (" + h.Dispatched.UTC().Format(time.RFC3339) + ")"
	}
	return &BusyError{h, fmt.Sprintf("%s, so it is not sent to %s as well, because two agents might then have the task: revoke it there with a forced rollback, and send the task under a new handoffId", at, other), true}
}

// samePlace reports whether two addresses are equal except for their passwords.
func samePlace(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	if errX != nil || errY != nil || x.User.Username() != y.User.Username() {
		return false
	}
	for _, u := range []*url.URL{x, y} {
		u.User, u.OmitHost, u.Host, u.RawQuery = nil, u.Host == "", strings.ToLower(u.Host), u.Query().Encode()
	}
	return x.String() == y.String()
}

// A put is the result of storing one handoff.
type put struct {
	*Handoff
	send   bool  // this process has claimed it, and publishes it
	before State // its earlier state if nothing is left to do
	err    error // a [*BusyError], or nil
}

// place is the key of a handoff to one receiver.
type place struct{ handoff, receiver string }

// A putTransaction is the transaction of [Store.put].
type putTransaction struct {
	*Store
	tx    *database.Tx
	now   time.Time
	known map[place]*Handoff
	rows  [][]any // new rows
}

// put writes checkpoints and messages in one transaction, claimed by this process. Handoffs that were stored
// before continue where they stopped.
func (s *Store) put(ctx context.Context, list []*Outgoing, now time.Time) (puts []put, err error) {
	err = s.update(ctx, func(t *database.Tx) error {
		puts = puts[:0]
		p := putTransaction{Store: s, tx: t, now: now, known: map[place]*Handoff{}}
		if err := p.lookUp(list); err != nil {
			return err
		}
		var last []byte // many messages often share a checkpoint
		var digest [sha256.Size]byte
		for i, o := range list {
			if i == 0 || !same(o.Checkpoint, last) {
				last = o.Checkpoint
				if digest, err = s.putCheckpoint(t, o.Checkpoint); err != nil {
					return err
				}
			}
			for _, to := range o.To {
				one, err := p.put(o, to, digest, i)
				if err != nil {
					return err
				}
				puts = append(puts, one)
			}
		}
		return t.Insert("delivery_handoff", newColumns, p.rows)
	})
	return puts, err
}

// same reports whether two texts are equal. Identical slices are not compared.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}

// maxNamed is the maximum number of ids in one query.
const maxNamed = 500

// lookUp reads the stored handoffs of messages.
func (p *putTransaction) lookUp(list []*Outgoing) error {
	for chunk := range slices.Chunk(list, maxNamed) {
		ids := make([]any, len(chunk))
		for i, o := range chunk {
			ids[i] = o.HandoffID
		}
		found, err := read(p.tx, "WHERE handoff_id IN ("+database.Marks(len(ids))+")"+p.forUpdate(), ids...)
		if err != nil {
			return err
		}
		for _, h := range found {
			p.known[place{h.HandoffID, h.Receiver}] = h
		}
	}
	return nil
}

// newColumns are the columns of a new handoff, in the order of put's rows.
var newColumns = []string{
	"handoff_id", "receiver", "task_id", "sender", "traceparent", "receivers", "destination", "digest", "frame", "bytes", "checkpoint",
	"attempt", "state", "next_at", "claimed", "queued_at", "position",
	"failures", "uncertain", "revoked", "explanation", "settle", "escalated", "restored", "restorer", "tries", "dispatched_at", "problem", "answer", "answered_at",
}

func (p *putTransaction) put(o *Outgoing, to Address, checkpoint [sha256.Size]byte, position int) (put, error) {
	key := place{o.HandoffID, to.Receiver}
	if h := p.known[key]; h != nil {
		send, err := p.again(h, o, to, checkpoint, position)
		if errors.As(err, new(*BusyError)) {
			return put{Handoff: h, err: err}, nil
		}
		one := put{Handoff: h, send: send}
		if !send {
			one.before = h.State
		}
		return one, err
	}
	h := &Handoff{
		HandoffID: o.HandoffID, TaskID: o.TaskID, Sender: o.Sender, Receiver: to.Receiver, Receivers: len(o.Receivers),
		Destination: to.Destination, Attempt: 1, State: Waiting, Queued: p.now, Next: p.now, MessageSize: o.size,
		digest: o.digest, text: o.text, frame: o.frame, checkpoint: checkpoint[:], traceparent: o.traceparent, claimed: p.instance, position: position,
	}
	p.known[key] = h
	p.rows = append(p.rows, []any{
		h.HandoffID, h.Receiver, h.TaskID, h.Sender, h.traceparent, h.Receivers, h.Destination, h.digest, h.frame, h.MessageSize, h.checkpoint,
		h.Attempt, string(h.State), micros(h.Next), h.claimed, micros(h.Queued), h.position,
		0, 0, 0, "", 0, 0, 0, "", 0, 0, "", "", 0,
	})
	return put{Handoff: h, send: true}, nil
}

// again continues a known handoff, and reports whether this process must publish it. The error may be a
// [*BusyError].
func (p *putTransaction) again(h *Handoff, o *Outgoing, to Address, checkpoint [sha256.Size]byte, position int) (send bool, err error) {
	sameMessage := bytes.Equal(h.digest, o.digest) && h.TaskID == o.TaskID
	alive, err := p.atWork(p.tx, h)
	if err != nil {
		return false, err
	}
	switch {
	case h.State.Taken() && !sameMessage:
		return false, &BusyError{Handoff: h, Problem: "was accepted with other content: a new message needs a new handoffId"}
	case h.State.Taken() && !samePlace(h.Destination, to.Destination):
		return false, h.elsewhere(to.Destination)
	case h.State.Taken():
		return false, nil
	case h.Revoked:
		return false, &BusyError{Handoff: h, Problem: "was taken back by force, so its receiver rejects it: send it under a new handoffId"}
	case h.State == rolling:
		return false, &BusyError{Handoff: h, Problem: "is being rolled back: try again"}
	case !sameMessage && (h.State == Waiting || h.State == Dispatched):
		return false, &BusyError{Handoff: h, Problem: "is in flight with other content: wait for its answer, or roll it back"}
	case !h.State.Pending() && (h.State == Dispatched || h.uncertain || h.claimed != "") && !samePlace(h.Destination, to.Destination):
		return false, h.elsewhere(to.Destination)
	case h.State == Dispatched || alive: // waiting for its answer, or being published
		return false, nil
	case h.State.Pending() || !sameMessage:
		h.Attempt++
		h.Dispatched, h.Tries, h.uncertain = time.Time{}, 0, false
		h.Chunks, h.Published, h.Ended = 0, 0, false
		h.Queued = p.now
	}
	h.uncertain = h.uncertain || h.claimed != ""
	h.State, h.Destination, h.claimed, h.position = Waiting, to.Destination, p.instance, position
	h.Next, h.Problem, h.Restored = p.now, "", false
	h.digest, h.text, h.frame, h.MessageSize, h.checkpoint, h.traceparent = o.digest, o.text, o.frame, o.size, checkpoint[:], o.traceparent
	h.TaskID, h.Sender, h.Receivers = o.TaskID, o.Sender, len(o.Receivers)
	if err := h.save(p.tx); err != nil {
		return false, err
	}
	return true, p.tx.Exec("UPDATE delivery_handoff SET digest = ?, frame = ?, bytes = ?, checkpoint = ?, traceparent = ?, task_id = ?, sender = ?, receivers = ? WHERE handoff_id = ? AND receiver = ?",
		o.digest, o.frame, o.size, checkpoint[:], o.traceparent, o.TaskID, o.Sender, len(o.Receivers), h.HandoffID, h.Receiver)
}

// forUpdate returns the end of a query for rows that are then changed. Where transactions may run
// concurrently, it locks the rows.
func (s *Store) forUpdate() string {
	if s.db.Postgres {
		return " FOR UPDATE"
	}
	return ""
}
