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
	if full := diskFull(path, err); full != nil {
		return full
	}
	return fmt.Errorf("%s: %w", path, err)
}

// diskFull returns the error of a file that SQLite cannot enlarge, in plain words, and nil for other errors. SQLite
// has no code of its own for a full disk while it enlarges the index of its log, which is mapped into memory.
func diskFull(path string, err error) error {
	e := (*sqlite.Error)(nil)
	if !errors.As(err, &e) {
		return nil
	}
	switch {
	case e.Code()&0xff == sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: the disk is full, or the quota is used up: free space in its directory, and try again: %w", path, err)
	case e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE:
		return fmt.Errorf("%s-shm: cannot be enlarged: if the disk is full, free space on it, and try again: %w", path, err)
	default:
		return nil
	}
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
	if full := diskFull(db.Path, err); full != nil {
		return full
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%s: another process has held the database for %s: try again, or end that process: %w", db.Path, busy, err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%s: the file or its directory is read-only, and this command would change it", db.Path)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("%s: cannot be read or written; check the disk and its file system: %w", db.Path, err)
	default:
		return err
	}
}
