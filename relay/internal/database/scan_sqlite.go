package database

import (
	"context"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A sqliteScanner reads with SQLite's own functions. The driver takes locks and copies each value, which
// takes more than half of the time.
type sqliteScanner struct {
	ctx context.Context
	tls *libc.TLS
	db  uintptr
}

func (db *DB) scanSQLite(ctx context.Context, f func(Scanner) error) (err error) {
	s := &sqliteScanner{ctx: ctx, tls: libc.NewTLS()}
	defer s.tls.Close()
	name, err := libc.CString(db.uri)
	if err != nil {
		return err
	}
	defer libc.Xfree(s.tls, name)
	place := s.tls.Alloc(pointerSize)
	defer s.tls.Free(pointerSize)
	// No other goroutine uses this connection.
	rc := sqlite3.Xsqlite3_open_v2(s.tls, name, place, sqlite3.SQLITE_OPEN_URI|sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
	s.db = *(*uintptr)(pointer(place))
	defer sqlite3.Xsqlite3_close_v2(s.tls, s.db) // read only
	if rc != sqlite3.SQLITE_OK {
		return db.explain(s.failed(rc))
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		tls := libc.NewTLS()
		defer tls.Close()
		sqlite3.Xsqlite3_interrupt(tls, s.db)
	})
	defer func() {
		if !stop() {
			<-done // now it can be closed
		}
	}()
	sqlite3.Xsqlite3_busy_timeout(s.tls, s.db, int32(busy.Milliseconds()))
	if err := s.Rows(nil, "BEGIN"); err != nil {
		return db.explain(err)
	}
	return db.explain(f(s)) // closing ends the transaction
}

const pointerSize = int(unsafe.Sizeof(uintptr(0)))

// pointer returns a pointer to memory of SQLite, which Go's garbage collector does not move.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func (s *sqliteScanner) failed(rc int32) error {
	return fmt.Errorf("%s (%d)", libc.GoString(sqlite3.Xsqlite3_errmsg(s.tls, s.db)), rc)
}

// interrupted is the number of rows after which the context is checked.
const interrupted = 1024

func (s *sqliteScanner) Rows(f func([]Cell) error, query string, args ...int64) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	text, err := libc.CString(query)
	if err != nil {
		return err
	}
	defer libc.Xfree(s.tls, text)
	place := s.tls.Alloc(pointerSize)
	defer s.tls.Free(pointerSize)
	if rc := sqlite3.Xsqlite3_prepare_v2(s.tls, s.db, text, -1, place, 0); rc != sqlite3.SQLITE_OK {
		return s.failed(rc)
	}
	statement := *(*uintptr)(pointer(place))
	defer sqlite3.Xsqlite3_finalize(s.tls, statement) // it repeats the error of the last step
	for i, arg := range args {
		if rc := sqlite3.Xsqlite3_bind_int64(s.tls, statement, int32(i+1), arg); rc != sqlite3.SQLITE_OK {
			return s.failed(rc)
		}
	}
	cells := make([]Cell, sqlite3.Xsqlite3_column_count(s.tls, statement))
	for n := 0; ; n++ {
		switch rc := sqlite3.Xsqlite3_step(s.tls, statement); rc {
		case sqlite3.SQLITE_DONE:
			return nil
		case sqlite3.SQLITE_ROW:
		case sqlite3.SQLITE_INTERRUPT:
			if err := s.ctx.Err(); err != nil {
				return err
			}
			return s.failed(rc)
		default:
			return s.failed(rc)
		}
		if n%interrupted == interrupted-1 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		for i := range cells {
			s.read(&cells[i], sqlite3.Xsqlite3_column_value(s.tls, statement, int32(i)))
		}
		if err := f(cells); err != nil {
			return err
		}
	}
}

// read sets a cell to a value.
func (s *sqliteScanner) read(c *Cell, value uintptr) {
	c.Int, c.Bytes = 0, nil
	switch sqlite3.Xsqlite3_value_type(s.tls, value) {
	case sqlite3.SQLITE_NULL:
		c.Kind = Null
		return
	case sqlite3.SQLITE_INTEGER:
		c.Kind, c.Int = Int, sqlite3.Xsqlite3_value_int64(s.tls, value)
		return
	case sqlite3.SQLITE_TEXT:
		c.Kind = Text
	case sqlite3.SQLITE_BLOB:
		c.Kind = Blob
	default:
		c.Kind = Other
		return
	}
	c.Bytes = []byte{}
	if p := sqlite3.Xsqlite3_value_blob(s.tls, value); p != 0 {
		c.Bytes = unsafe.Slice((*byte)(pointer(p)), sqlite3.Xsqlite3_value_bytes(s.tls, value))
	}
}
