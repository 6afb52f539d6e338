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

// A box is a folder with the messages that wait, and those that were taken.
type box struct {
	waiting string // folder
	taken   string // folder, with a folder for each consumer

	mu    sync.Mutex
	last  time.Time         // of the newest name
	known map[string]string // by digest, the names that wait, as far as they were seen
	read  listing           // from which known was made
}

func newBox(path string) *box {
	return &box{waiting: filepath.Join(path, "new"), taken: filepath.Join(path, "taken")}
}

// make makes the folder of messages that wait, if it is not there.
func (b *box) make() error { return plain(os.MkdirAll(b.waiting, 0o700)) }

// put writes a message, unless it waits there already, which it reports. It returns when that is on
// the disk.
func (b *box) put(ctx context.Context, m *transport.Message) (waits bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	waits, err = b.tryPut(m)
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the folder
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
			_ = os.Remove(temporary) // what is left of it is removed later
			return false, err
		}
	}
	return waits, durable.SyncFolder(b.waiting)
}

// name returns the name of a message with a digest, and whether that waits.
func (b *box) name(digest string) (text string, waits bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// Who publishes a message again is another process, long after, or has it in its own list.
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

// abandoned is how old a file is that is not being written any more.
const abandoned = time.Hour

// A listing is what waited at some time, in the order in which it was published.
type listing struct {
	names []name
	at    time.Time
	took  time.Duration
}

// fresh is how long a listing is used, unless it took long to make.
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
				_ = os.Remove(filepath.Join(b.waiting, e.Name())) // another may have
			}
		}
	}
	slices.SortFunc(l.names, func(x, y name) int { return strings.Compare(x.text, y.text) })
	l.took = time.Since(l.at)
	return l, nil
}
