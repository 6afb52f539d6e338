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

// A Store keeps bodies by their SHA-256. It is safe for concurrent use.
type Store interface {
	// Put returns when the body is safe there.
	Put(ctx context.Context, digest string, body []byte) error
	// Get returns the body of a digest, which [Consumer] checks. The error is [ErrMissing] if
	// there is none, and [ErrTooLong] if it has more bytes than limit.
	Get(ctx context.Context, digest string, limit int64) ([]byte, error)
	// String names the store as errors show it, without secrets.
	String() string
}

// What [Store.Get] says of a body that trying again does not bring.
var (
	ErrMissing = errors.New("there is no such body")
	ErrTooLong = errors.New("the body is too long")
)

// Open returns the store at an address: "http://…" or "https://…", below which there is a
// resource for each digest, to PUT and to GET; or the path of a directory, which is made if it
// is not there, with a file for each digest. Nobody removes what is stored, but for [Remove]: what is older than
// messages become can be deleted at any time.
func Open(address string) (Store, error) {
	if scheme, _, ok := strings.Cut(address, "://"); ok {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("the address of the store of bodies cannot be read: %w", errors.Unwrap(err)) // without the address, which may have a password
		}
		if scheme != "http" && scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("%s is no store of bodies: use http://…, https://… or the path of a directory", shown(u))
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

// writing begins the name of a file that is being written.
const writing = ".writing-"

func (d directory) Put(_ context.Context, digest string, body []byte) error {
	path := filepath.Join(string(d), digest)
	if same, err := regular.ReadFile(path); err == nil && digestOf(same) == digest {
		return durable.SyncFolder(string(d)) // whoever wrote it may not have come to that
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

// readAll reads a body of limit bytes at most.
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
