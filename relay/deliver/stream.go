package deliver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/transport"
)

// A Part is a sequence of chunks of a message that is sent in chunks (package chunked).
type Part struct {
	*Outgoing          // of the first message: the same for all parts, with one address
	From      int      // sequence number of the first chunk
	Chunks    [][]byte // at least one
	// Whole is the message made of all chunks, in the part with the last chunk; otherwise nil.
	Whole *Outgoing
}

// InChunks reports whether the message is sent in chunks.
func (h *Handoff) InChunks() bool { return h.Chunks > 0 }

// Streaming reports whether the transport has only a part of the message.
func (h *Handoff) Streaming() bool { return h.State == Waiting && h.Published > 0 }

// inChunks reports whether the next publication consists of chunks.
func (h *Handoff) inChunks() bool { return h.InChunks() && !h.Revoked }

// SendPart sends chunks of a message. They become durable, the first of them in one transaction with the
// checkpoint; the record DISPATCHED precedes the publication of the first. They are published in order. This
// process holds the handoff until all of it was sent, or until [Sender.EndParts].
//
// A stream that was begun before, by this process or one that died, is sent again from its first chunk:
// chunks that are stored are not stored again, and chunks that the transport has are not published again.
// After a rejection it is the next attempt. The Err of the result is a [*BusyError] if the chunks differ from
// the stored ones, or if the message was sent whole.
func (s *Sender) SendPart(ctx context.Context, p Part) (Result, error) {
	h, send, err := s.store.putPart(ctx, p, s.options.Now())
	switch busy := (*BusyError)(nil); {
	case errors.As(err, &busy):
		return Result{Handoff: busy.Handoff, Err: busy}, nil
	case err != nil:
		return Result{}, err
	case !send:
		return Result{Handoff: h, Before: h.State}, nil
	}
	h.held = true
	return Result{Handoff: h}, s.dispatch(ctx, []*Handoff{h})
}

// EndParts leaves a handoff to [Sender.Flush] when this process gets no more of its chunks. An incomplete
// stream then waits for its remaining chunks from any process.
func (s *Sender) EndParts(ctx context.Context, h *Handoff) error {
	return s.store.each(ctx, []*Handoff{h}, func(t *database.Tx, _ int, h *Handoff) error {
		if h.claimed != s.store.instance {
			return nil
		}
		h.claimed = ""
		if h.State == Waiting && h.Published == h.Chunks {
			h.Next = time.Time{}
		}
		return h.save(t)
	})
}

// putPart writes chunks, and reports whether this process must publish them. The error may be a [*BusyError].
func (s *Store) putPart(ctx context.Context, p Part, now time.Time) (h *Handoff, send bool, err error) {
	if len(p.To) != 1 || len(p.Chunks) == 0 {
		return nil, false, errors.New("a message in chunks needs one receiver and at least one chunk")
	}
	err = s.update(ctx, func(t *database.Tx) error {
		send = false
		list, err := read(t, "WHERE handoff_id = ?"+s.forUpdate(), p.HandoffID)
		switch {
		case err != nil:
			return err
		case len(list) == 0 && p.From > 0:
			return &UnknownError{"handoff", p.HandoffID}
		case len(list) == 0:
			if h, err = s.beginParts(t, p, now); err != nil {
				return err
			}
		case len(list) > 1 || list[0].Receiver != p.To[0].Receiver:
			return &BusyError{Handoff: list[0], Problem: "was sent to other receivers: a new message needs a new handoffId"}
		default:
			h = list[0]
			if goesOn, err := s.goOn(t, h, p, now); !goesOn || err != nil {
				return err
			}
		}
		send = true
		if err := s.putChunks(t, h, p); err != nil {
			return err
		}
		return h.save(t)
	})
	return h, send, err
}

// putCheckpoint writes a checkpoint and returns its digest.
func (s *Store) putCheckpoint(t *database.Tx, text []byte) ([sha256.Size]byte, error) {
	digest := sha256.Sum256(text)
	return digest, t.Exec("INSERT INTO delivery_checkpoint (digest, frame) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING", digest[:], audit.AppendFrame(nil, text))
}

