package dir

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/eaapl/handoff/relay/internal/durable"
	"github.com/eaapl/handoff/relay/transport"
)

// RemoveLetters removes the dead letters of some handoffs from a folder: letters whose key or body
// has the id of one of them. It returns their number.
func RemoveLetters(ctx context.Context, u *url.URL, handoffs []string) (n int, err error) {
	p, err := open(u, transport.Options{})
	if err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(p.dead())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		path := filepath.Join(p.dead(), e.Name())
		if !e.Type().IsRegular() {
			continue
		}
		m, err := readFile(path, p.options.MaxBytes)
		if errors.As(err, new(*unusable)) {
			continue
		}
		if err != nil {
			return n, plain(err)
		}
		if !slices.ContainsFunc(handoffs, func(id string) bool { return m.Key == id || bytes.Contains(m.Body, []byte(id)) }) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return n, plain(err)
		}
		n++
	}
	if n > 0 {
		err = errors.Join(err, durable.SyncFolder(p.dead()))
	}
	return n, plain(err)
}
