// Package database opens the databases of the audit log and the operational store: SQLite for one machine,
// PostgreSQL for several. Its queries use question marks for parameters.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// A DB is an open database. It is safe for concurrent use.
type DB struct {
	Postgres bool
	Path     string // of the file, for SQLite
	uri      string // of the file, with options (SQLite)
	write    *sql.DB
	read     *sql.DB
	writer   *writer // SQLite: the only connection for writing
	instance instance
}

// Options are the options of [Open].
type Options struct {
	// Create creates the file if it does not exist. Otherwise that is an error, and a read-only SQLite file
	// is opened for reading.
	Create bool
	// Wipe overwrites deleted data, so that the file keeps no trace of it.
	Wipe bool
	// PageSize is the page size of a new SQLite file, in bytes; 0 means 16 KiB, enough for several compressed
	// messages. If rows are added and removed individually, small pages cause fewer writes.
	PageSize int
}

// Open opens the database at an address: "postgres://…", "sqlite:PATH" or a path. Its errors contain no
// password.
func Open(ctx context.Context, address string, o Options) (*DB, error) {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return openPostgres(ctx, address)
	}
	path := strings.TrimPrefix(address, "sqlite:")
	if scheme, _, ok := strings.Cut(path, "://"); ok {
		return nil, fmt.Errorf("%s:// is not a database: use postgres://… or sqlite:PATH", scheme)
	}
	return openSQLite(ctx, path, o)
}

// Check returns an error if an address is invalid. It opens nothing.
func Check(address string) error {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		_, err := pgx.ParseConfig(address)
		if err != nil {
			return withoutPassword(err)
		}
		return nil
	}
	return checkPath(strings.TrimPrefix(address, "sqlite:"))
}

// checkPath returns an error if a path is not a valid file name.
func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("the name of the database file is empty")
	case strings.ContainsRune(path, 0):
		return fmt.Errorf("%q: not a valid file name", path)
	}
	return nil
}

// maxIdle is the maximum number of idle connections to PostgreSQL: opening one takes as long as many
// transactions.
const maxIdle = 8

func openPostgres(ctx context.Context, address string) (*DB, error) {
	write, err := sql.Open("pgx", address)
	if err != nil {
		return nil, withoutPassword(err)
	}
	write.SetMaxIdleConns(maxIdle)
	write.SetConnMaxIdleTime(time.Minute)
	db := &DB{Postgres: true, write: write, read: write}
	if err := write.PingContext(ctx); err != nil {
		return nil, errors.Join(notConnected(err), write.Close())
	}
	return db, nil
}

// withoutPassword removes an address's password from an error, in case a driver shows it.
func withoutPassword(err error) error {
	text := err.Error()
	if i := strings.Index(text, "://"); i >= 0 {
		if j := strings.LastIndex(text, "@"); j > i {
			text = text[:i+3] + "…" + text[j:]
		}
	}
	return errors.New(strings.ReplaceAll(text, "\n", " "))
}

// plain removes the name of the system call from an error.
func plain(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}

// Place returns the identity of the database, for any spelling of its address: equal results mean the same
// database.
func (db *DB) Place(ctx context.Context) (string, error) {
	if db.Postgres {
		var place string
		err := db.read.QueryRowContext(ctx, "SELECT pg_postmaster_start_time()::text || ' ' || oid::text FROM pg_database WHERE datname = current_database()").Scan(&place)
		return "postgres " + place, err
	}
	path, err := filepath.EvalSymlinks(db.Path)
	if err != nil {
		return "", plain(err)
	}
	path, err = filepath.Abs(path)
	return "sqlite " + path, err
}

// Sweep removes remains of deleted and changed rows: from all of SQLite's files, if the database was opened
// with [Options.Wipe]; in PostgreSQL from the file of the table, but not from the write-ahead log. It waits
// for readers, and fails if they do not end.
func (db *DB) Sweep(ctx context.Context, table string) error {
	if db.Postgres {
		_, err := db.write.ExecContext(ctx, "VACUUM FULL "+table)
		return err
	}
	var busy, frames, moved int
	err := db.writer.alone(func(conn *sql.Conn) error {
		for _, statement := range []string{"PRAGMA temp_store = memory", "VACUUM"} {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	})
	if err != nil {
		return db.explain(err)
	}
	if busy != 0 {
		return fmt.Errorf("%s: another process is reading the database, so the deleted data is still in its write-ahead log: try again", db.Path)
	}
	return nil
}

// Close closes the database.
func (db *DB) Close() error {
	err := errors.Join(db.writer.close(), db.write.Close())
	if db.read != db.write {
		err = errors.Join(err, db.read.Close())
	}
	return errors.Join(err, db.instance.close())
}

// A Tx is a transaction.
type Tx struct {
	session
	ctx context.Context
	db  *DB
}

// A session executes the statements of a transaction.
type session interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// View calls f in a transaction with a snapshot of the database. f must not call Update.
func (db *DB) View(ctx context.Context, f func(*Tx) error) error {
	o := &sql.TxOptions{ReadOnly: true}
	begin, until := db.read.BeginTx, ctx
	switch {
	case db.Postgres:
		o.Isolation = sql.LevelRepeatableRead
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		until = context.WithoutCancel(ctx) // otherwise BEGIN may take effect although it fails with ctx, which blocks the next one
		if db.writer.tryUse() {            // opening another connection takes milliseconds
			defer db.writer.release()
			begin = db.writer.conn.BeginTx
		}
	}
	tx, err := begin(until, o)
	if err != nil {
		return db.explain(err)
	}
	defer tx.Rollback() // read only
	return db.explain(f(&Tx{tx, ctx, db}))
}

// An UncertainError reports that the connection was lost during a commit.
type UncertainError struct{ Err error }

func (e *UncertainError) Error() string { return e.Err.Error() }

// Update calls f in a transaction that excludes other processes' updates of the same name. The writes of f
// are durable when Update returns nil.
func (db *DB) Update(ctx context.Context, name string, f func(*Tx) error) error {
	return db.Change(ctx, Durable, func(tx *Tx) error {
		if db.Postgres {
			if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name); err != nil {
				return err
			}
		}
		return f(tx)
	})
}

