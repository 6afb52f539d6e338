package deliver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/database"
	"github.com/eaapl/handoff/relay/receiver"
	"github.com/eaapl/handoff/relay/transport"
)

// A try is a handoff claimed by this process, with the result of publishing it.
type try struct {
	*Handoff
	sent   int  // number of chunks that the transport has
	fresh  bool // no record of this attempt in the audit log: never published before
	tried  bool // given to the transport
	at     time.Time
	had    bool               // the transport already had it
	answer *transport.Message // the answer, if the transport waits for it
	err    error
}

// dispatch records and publishes the handoffs claimed by this process, and notes the transport's
// confirmations. It returns an error only if a database failed.
func (s *Sender) dispatch(ctx context.Context, list []*Handoff) error {
	if len(list) == 0 {
		return nil
	}
	tries := make([]*try, len(list))
	for i, h := range list {
		tries[i] = &try{Handoff: h}
		s.store.left.Delete(place{h.HandoffID, h.Receiver})
	}
	if err := s.record(ctx, tries); err != nil {
		released := s.store.release(ctx, list, s.options.Now().Add(pause(0)))
		if released != nil {
			s.store.leave(list)
		}
		return errors.Join(fmt.Errorf("the audit log did not accept the record, so nothing is published: %w", err), released)
	}
	s.publishAll(ctx, tries)
	if err := s.mark(ctx, tries); err != nil {
		s.store.leave(list)
		return err
	}
	for _, t := range tries {
		switch {
		case !t.tried || t.err != nil:
			t.Confirmed = NotConfirmed
		case t.had:
			t.Confirmed = Known
		default:
			t.Confirmed = Taken
		}
	}
	var answered News
	for _, t := range tries {
		if t.answer != nil {
			answered.Handoffs = append(answered.Handoffs, t.Handoff)
		}
	}
	s.tell(answered)
	if slices.ContainsFunc(list, func(h *Handoff) bool { return h.settle }) {
		return s.Settle(ctx)
	}
	return nil
}

// attempt is the key of a DISPATCHED record.
type attempt struct {
	handoff, receiver string
	attempt           int
}

