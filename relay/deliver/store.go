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

// A Store is the operational store of senders: their checkpoints and the outbox. Several
// processes may use one store at once. It is safe for concurrent use.
type Store struct {
	db       *database.DB
	sender   string
	instance string
	left     sync.Map // the places that this process has claimed and left, since the store has failed
}

// Options say how a store is opened.
type Options struct {
	Create bool // make a SQLite file, or the tables, if there is none
	// LogPlace is where the audit log is, by the Place of its store: what senders may change is
	// never there (section 10.3).
	LogPlace string
	// Wipe: what is removed is overwritten, so that nothing of it stays in a SQLite file.
	Wipe bool
}

// A SamePlaceError says that the store would be in the database of the audit log.
type SamePlaceError struct{}

func (*SamePlaceError) Error() string {
	return "the audit log and the outbox are in the same database: whoever may change the outbox could change the records; use another database for one of them"
}

// part is what the tables are called in errors and in handoff_version.
const part = "outbox"

// versions are the statements that make each version of the tables of the one before.
//
// next_at is when something is to be published next, NULL if nothing is; claimed is who is at
// it. settle says that the audit log does not have all that follows from the state. ask_at is when
// it is looked next what became of a handoff that was accepted, NULL if it is not, and ask_pause
// how long after that again. answer_check says who has shown whose the answer is, refused how many were
// not believed, and revocation is what is published when a message is taken back. since_at is when a receiver has accepted, completed or rejected it, or
// it was rolled back.
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

// name returns the name of the sender, which is made once for each store.
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

// Name returns the name to which answers to messages of this store go; it never changes, and
// transport.IsName accepts it.
func (s *Store) Name() string { return s.sender }

// Close ends the use of the store. What this process was publishing, others go on with.
func (s *Store) Close() error { return s.db.Close() }

// update calls f in a transaction, alone with the store but for claims.
func (s *Store) update(ctx context.Context, f func(*database.Tx) error) error {
	return s.db.Update(ctx, "delivery", f)
}

// unpack returns the text of a frame.
func unpack(frame []byte) ([]byte, error) {
	r := compress.NewReader(bytes.NewReader(frame), compress.ReaderOptions{MaxRatio: -1})
	defer r.Close() // read only
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, errors.New("the outbox has something that is not as it was written: " + err.Error())
	}
	return text, nil
}

// each reads handoffs again, calls f with the number of each and what it is now, and lets the
// caller's be that: in one transaction, alone with the store. One that is gone is left out.
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

// leave notes that this process publishes handoffs no more that it has claimed, though the store does
// not say so.
func (s *Store) leave(list []*Handoff) {
	for _, h := range list {
		s.left.Store(place{h.HandoffID, h.Receiver}, true)
	}
}

// atWork reports whether the process that has claimed a handoff is publishing it.
func (s *Store) atWork(t *database.Tx, h *Handoff) (bool, error) {
	if _, left := s.left.Load(place{h.HandoffID, h.Receiver}); h.claimed == "" || left && h.claimed == s.instance {
		return false, nil
	}
	return t.Alive(h.claimed)
}

// release gives back what this process has claimed and not published.
func (s *Store) release(ctx context.Context, list []*Handoff, next time.Time) error {
	return s.each(ctx, list, func(t *database.Tx, _ int, h *Handoff) error {
		if h.claimed != s.instance {
			return nil
		}
		h.claimed, h.Next = "", next
		return h.save(t)
	})
}
