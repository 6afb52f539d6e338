package dir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/relay/internal/durable"
	"github.com/eaapl/handoff/relay/transport"
)

// A box is a folder with waiting and taken messages.
type box struct {
	waiting string // folder
	taken   string // folder, with a folder for each consumer

	mu    sync.Mutex
	last  time.Time         // time of the newest name
	known map[string]string // by digest, the names of waiting messages seen so far
	read  listing           // the listing that known was built from
}

func newBox(path string) *box {
	return &box{waiting: filepath.Join(path, "new"), taken: filepath.Join(path, "taken")}
}

// make creates the folder of waiting messages if it is missing.
func (b *box) make() error { return plain(os.MkdirAll(b.waiting, 0o700)) }

// put writes a message durably, unless it is waiting already, which it reports.
func (b *box) put(ctx context.Context, m *transport.Message) (waits bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	waits, err = b.tryPut(m)
	if errors.Is(err, fs.ErrNotExist) { // another process has removed the folder
		if err = b.make(); err == nil {
			waits, err = b.tryPut(m)
		}
	}
	return waits, plain(err)
}

func (b *box) tryPut(m *transport.Message) (waits bool, err error) {
	digest := digestOf(m.ID)
	name, waits, err := b.name(digest)
	if err != nil {
		return false, err
	}
	if !waits {
		temporary := filepath.Join(b.waiting, writing+name)
		if err := writeFile(temporary, m); err != nil {
			return false, err
		}
		if err := os.Rename(temporary, filepath.Join(b.waiting, name)); err != nil {
			_ = os.Remove(temporary) // leftovers are removed later
			return false, err
		}
	}
	return waits, durable.SyncFolder(b.waiting)
}

// name returns the name of the message with a digest, and whether it is waiting.
func (b *box) name(digest string) (text string, waits bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// A message is only published again by another process, much later, or by one with it in its own
	// list.
	if b.read.old() {
		if b.read, err = b.list(); err != nil {
			return "", false, err
		}
		b.known = make(map[string]string, len(b.read.names))
		for _, n := range b.read.names {
			b.known[n.digest] = n.text
		}
		b.read.names = nil
	}
	if text, ok := b.known[digest]; ok {
		if _, err := os.Lstat(filepath.Join(b.waiting, text)); err == nil {
			return text, true, nil
		}
	}
	b.last = b.last.Add(1)
	if now := time.Now(); b.last.Before(now) {
		b.last = now
	}
	text = newName(digest, b.last)
	b.known[digest] = text
	return text, false, nil
}

// abandoned is the age at which an unfinished file counts as abandoned.
const abandoned = time.Hour

// A listing is the waiting messages at some time, in order of publication.
type listing struct {
	names []name
	at    time.Time
	took  time.Duration
}

// fresh is the time for which a listing is used, unless it took long to read.
const fresh = time.Second

// old reports whether it is time for a new listing.
func (l *listing) old() bool { return time.Since(l.at).Abs() > max(fresh, 20*l.took) }

func (b *box) list() (l listing, err error) {
	l.at = time.Now()
	folder, err := os.Open(b.waiting)
	if err != nil {
		return l, err
	}
	entries, err := folder.ReadDir(-1)
	if err = errors.Join(err, folder.Close()); err != nil {
		return l, err
	}
	l.names = make([]name, 0, len(entries))
	for _, e := range entries {
		if n, ok := parseName(e.Name()); ok && e.Type().IsRegular() {
			l.names = append(l.names, n)
		} else if strings.HasPrefix(e.Name(), writing) {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(b.waiting, e.Name())) // another process may have removed it
			}
		}
	}
	slices.SortFunc(l.names, func(x, y name) int { return strings.Compare(x.text, y.text) })
	l.took = time.Since(l.at)
	return l, nil
}