// beginParts writes a new handoff.
func (s *Store) beginParts(t *database.Tx, p Part, now time.Time) (*Handoff, error) {
	digest, err := s.putCheckpoint(t, p.Checkpoint)
	if err != nil {
		return nil, err
	}
	list := putTransaction{Store: s, tx: t, now: now, known: map[place]*Handoff{}}
	one, err := list.put(p.Outgoing, p.To[0], digest, 0)
	if err != nil {
		return nil, err
	}
	return one.Handoff, t.Insert("delivery_handoff", newColumns, list.rows)
}

// goOn continues a stored handoff, and reports whether there is something to send. The error may be a
// [*BusyError].
func (s *Store) goOn(t *database.Tx, h *Handoff, p Part, now time.Time) (bool, error) {
	same := h.InChunks()
	if same {
		first, err := chunkOf(t, h.HandoffID, 0)
		if err != nil {
			return false, err
		}
		same = p.From > 0 || bytes.Equal(first, p.Chunks[0])
	}
	alive := false
	if h.claimed != "" && h.claimed != s.instance {
		var err error
		if alive, err = t.Alive(h.claimed); err != nil {
			return false, err
		}
	}
	to := p.To[0].Destination
	switch {
	case h.State.Taken() && !same:
		return false, &BusyError{Handoff: h, Problem: "was accepted with other content: a new message needs a new handoffId"}
	case h.State.Taken() && !samePlace(h.Destination, to), h.State == Dispatched && same && !samePlace(h.Destination, to):
		return false, h.elsewhere(to)
	case h.State.Taken():
		return false, nil
	case h.Revoked:
		return false, &BusyError{Handoff: h, Problem: "was taken back by force, so its receiver rejects it: send it under a new handoffId"}
	case h.State == rolling && p.From == 0:
		return false, &BusyError{Handoff: h, Problem: "is being rolled back: try again"}
	case alive:
		return false, &BusyError{Handoff: h, Problem: "is being sent by another process"}
	case h.State.Pending() && p.From > 0: // its receiver was faster than its sender
		return false, nil
	case h.State.Pending():
		return true, s.again(t, h, p, now)
	case !h.InChunks():
		return false, &BusyError{Handoff: h, Problem: "was sent as one message: wait for its answer, or roll it back"}
	case !same:
		return false, &BusyError{Handoff: h, Problem: "is being sent with other content: wait for its answer, or roll it back"}
	case h.State == Dispatched:
		return false, nil
	case h.State == Stopped && p.From > 0:
		return false, nil
	case !samePlace(h.Destination, to) && (h.Published > 0 || h.uncertain):
		return false, h.elsewhere(to)
	}
	h.uncertain = h.uncertain || h.claimed != "" && h.claimed != s.instance
	h.State, h.Destination, h.claimed, h.Next, h.Problem = Waiting, to, s.instance, now, ""
	return true, nil
}

// again begins the next attempt of a handoff whose sender has the task again.
func (s *Store) again(t *database.Tx, h *Handoff, p Part, now time.Time) error {
	list := putTransaction{Store: s, tx: t, now: now}
	h.claimed = "" // no process sends the previous attempt any more
	digest, err := s.putCheckpoint(t, p.Checkpoint)
	if err != nil {
		return err
	}
	if _, err := list.again(h, p.Outgoing, p.To[0], digest, 0); err != nil {
		return err
	}
	return t.Exec("DELETE FROM delivery_chunk WHERE handoff_id = ?", h.HandoffID)
}

// putChunks writes the missing chunks. The error is a [*BusyError] if a stored chunk differs.
func (s *Store) putChunks(t *database.Tx, h *Handoff, p Part) error {
	var rows [][]any
	for i, text := range p.Chunks {
		sequence := p.From + i
		switch {
		case sequence > h.Chunks:
			return fmt.Errorf("chunk %d of %s cannot be sent before chunk %d", sequence, h.HandoffID, h.Chunks)
		case sequence == h.Chunks:
			rows = append(rows, []any{h.HandoffID, sequence, audit.AppendFrame(nil, text)})
			h.Chunks++
		default:
			before, err := chunkOf(t, h.HandoffID, sequence)
			if err != nil {
				return err
			}
			if !bytes.Equal(before, text) {
				return &BusyError{Handoff: h, Problem: fmt.Sprintf("was sent with another chunk %d: roll it back to send this one", sequence)}
			}
		}
	}
	if w := p.Whole; w != nil && !h.Ended {
		h.Ended, h.digest, h.frame, h.MessageSize = true, w.digest, w.frame, w.size
		if err := t.Exec("UPDATE delivery_handoff SET digest = ?, frame = ?, bytes = ? WHERE handoff_id = ? AND receiver = ?", w.digest, w.frame, w.size, h.HandoffID, h.Receiver); err != nil {
			return err
		}
	}
	return t.Insert("delivery_chunk", []string{"handoff_id", "sequence", "frame"}, rows)
}

