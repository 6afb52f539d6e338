package database

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/eaapl/handoff/internal/neterror"
)

// checkFile returns an error if the file at path cannot be a SQLite database.
func checkFile(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s: is a directory: name a file in it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is not a regular file, which SQLite needs", path)
	default:
		return nil
	}
}

// isBusy reports whether SQLite returned an error because of another connection.
func isBusy(err error) bool {
	e := (*sqlite.Error)(nil)
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// notOpened returns SQLite's error of opening a file in plain words.
func notOpened(path string, err error) error {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		switch e.Code() & 0xff { // without the extended code
		case sqlite3.SQLITE_NOTADB:
			return fmt.Errorf("%s: is not an SQLite database, and was not changed: name another file", path)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
			return fmt.Errorf("%s: cannot be opened for writing: the file must be writable, and its directory, in which SQLite creates other files", path)
		}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// notConnected returns an error of connecting to PostgreSQL in plain words, without a password.
func notConnected(err error) error {
	connect := (*pgconn.ConnectError)(nil)
	if !errors.As(err, &connect) {
		return withoutPassword(err)
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return fmt.Errorf("PostgreSQL at %s: %s", net.JoinHostPort(connect.Config.Host, strconv.Itoa(int(connect.Config.Port))), e.Message)
	}
	return fmt.Errorf("the PostgreSQL database %q cannot be reached: %w; check the address, and that the server is running",
		connect.Config.Database, withoutPassword(neterror.Plain(connect.Unwrap())))
}

// explain adds the database and a remedy to an error.
func (db *DB) explain(err error) error {
	e := (*sqlite.Error)(nil)
	if db.Postgres || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%s: another process has held the database for %s: try again, or end that process: %w", db.Path, busy, err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%s: the file or its directory is read-only, and this command would change it", db.Path)
	default:
		return err
	}
}
