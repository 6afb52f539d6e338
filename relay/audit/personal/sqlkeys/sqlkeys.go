// Package sqlkeys keeps the keys of data subjects in SQLite or PostgreSQL. The tables are
// described in docs/audit.md.
package sqlkeys

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/internal/database"
)

// A Store is a [personal.KeyStore] in a database.
type Store struct{ db *database.DB }

// Options are the options of [Open].
type Options struct {
	Create bool // create the SQLite file, or the tables, if missing
	// LogPlace is the Place of the audit log's store: keys must not be there.
	LogPlace string
}

// A SamePlaceError reports that the keys would be in the database of the audit log.
type SamePlaceError struct{}

func (*SamePlaceError) Error() string {
	return "the audit log and the keys of data subjects are in the same database: a copy of it would contain both, so that data could not be erased; use another database for the keys"
}

// part is the name of the tables in errors and in handoff_version.
const part = "key store of data subjects"

// versions are the statements that create each version of the tables from the previous one.
var versions = []string{`
CREATE TABLE subject_secret (
  id INTEGER PRIMARY KEY,
  secret BLOB NOT NULL
);
CREATE TABLE subject_key (
  id BLOB PRIMARY KEY,
  log BLOB NOT NULL,
  subject BLOB NOT NULL,
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX subject_key_subject ON subject_key (log, subject);
CREATE TABLE subject_erasure (
  log BLOB NOT NULL,
  subject BLOB NOT NULL,
  decided_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (log, subject)
)`}

// Open opens the store at an address: a path, "sqlite:PATH" or "postgres://…".
func Open(ctx context.Context, address string, o Options) (*Store, error) {
	db, err := database.Open(ctx, address, database.Options{Create: o.Create, Wipe: true})
	if err != nil {
		return nil, err
	}
	place, err := db.Place(ctx)
	if err == nil && place == o.LogPlace {
		err = &SamePlaceError{}
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := db.Migrate(ctx, part, versions, o.Create); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db}, nil
}

// Close implements [personal.KeyStore].
func (s *Store) Close() error { return s.db.Close() }

// update calls f in an exclusive transaction.
func (s *Store) update(ctx context.Context, f func(*database.Tx) error) error {
	return s.db.Update(ctx, "subject keys", f)
}

// Secret implements [personal.KeyStore].
func (s *Store) Secret(ctx context.Context) (secret personal.Secret, err error) {
	read := func(t *database.Tx) error {
		var b []byte
		err := t.QueryRow("SELECT secret FROM subject_secret WHERE id = 1").Scan(&b)
		if err == nil && len(b) != len(secret) {
			err = errors.New("the secret of the key store is damaged")
		}
		copy(secret[:], b)
		return err
	}
	if err = s.db.View(ctx, read); !errors.Is(err, sql.ErrNoRows) {
		return secret, err
	}
	err = s.update(ctx, func(t *database.Tx) error {
		if err := read(t); !errors.Is(err, sql.ErrNoRows) { // another process may have been faster
			return err
		}
		rand.Read(secret[:]) // never fails
		return t.Exec("INSERT INTO subject_secret (id, secret) VALUES (1, ?)", secret[:])
	})
	return secret, err
}

// Keys implements [personal.KeyStore].
func (s *Store) Keys(ctx context.Context, log string, subjects []string) ([]personal.Key, error) {
	known := map[string]*personal.Key{}
	look := func(t *database.Tx) (missing bool, err error) {
		for _, subject := range subjects {
			if known[subject] != nil {
				continue
			}
			key, err := readKey(t, "log = ? AND subject = ?", unhex(log), unhex(subject))
			if err != nil {
				return false, err
			}
			if key == nil {
				missing = true
				continue
			}
			known[subject] = key
		}
		return missing, nil
	}
	missing := false
	err := s.db.View(ctx, func(t *database.Tx) (err error) {
		missing, err = look(t)
		return err
	})
	if err == nil && missing {
		err = s.update(ctx, func(t *database.Tx) error {
			if _, err := look(t); err != nil { // another process may have created some meanwhile
				return err
			}
			var rows [][]any
			for _, subject := range subjects {
				if known[subject] != nil {
					continue
				}
				key := &personal.Key{Subject: subject}
				rand.Read(key.ID[:])
				rand.Read(key.Secret[:])
				known[subject] = key
				rows = append(rows, []any{key.ID[:], unhex(log), unhex(subject), key.Secret[:], time.Now().UnixMicro()})
			}
			return t.Insert("subject_key", []string{"id", "log", "subject", "secret", "created_at"}, rows)
		})
	}
	if err != nil {
		return nil, err
	}
	keys := make([]personal.Key, len(subjects))
	for i, subject := range subjects {
		keys[i] = *known[subject]
	}
	return keys, nil
}

