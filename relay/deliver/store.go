package deliver

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/relay/internal/database"
)

// A Store is the operational store of senders: their checkpoints and the outbox. Several processes may use
// one store concurrently. It is safe for concurrent use.
type Store struct {
	db       *database.DB
	sender   string
	instance string
	left     sync.Map // places that this process claimed and abandoned because the store failed
}

// Options are the options of [Open].
type Options struct {
	Create bool // create the SQLite file, or the tables, if missing
	// LogPlace is the Place of the audit log's store: data that senders may change must not be there (section
	// 10.3).
	LogPlace string
	// Wipe overwrites removed data, so that a SQLite file keeps no trace of it.
	Wipe bool
}

// A SamePlaceError reports that the store would be in the database of the audit log.
type SamePlaceError struct{}

func (*SamePlaceError) Error() string {
	return "the audit log and the outbox are in the same database: a user who may change the outbox could also change the records; use another database for one of them"
}

// part is the name of the tables in errors and in handoff_version.
const part = "outbox"

// versions are the statements that create each version of the tables from the previous one.
//
// next_at is the time of the next publication, NULL for none; claimed is the publishing instance. settle is
// set while records that follow from the state are missing from the audit log. ask_at is the time of the next
// request for the outcome of an accepted handoff, NULL for none, and ask_pause the interval after it.
// answer_check is the result of checking the answer's signature, refused the number of refused answers, and
// revocation the published text of a revocation. since_at is the time at which a receiver accepted, completed
// or rejected the handoff, or it was rolled back.
var versions = []string{`
CREATE TABLE delivery_sender (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);
CREATE TABLE delivery_checkpoint (
  digest BLOB PRIMARY KEY,
  frame BLOB NOT NULL
);
CREATE TABLE delivery_handoff (
  handoff_id TEXT NOT NULL,
  receiver TEXT NOT NULL,
  task_id TEXT NOT NULL,
  sender TEXT NOT NULL,
  traceparent TEXT NOT NULL,
  receivers INTEGER NOT NULL,
  destination TEXT NOT NULL,
  digest BLOB NOT NULL,
  frame BLOB NOT NULL,
  bytes INTEGER NOT NULL,
  checkpoint BLOB NOT NULL,
  attempt INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  state TEXT NOT NULL,
  uncertain INTEGER NOT NULL,
  revoked INTEGER NOT NULL,
  explanation TEXT NOT NULL,
  settle INTEGER NOT NULL,
  escalated INTEGER NOT NULL,
  restored INTEGER NOT NULL,
  restorer TEXT NOT NULL,
  tries INTEGER NOT NULL,
  next_at INTEGER,
  claimed TEXT NOT NULL,
  queued_at INTEGER NOT NULL,
  position INTEGER NOT NULL,
  dispatched_at INTEGER NOT NULL,
  problem TEXT NOT NULL,
  answer TEXT NOT NULL,
  answered_at INTEGER NOT NULL,
  PRIMARY KEY (handoff_id, receiver)
);
CREATE INDEX delivery_handoff_task ON delivery_handoff (task_id);
CREATE INDEX delivery_handoff_due ON delivery_handoff (queued_at, position) WHERE next_at IS NOT NULL;
CREATE INDEX delivery_handoff_open ON delivery_handoff (destination) WHERE state = 'DISPATCHED';
CREATE INDEX delivery_handoff_settle ON delivery_handoff (handoff_id) WHERE settle = 1`, `
ALTER TABLE delivery_handoff ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery_handoff ADD COLUMN published INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery_handoff ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
CREATE TABLE delivery_chunk (
  handoff_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  frame BLOB NOT NULL,
  PRIMARY KEY (handoff_id, sequence)
)`, `
ALTER TABLE delivery_handoff ADD COLUMN ask_at INTEGER;
ALTER TABLE delivery_handoff ADD COLUMN ask_pause INTEGER NOT NULL DEFAULT 0;
CREATE INDEX delivery_handoff_ask ON delivery_handoff (destination, ask_at) WHERE ask_at IS NOT NULL`, `
ALTER TABLE delivery_handoff ADD COLUMN since_at INTEGER NOT NULL DEFAULT 0;
UPDATE delivery_handoff SET since_at = CASE WHEN answered_at > queued_at THEN answered_at ELSE queued_at END;
CREATE INDEX delivery_handoff_checkpoint ON delivery_handoff (checkpoint)`, `
ALTER TABLE delivery_handoff ADD COLUMN answer_check TEXT NOT NULL DEFAULT '';
ALTER TABLE delivery_handoff ADD COLUMN answer_key TEXT NOT NULL DEFAULT '';
ALTER TABLE delivery_handoff ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery_handoff ADD COLUMN refusal TEXT NOT NULL DEFAULT '';
ALTER TABLE delivery_handoff ADD COLUMN revocation TEXT NOT NULL DEFAULT '';
UPDATE delivery_handoff SET answer_check = 'NOT_SIGNED' WHERE answer <> ''`}

