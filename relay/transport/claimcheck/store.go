package claimcheck

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/relay/internal/durable"
)

// A Store stores bodies by their SHA-256. It is safe for concurrent use.
type Store interface {
	// Put returns when the body is stored durably.
	Put(ctx context.Context, digest string, body []byte) error
	// Get returns the body with a digest, which [Consumer] verifies. The error is [ErrMissing] if
	// there is none, and [ErrTooLong] if it has more than limit bytes.
	Get(ctx context.Context, digest string, limit int64) ([]byte, error)
	// String returns the store's name for error messages, without secrets.
	String() string
}

// Permanent errors of [Store.Get].
var (
	ErrMissing = errors.New("the body does not exist")
	ErrTooLong = errors.New("the body is too long")
)

// Open returns the store at an address: either "http://…" or "https://…", a URL below which each
// digest has a resource for PUT and GET; or the path of a directory, which is created if missing,
// with a file for each digest. Only [Remove] deletes bodies: files older than the maximum age of
// messages can be deleted at any time.
func Open(address string) (Store, error) {
	if scheme, _, ok := strings.Cut(address, "://"); ok {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("the address of the store of bodies cannot be read: %w", errors.Unwrap(err)) // without the address, which may have a password
		}
		if scheme != "http" && scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("%s is not a store of bodies: use http://…, https://… or the path of a directory", shown(u))
		}
		return newWeb(u), nil
	}
	if address == "" {
		return nil, errors.New("the address of the store of bodies is empty: use http://…, https://… or the path of a directory")
	}
	path, err := filepath.Abs(address)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	return directory(path), nil
}

// A directory is a store with a file for each body.
type directory string

func (d directory) String() string { return string(d) }

// writing is the prefix of the names of unfinished files.
const writing = ".writing-"

func (d directory) Put(_ context.Context, digest string, body []byte) error {
	path := filepath.Join(string(d), digest)
	if same, err := regular.ReadFile(path); err == nil && digestOf(same) == digest {
		return durable.SyncFolder(string(d)) // its writer may not have synced it
	}
	temporary := filepath.Join(string(d), writing+rand.Text())
	err := durable.Create(temporary, func(f *os.File) error {
		_, err := f.Write(body)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return durable.SyncFolder(string(d))
}

func (d directory) Get(_ context.Context, digest string, limit int64) ([]byte, error) {
	f, err := regular.OpenNamed(filepath.Join(string(d), digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	return readAll(f, limit)
}

// readAll reads a body of at most limit bytes.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) == limit {
		if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 {
			return nil, ErrTooLong
		} else if err != io.EOF {
			return nil, err
		}
	}
	return body, nil
}

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