// Find implements [personal.KeyStore].
func (s *Store) Find(ctx context.Context, id personal.KeyID) (key *personal.Key, err error) {
	err = s.db.View(ctx, func(t *database.Tx) (err error) {
		key, err = readKey(t, "id = ?", id[:])
		return err
	})
	return key, err
}

// readKey returns the key that matches a condition, nil if there is none.
func readKey(t *database.Tx, where string, args ...any) (*personal.Key, error) {
	var id, subject, secret []byte
	err := t.QueryRow("SELECT id, subject, secret FROM subject_key WHERE "+where, args...).Scan(&id, &subject, &secret)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	key := &personal.Key{Subject: hex.EncodeToString(subject)}
	if err == nil && (len(id) != len(key.ID) || len(secret) != len(key.Secret)) {
		err = errors.New("a key of the key store is damaged")
	}
	copy(key.ID[:], id)
	copy(key.Secret[:], secret)
	return key, err
}

// Destroy implements [personal.KeyStore].
func (s *Store) Destroy(ctx context.Context, e personal.Erasure) error {
	return s.update(ctx, func(t *database.Tx) error {
		log, subject := unhex(e.Log), unhex(e.Subject)
		if err := t.Insert("subject_erasure", []string{"log", "subject", "decided_by", "reason", "decided_at", "size"},
			[][]any{{log, subject, e.By, e.Reason, e.At.UnixMicro(), e.Size}}); err != nil {
			return err
		}
		var nothing personal.Secret
		if err := t.Exec("UPDATE subject_key SET secret = ? WHERE log = ? AND subject = ?", nothing[:], log, subject); err != nil {
			return err
		}
		return t.Exec("DELETE FROM subject_key WHERE log = ? AND subject = ?", log, subject)
	})
}

// Sweep implements [personal.KeyStore].
func (s *Store) Sweep(ctx context.Context) error { return s.db.Sweep(ctx, "subject_key") }

// Unfinished implements [personal.KeyStore].
func (s *Store) Unfinished(ctx context.Context, log string) (list []personal.Erasure, err error) {
	err = s.db.View(ctx, func(t *database.Tx) error {
		rows, err := t.Query("SELECT subject, decided_by, reason, decided_at, size FROM subject_erasure WHERE log = ?", unhex(log))
		if err != nil {
			return err
		}
		defer rows.Close() // read only: errors of Close do not matter
		for rows.Next() {
			e := personal.Erasure{Log: log}
			var subject []byte
			var at int64
			if err := rows.Scan(&subject, &e.By, &e.Reason, &at, &e.Size); err != nil {
				return err
			}
			e.Subject, e.At = hex.EncodeToString(subject), time.UnixMicro(at).UTC()
			list = append(list, e)
		}
		return rows.Err()
	})
	return list, err
}

// Finish implements [personal.KeyStore].
func (s *Store) Finish(ctx context.Context, e personal.Erasure) error {
	return s.update(ctx, func(t *database.Tx) error {
		return t.Exec("DELETE FROM subject_erasure WHERE log = ? AND subject = ?", unhex(e.Log), unhex(e.Subject))
	})
}

// unhex returns a hash or name in its stored form.
func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		return []byte(text)
	}
	return b
}