// chunkOf returns a chunk as received.
func chunkOf(t *database.Tx, handoff string, sequence int) ([]byte, error) {
	var frame []byte
	if err := t.QueryRow("SELECT frame FROM delivery_chunk WHERE handoff_id = ? AND sequence = ?", handoff, sequence).Scan(&frame); err != nil {
		return nil, fmt.Errorf("chunk %d: %w", sequence, err)
	}
	return unpack(frame)
}

// chunkGroup is the number of chunks published between two notes of progress.
const chunkGroup = 64

// publishChunks publishes the chunks that the transport does not have, in order, and notes its progress after
// each group.
func (s *Sender) publishChunks(ctx context.Context, p transport.Publisher, t *try) {
	t.sent = t.Published
	m := s.envelope(t.Handoff)
	m.Kind = transport.Chunk
	id := s.store.sender + "/" + t.HandoffID + "/" + t.Receiver + "/" + strconv.Itoa(t.Attempt) + "/"
	for {
		list, err := s.store.unpublished(ctx, t.Handoff, t.sent)
		if err != nil {
			t.err = err
		}
		if err != nil || len(list) == 0 {
			return
		}
		for _, text := range list {
			m.ID, m.Body, m.Encoding = key(id+strconv.Itoa(t.sent)), text, ""
			if s.publishMessage(ctx, p, t, m); t.err != nil {
				return
			}
			t.sent++
		}
		if goesOn, err := s.store.notePublished(ctx, t.Handoff, t.sent); !goesOn || err != nil {
			t.err = err
			return
		}
	}
}

// unpublished returns the next chunks of a handoff from a sequence number on.
func (s *Store) unpublished(ctx context.Context, h *Handoff, from int) (list [][]byte, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		rows, err := t.Query("SELECT frame FROM delivery_chunk WHERE handoff_id = ? AND sequence >= ? ORDER BY sequence LIMIT ?", h.HandoffID, from, chunkGroup)
		if err != nil {
			return err
		}
		defer rows.Close() // read only: errors of Close do not matter
		list = nil
		for rows.Next() {
			var frame []byte
			if err := rows.Scan(&frame); err != nil {
				return err
			}
			text, err := unpack(frame)
			if err != nil {
				return err
			}
			list = append(list, text)
		}
		return rows.Err()
	})
	return list, err
}

// notePublished notes the number of published chunks of a handoff, and reports whether this process must
// publish more: not after a rejection or a rollback.
func (s *Store) notePublished(ctx context.Context, of *Handoff, published int) (goesOn bool, err error) {
	err = s.update(ctx, func(t *database.Tx) error {
		list, err := read(t, "WHERE handoff_id = ? AND receiver = ?"+s.forUpdate(), of.HandoffID, of.Receiver)
		if err != nil || len(list) == 0 {
			return err
		}
		h := list[0]
		goesOn = h.State == Waiting && h.claimed == s.instance && h.Attempt == of.Attempt
		if !goesOn {
			return nil
		}
		h.Published, h.uncertain = published, true
		return h.save(t)
	})
	return goesOn, err
}

// noteChunks stores the result of publishing chunks.
func (s *Sender) noteChunks(h *Handoff, t *try, now time.Time) {
	if t.sent > h.Published {
		h.Published = t.sent
	}
	switch {
	case t.err != nil:
		s.noteWhole(h, t, now)
	case h.State != Waiting: // its answer came first
		return
	case h.Ended && h.Published == h.Chunks:
		s.noteWhole(h, t, now)
		return
	default:
		h.Problem, h.Next, h.Tries = "", time.Time{}, 0
		if h.Published < h.Chunks {
			h.Next = now
		}
	}
	h.uncertain = h.uncertain || h.Published > 0
	if t.held && h.State == Waiting {
		h.claimed = s.store.instance
		if h.Next.IsZero() {
			h.Next = now // so that it is found if this process dies
		}
	}
}
