package claimcheck

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/relay/internal/durable"
)

// isBody reports whether name is the name of a body's file. Other files in the directory are not
// ours.
func isBody(name string) bool {
	const digits = 2 * sha256.Size
	return len(name) == digits && strings.Trim(name, "0123456789abcdef") == "" || strings.HasPrefix(name, writing)
}

// A NotListedError names a store that cannot list its bodies.
type NotListedError struct{ Store string }

func (e *NotListedError) Error() string { return e.Store + ": its bodies cannot be listed" }

// Remove removes matching bodies from the store at an address of [Open], including partial ones left
// by a crash, and returns their number. The error is a [*NotListedError] if the address is a URL,
// and [fs.ErrNotExist] if the directory does not exist: it is not created.
func Remove(ctx context.Context, address string, match func(body []byte) bool) (n int, err error) {
	if strings.Contains(address, "://") {
		store, err := Open(address)
		if err != nil {
			return 0, err
		}
		return 0, &NotListedError{store.String()}
	}
	entries, err := os.ReadDir(address)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if !e.Type().IsRegular() || !isBody(e.Name()) {
			continue
		}
		path := filepath.Join(address, e.Name())
		body, err := regular.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // it has just been completed and renamed
			continue
		}
		if err != nil {
			return n, err
		}
		if !match(body) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
		n++
	}
	if n > 0 {
		err = durable.SyncFolder(address)
	}
	return n, err
}