// Open opens the store at an address: a path, "sqlite:PATH" or "postgres://…".
func Open(ctx context.Context, address string, o Options) (*Store, error) {
	db, err := database.Open(ctx, address, database.Options{Create: o.Create, Wipe: o.Wipe})
	if err != nil {
		return nil, err
	}
	s := &Store{db: db}
	if err := s.prepare(ctx, o); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context, o Options) error {
	place, err := s.db.Place(ctx)
	switch {
	case err != nil:
		return err
	case place == o.LogPlace:
		return &SamePlaceError{}
	}
	if err := s.db.Migrate(ctx, part, versions, o.Create); err != nil {
		return err
	}
	if s.sender, err = s.name(ctx); err != nil {
		return err
	}
	s.instance, err = s.db.Instance(ctx)
	return err
}

// name returns the name of the sender, which is created once for each store.
func (s *Store) name(ctx context.Context) (name string, err error) {
	read := func(t *database.Tx) error {
		return t.QueryRow("SELECT name FROM delivery_sender WHERE id = 1").Scan(&name)
	}
	if err = s.db.View(ctx, read); !errors.Is(err, sql.ErrNoRows) {
		return name, err
	}
	err = s.update(ctx, func(t *database.Tx) error {
		if err := read(t); !errors.Is(err, sql.ErrNoRows) { // another process may have been faster
			return err
		}
		random := make([]byte, 12)
		rand.Read(random) // never fails
		name = "s-" + hex.EncodeToString(random)
		return t.Exec("INSERT INTO delivery_sender (id, name) VALUES (1, ?)", name)
	})
	return name, err
}

// Close closes the store. Other processes continue with the messages that this one was publishing.
func (s *Store) Close() error { return s.db.Close() }

// update calls f in a transaction that excludes all others except claims.
func (s *Store) update(ctx context.Context, f func(*database.Tx) error) error {
	return s.db.Update(ctx, "delivery", f)
}

// unpack returns the message in a frame.
func unpack(frame []byte) ([]byte, error) {
	r := compress.NewReader(bytes.NewReader(frame), compress.ReaderOptions{MaxRatio: -1})
	defer r.Close() // read only
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, errors.New("the outbox is damaged: " + err.Error())
	}
	return text, nil
}

// each reads handoffs again and, in one exclusive transaction, calls f with the index and current state of
// each, which it copies to the caller's handoff. Removed handoffs are skipped.
func (s *Store) each(ctx context.Context, list []*Handoff, f func(t *database.Tx, i int, h *Handoff) error) error {
	var now map[place]*Handoff
	err := s.update(ctx, func(t *database.Tx) error {
		now = map[place]*Handoff{}
		for chunk := range slices.Chunk(list, maxNamed) {
			ids := make([]any, len(chunk))
			for i, h := range chunk {
				ids[i] = h.HandoffID
			}
			found, err := read(t, "WHERE handoff_id IN ("+database.Marks(len(ids))+")"+s.forUpdate(), ids...)
			if err != nil {
				return err
			}
			for _, h := range found {
				now[place{h.HandoffID, h.Receiver}] = h
			}
		}
		for i, old := range list {
			if h := now[place{old.HandoffID, old.Receiver}]; h != nil {
				if err := f(t, i, h); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, old := range list {
		if h := now[place{old.HandoffID, old.Receiver}]; h != nil {
			old.become(h)
		}
	}
	return nil
}

// leave notes that this process no longer publishes handoffs that it has claimed, although the store still
// has the claims.
func (s *Store) leave(list []*Handoff) {
	for _, h := range list {
		s.left.Store(place{h.HandoffID, h.Receiver}, true)
	}
}

// atWork reports whether the claimant of a handoff is publishing it.
func (s *Store) atWork(t *database.Tx, h *Handoff) (bool, error) {
	if _, left := s.left.Load(place{h.HandoffID, h.Receiver}); h.claimed == "" || left && h.claimed == s.instance {
		return false, nil
	}
	return t.Alive(h.claimed)
}

// release gives up this process's claims of unpublished messages.
func (s *Store) release(ctx context.Context, list []*Handoff, next time.Time) error {
	return s.each(ctx, list, func(t *database.Tx, _ int, h *Handoff) error {
		if h.claimed != s.instance {
			return nil
		}
		h.claimed, h.Next = "", next
		return h.save(t)
	})
}