// record appends the missing dispatch records to the audit log: one for each attempt, regardless of the
// number of tries.
func (s *Sender) record(ctx context.Context, tries []*try) error {
	tries = slices.DeleteFunc(slices.Clone(tries), func(t *try) bool { return t.State != Waiting })
	if len(tries) == 0 {
		return nil
	}
	return s.log.Append(ctx, func(b *audit.Batch) error {
		known := map[attempt]bool{}
		for chunk := range slices.Chunk(tries, audit.MaxNamed) {
			ids := make([]string, len(chunk))
			for i, t := range chunk {
				ids[i] = t.HandoffID
			}
			for r, err := range b.Records(audit.Filter{Handoffs: ids, Events: []audit.Event{audit.Dispatched}}) {
				if err != nil {
					return err
				}
				known[attempt{r.HandoffID, r.Receiver, r.Attempt}] = true
			}
		}
		for _, t := range tries {
			key := attempt{t.HandoffID, t.Receiver, t.Attempt}
			if t.fresh = !known[key]; !t.fresh {
				continue
			}
			known[key] = true
			if _, err := b.Add(s.newRecord(t.Handoff, audit.Dispatched), nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// newRecord returns a record of a handoff, without the message's digest: after personal data is erased, a
// digest would confirm guesses of it.
func (s *Sender) newRecord(h *Handoff, event audit.Event) audit.Record {
	r := audit.Record{Event: event, HandoffID: h.HandoffID, TaskID: h.TaskID, Sender: h.Sender, Receiver: h.Receiver, Attempt: h.Attempt, Transport: s.options.Transport(h.Destination)}
	if t, err := message.ParseTraceparent(h.traceparent); err == nil {
		r.TraceID = hex.EncodeToString(t.TraceID[:])
	}
	return r
}

// publishers is the number of messages that are published concurrently.
const publishers = 32

// publishAll publishes messages; the messages of a task in order.
func (s *Sender) publishAll(ctx context.Context, tries []*try) {
	type queue struct {
		address string
		lane    int
	}
	queues := map[queue][]*try{}
	broken := map[string]*atomic.Pointer[error]{}
	for _, t := range tries {
		q := queue{t.Destination, int(crc32.ChecksumIEEE([]byte(t.TaskID)) % publishers)}
		queues[q] = append(queues[q], t)
		if broken[t.Destination] == nil {
			broken[t.Destination] = &atomic.Pointer[error]{}
		}
	}
	var running sync.WaitGroup
	defer running.Wait()
	for address, failed := range broken {
		running.Go(func() {
			publisher, err := s.open(ctx, address)
			var lanes sync.WaitGroup
			for q, list := range queues {
				if q.address != address {
					continue
				}
				lanes.Go(func() {
					for _, t := range list {
						switch first := failed.Load(); {
						case err != nil:
							t.err = err
						case first != nil: // it would fail too, and each may take long
							t.err = *first
						default:
							if s.publish(ctx, publisher, t); t.err != nil && !isFinal(t.err) {
								failed.Store(&t.err)
							}
						}
					}
				})
			}
			lanes.Wait()
			if failed.Load() != nil {
				s.forget(address)
			}
		})
	}
}

// publish publishes one message, or its chunks.
func (s *Sender) publish(ctx context.Context, p transport.Publisher, t *try) {
	if t.inChunks() {
		s.publishChunks(ctx, p, t)
		return
	}
	m, err := s.message(t.Handoff)
	if err != nil {
		t.err = &transport.PermanentError{Err: err}
		return
	}
	s.publishMessage(ctx, p, t, m)
}

// publishMessage publishes a message, compressed if it is too long.
func (s *Sender) publishMessage(ctx context.Context, p transport.Publisher, t *try, m transport.Message) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	t.tried, t.at = true, s.options.Now()
	m.DispatchedAt = t.at
	var receipt transport.Receipt
	receipt, t.err = p.Publish(ctx, m)
	t.answer, t.had = receipt.Answer, receipt.Duplicate
	if t.err == nil && t.answer != nil && !t.Revoked {
		t.err = t.checkAnswer()
	}
}

// checkAnswer returns an error if the reply to a message is not an answer: then it is unknown whether a
// receiver has the message.
func (t *try) checkAnswer() error {
	a, err := readAnswer(t.answer.Body)
	if err == nil && (a.HandoffID == t.HandoffID || a.HandoffID == key(t.HandoffID)) &&
		slices.Contains([]receiver.Status{receiver.Accepted, receiver.Rejected, receiver.Duplicate, receiver.Completed}, a.Status) {
		return nil
	}
	t.answer = nil
	return errors.New("the response is not an answer to this handoff, with its handoffId and a status: check that a receiver of handoffs uses this address")
}

// isFinal reports whether a message has certainly not arrived and another try cannot succeed.
func isFinal(err error) bool {
	return errors.As(err, new(*transport.TooLargeError)) || errors.As(err, new(*transport.PermanentError))
}

// maxKey is the maximum length of an id that a transport gets unchanged, in bytes.
const maxKey = 200

// key returns an id, or its digest if it is too long.
func key(id string) string {
	if len(id) <= maxKey {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256-" + hex.EncodeToString(sum[:])
}

// message returns the message to publish for a handoff, or its revocation if it was revoked.
func (s *Sender) message(h *Handoff) (transport.Message, error) {
	m := s.envelope(h)
	// The id is unique among senders: otherwise a receiver would take the message for a duplicate of
	// another sender's message, and drop it.
	id := s.store.sender + "/" + h.HandoffID + "/" + h.Receiver + "/" + strconv.Itoa(h.Attempt)
	var err error
	switch {
	case h.Revoked:
		m.Kind, id = transport.Revocation, id+"/revoked"
		if m.Body = []byte(h.revocation); h.revocation == "" { // written by an older version
			m.Body, err = s.store.revocation(h, nil, h.since)
		}
	case h.text != nil:
		m.Body = h.text
	default:
		m.Body, err = unpack(h.frame)
	}
	m.ID = key(id)
	return m, err
}

// envelope returns the metadata of a handoff's messages.
func (s *Sender) envelope(h *Handoff) transport.Message {
	return transport.Message{
		Key: key(h.HandoffID), Group: key(h.TaskID), Kind: transport.Handoff, Traceparent: h.traceparent, Attempt: h.Attempt, ReplyTo: s.store.sender,
	}
}

// mark makes the results of publishing durable.
func (s *Sender) mark(ctx context.Context, tries []*try) error {
	var plain, other []*try
	for _, t := range tries {
		if t.err == nil && t.answer == nil && !t.Revoked && !t.inChunks() {
			plain = append(plain, t)
		} else {
			other = append(other, t)
		}
	}
	if err := s.markPlain(ctx, plain); err != nil || len(other) == 0 {
		return err
	}
	return s.markOther(ctx, other)
}

// markPlain durably notes the publication of messages whose answers come separately. An answer may
// already have arrived.
func (s *Sender) markPlain(ctx context.Context, tries []*try) error {
	if len(tries) == 0 {
		return nil
	}
	err := s.store.update(ctx, func(tx *database.Tx) error {
		for _, t := range tries {
			if err := tx.Exec("UPDATE delivery_handoff SET state = CASE state WHEN 'WAITING' THEN 'DISPATCHED' ELSE state END, next_at = NULL, claimed = '', tries = 0, problem = '', dispatched_at = ? "+
				"WHERE handoff_id = ? AND receiver = ? AND claimed = ? AND attempt = ?", micros(t.at), t.HandoffID, t.Receiver, s.store.instance, t.Attempt); err != nil {
				return err
			}
		}
		return nil
	})
	for _, t := range tries {
		if t.State == Waiting {
			t.State = Dispatched
		}
		t.Dispatched, t.Next, t.claimed, t.Tries, t.Problem = t.at, time.Time{}, "", 0, ""
	}
	return err
}

// markOther makes all other results of publishing durable.
func (s *Sender) markOther(ctx context.Context, tries []*try) error {
	now := s.options.Now()
	return s.store.each(ctx, handoffsOf(tries), func(t *database.Tx, i int, h *Handoff) error {
		if h.claimed != s.store.instance || h.Attempt != tries[i].Attempt {
			return nil // another process has claimed it
		}
		s.note(h, tries[i], now)
		return h.save(t)
	})
}

// note stores the result of a try in its handoff.
func (s *Sender) note(h *Handoff, t *try, now time.Time) {
	h.claimed = ""
	h.uncertain = h.uncertain && !t.fresh
	if t.inChunks() {
		s.noteChunks(h, t, now)
		return
	}
	s.noteWhole(h, t, now)
}

// noteWhole stores the result of publishing a whole message.
func (s *Sender) noteWhole(h *Handoff, t *try, now time.Time) {
	switch {
	case t.err == nil:
		h.Problem, h.Next, h.Tries = "", time.Time{}, 0
		if h.Revoked {
			return
		}
		h.Dispatched = t.at
		if h.State == Waiting { // otherwise its answer came first
			h.State = Dispatched
		}
		if t.answer == nil {
			return
		}
		if a, err := readAnswer(t.answer.Body); err == nil { // otherwise a valid answer may still come
			s.take(h, a, *t.answer)
		}
	case h.State != Waiting && !h.Revoked: // an earlier try had arrived
	case isFinal(t.err):
		h.Problem, h.Next = problemOf(t.err), time.Time{}
		if !h.Revoked {
			h.State = Stopped
		}
	default:
		h.Problem, h.Next = problemOf(t.err), now.Add(max(pause(h.Tries), putOff(t.err)))
		h.Tries++
		h.uncertain = h.uncertain || t.tried
	}
}

// maxProblem is the maximum length of a stored error, in bytes.
const maxProblem = 500

func problemOf(err error) string { return clipped(err.Error(), maxProblem) }

// clipped returns the beginning of a text, without characters that databases cannot store.
func clipped(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func handoffsOf(tries []*try) []*Handoff {
	list := make([]*Handoff, len(tries))
	for i, t := range tries {
		list[i] = t.Handoff
	}
	return list
}