// A Commit is the durability of a transaction.
type Commit string

// The kinds of commits.
const (
	Durable Commit = "on" // durable on return
	// Soon commits become durable within a second, or with the next durable commit. A crash of the machine or
	// the server may undo them.
	Soon Commit = "off"
)

// Change calls f in a transaction. Transactions of other processes run concurrently in PostgreSQL, and one
// after the other in SQLite.
func (db *DB) Change(ctx context.Context, commit Commit, f func(*Tx) error) error {
	if !db.Postgres {
		return db.explain(db.writer.update(ctx, commit, func() error { return f(&Tx{db.writer, ctx, db}) }))
	}
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no effect after a commit
	// Overrides the server's default.
	if _, err := tx.ExecContext(ctx, "SET LOCAL synchronous_commit TO "+string(commit)); err != nil {
		return err
	}
	if err := f(&Tx{tx, ctx, db}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return &UncertainError{withoutPassword(err)}
	}
	return nil
}

// rebind replaces the question marks of a query by the database's placeholders.
func (t *Tx) rebind(query string) string {
	if !t.db.Postgres {
		return query
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}

// Exec runs a statement.
func (t *Tx) Exec(query string, args ...any) error {
	_, err := t.ExecContext(t.ctx, t.rebind(query), args...)
	return err
}

// Query runs a query.
func (t *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	return t.QueryContext(t.ctx, t.rebind(query), args...)
}

// QueryRow runs a query for one row.
func (t *Tx) QueryRow(query string, args ...any) *sql.Row {
	return t.QueryRowContext(t.ctx, t.rebind(query), args...)
}

// Marks returns n question marks for parameters, separated by commas.
func Marks(n int) string { return list("?", n) }

func list(text string, n int) string {
	return strings.TrimSuffix(strings.Repeat(text+",", n), ",")
}

// Migrate upgrades the tables of a part of the program to the newest version. steps are the statements of
// each version; statements that begin with -- sqlite or -- postgres are only for that database. There are no
// downgrades. If there are no tables, create allows creating them; otherwise that is an error.
func (db *DB) Migrate(ctx context.Context, part string, steps []string, create bool) error {
	var version int
	err := db.View(ctx, func(tx *Tx) (err error) {
		version, err = tx.version(part)
		return err
	})
	switch {
	case err != nil:
		return err
	case version == len(steps):
		return nil
	case version > len(steps):
		return fmt.Errorf("the tables of the %s have version %d, but this program supports versions up to %d: use a newer handoff", part, version, len(steps))
	case version == 0 && !create:
		err := fmt.Errorf("this database has no tables of the %s", part)
		if db.Path != "" {
			err = fmt.Errorf("%s: %w", db.Path, err)
		}
		return err
	}
	return db.Update(ctx, "migrate", func(tx *Tx) error {
		if err := tx.Exec("CREATE TABLE IF NOT EXISTS handoff_version (part TEXT PRIMARY KEY, version INTEGER NOT NULL)"); err != nil {
			return err
		}
		version, err := tx.version(part) // another process may have been faster
		if err != nil {
			return err
		}
		for ; version < len(steps); version++ {
			if err := tx.migrate(part, version+1, steps[version]); err != nil {
				return fmt.Errorf("creating version %d of the tables of the %s: %w", version+1, part, err)
			}
		}
		return nil
	})
}

// version returns the version of a part's tables, 0 if there are none.
func (t *Tx) version(part string) (version int, err error) {
	if has, err := t.hasVersions(); err != nil || !has {
		return 0, err
	}
	err = t.QueryRow("SELECT version FROM handoff_version WHERE part = ?", part).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return version, err
}

// hasVersions reports whether the table of the parts' versions exists.
func (t *Tx) hasVersions() (bool, error) {
	tables := "SELECT count(*) FROM sqlite_master WHERE name = 'handoff_version'"
	if t.db.Postgres {
		tables = "SELECT count(*) FROM pg_tables WHERE tablename = 'handoff_version' AND schemaname = ANY (current_schemas(false))"
	}
	var n int
	err := t.QueryRow(tables).Scan(&n)
	return n > 0, err
}

// Prefixes of statements for one kind of database.
const (
	onlySQLite   = "-- sqlite\n"
	onlyPostgres = "-- postgres\n"
)

// migrate runs the statements of a version, and stores its number.
func (t *Tx) migrate(part string, version int, text string) error {
	if t.db.Postgres {
		text = strings.NewReplacer(" BLOB", " BYTEA", " INTEGER", " BIGINT").Replace(text)
	}
	for statement := range strings.SplitSeq(text, ";") {
		statement = strings.TrimSpace(statement)
		if statement == "" || strings.HasPrefix(statement, onlySQLite) && t.db.Postgres || strings.HasPrefix(statement, onlyPostgres) && !t.db.Postgres {
			continue
		}
		if err := t.Exec(statement); err != nil {
			return err
		}
	}
	if err := t.Exec("DELETE FROM handoff_version WHERE part = ?", part); err != nil {
		return err
	}
	return t.Exec("INSERT INTO handoff_version (part, version) VALUES (?, ?)", part, version)
}
