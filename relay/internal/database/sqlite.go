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
	"time"
)

// busy is the maximum time that SQLite waits for another writer.
const busy = 30 * time.Second

func openSQLite(ctx context.Context, path string, o Options) (*DB, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	if err := findFile(path, o.Create); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	uri := &url.URL{Scheme: "file", Opaque: (&url.URL{Path: absolute}).EscapedPath()}
	settings := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "cache_size(-32768)"}}
	how := url.Values{}
	if readOnly := !o.Create && !(writable(path) && writable(filepath.Dir(path))); readOnly {
		how.Set("mode", "ro")
		// Without its accompanying files, which SQLite cannot create here, it can only read a file that no
		// process changes.
		if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
			how.Set("immutable", "1")
		}
	} else {
		if o.PageSize == 0 {
			o.PageSize = 16 << 10
		}
		settings["_pragma"] = append(settings["_pragma"], fmt.Sprintf("page_size(%d)", o.PageSize), "synchronous(full)")
		if o.Wipe {
			settings["_pragma"] = append(settings["_pragma"], "secure_delete(on)")
		}
		// The journal mode is set last: after it, the page size cannot be changed.
		settings["_journal_mode"], settings["_txlock"] = []string{"WAL"}, []string{"immediate"}
	}
	uri.RawQuery = how.Encode()
	db := &DB{Path: path, uri: uri.String()}
	for name, value := range how {
		settings[name] = value
	}
	uri.RawQuery = settings.Encode()
	for _, pool := range []**sql.DB{&db.write, &db.read} {
		if *pool, err = sql.Open("sqlite", uri.String()); err != nil {
			return nil, err
		}
	}
	// If two processes switch a file to a write-ahead log concurrently, each holds a lock that the other
	// needs. SQLite then returns an error to one of them at once.
	for until := time.Now().Add(busy); ; {
		if db.writer, err = newWriter(ctx, db.write); !isBusy(err) || time.Now().After(until) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return nil, errors.Join(notOpened(path, err), db.Close())
	}
	return db, nil
}

// findFile checks that the file exists, or creates it.
func findFile(path string, create bool) error {
	info, err := os.Stat(path)
	if err == nil {
		return checkFile(path, info)
	}
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return plain(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return plain(err)
	}
	// SQLite creates its other files with the mode of this one.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return plain(err)
	}
	return plain(f.Close())
}
