package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eaapl/handoff/relay/probe"
)

// Probe asks the database at an address for its version, clock and the program's tables. It creates and
// changes nothing: neither the file nor tables of older versions.
func Probe(ctx context.Context, address string) (probe.Answer, error) {
	db, err := openToLook(address)
	if err != nil {
		return probe.Answer{}, err
	}
	a := probe.Answer{Tables: map[string]int{}}
	err = db.ask(ctx, &a)
	switch {
	case err == nil:
	case db.Postgres:
		err = notConnected(err)
	default:
		err = notOpened(db.Path, err)
	}
	return a, errors.Join(err, db.read.Close())
}

// ask fills in an answer.
func (db *DB) ask(ctx context.Context, a *probe.Answer) error {
	session, err := db.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer session.Rollback() // read only
	t := &Tx{session, ctx, db}
	if !db.Postgres {
		err := t.QueryRow("SELECT 'SQLite ' || sqlite_version()").Scan(&a.Server)
		return errors.Join(err, t.tables(a.Tables))
	}
	var now time.Time
	asked := time.Now()
	if err := t.QueryRow("SELECT clock_timestamp()").Scan(&now); err != nil {
		return err
	}
	a.Clock = probe.Compare(now, asked, time.Now(), 0)
	if err := t.QueryRow("SELECT 'PostgreSQL ' || current_setting('server_version')").Scan(&a.Server); err != nil {
		return err
	}
	return t.tables(a.Tables)
}

// openToLook returns a database for reading only, not connected yet.
func openToLook(address string) (*DB, error) {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		pool, err := sql.Open("pgx", address)
		if err != nil {
			return nil, withoutPassword(err)
		}
		return &DB{Postgres: true, read: pool}, nil
	}
	path := strings.TrimPrefix(address, "sqlite:")
	if scheme, _, ok := strings.Cut(path, "://"); ok {
		return nil, fmt.Errorf("%s:// is not a database: use postgres://… or sqlite:PATH", scheme)
	}
	if err := findFile(path, false); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	how := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(1000)"}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		how.Set("immutable", "1") // no process has it open; otherwise SQLite would create files beside it
	}
	uri := &url.URL{Scheme: "file", Opaque: (&url.URL{Path: absolute}).EscapedPath(), RawQuery: how.Encode()}
	pool, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, err
	}
	return &DB{Path: path, read: pool}, nil
}

// tables adds the versions of all tables to a map.
func (t *Tx) tables(of map[string]int) error {
	if has, err := t.hasVersions(); err != nil || !has {
		return err
	}
	rows, err := t.Query("SELECT part, version FROM handoff_version")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var part string
		var version int
		if err := rows.Scan(&part, &version); err != nil {
			return err
		}
		of[part] = version
	}
	return rows.Err()
}
