package output

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// The names of temporary files do not depend on their targets, so that targets may have any name that the
// system allows. The writer of a temporary file holds a lock on it.
const temporaryPrefix, temporarySuffix = ".handoff-", ".tmp"

func temporaryName() string { return temporaryPrefix + rand.Text() + temporarySuffix }

func isTemporaryName(name string) bool {
	return len(name) == len(temporaryName()) && strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix)
}

// temporaries are the files to remove if the run ends before they are finished.
type temporaries struct {
	mu    sync.Mutex
	names map[string]bool
	swept map[string]bool // directories whose abandoned files were removed
}

// RemoveUnfinished removes all unfinished files at the end of the run. No file can be begun after that.
func (t *temporaries) RemoveUnfinished() {
	t.mu.Lock() // never unlocked
	for name := range t.names {
		os.Remove(name) // the process ends in any case
	}
}

// BeginFile creates a file, which must not exist. It is removed if the run ends before Finished is called
// with its name.
func (t *temporaries) BeginFile(path string, mode fs.FileMode) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		if t.names == nil {
			t.names = map[string]bool{}
		}
		t.names[path] = true
	}
	return f, err
}

func (t *temporaries) Finished(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, path)
}

// createTemporary creates a temporary file in a directory, which is "" or ends in a separator, and removes
// the temporary files of killed processes there.
func (t *temporaries) createTemporary(dir string, mode fs.FileMode) (*os.File, error) {
	t.sweep(dir)
	for range 100 {
		f, err := t.BeginFile(dir+temporaryName(), mode)
		if err != nil {
			return nil, err
		}
		if lockTemporary(f) {
			return f, nil
		}
		// Another process found it abandoned before it was locked.
		f.Close()
		os.Remove(f.Name())
		t.Finished(f.Name())
	}
	return nil, errors.New("no temporary file stays next to it")
}

// sweep removes the abandoned temporary files in a directory, once per run.
func (t *temporaries) sweep(dir string) {
	t.mu.Lock()
	swept := t.swept[dir]
	if t.swept == nil {
		t.swept = map[string]bool{}
	}
	t.swept[dir] = true
	t.mu.Unlock()
	if swept {
		return
	}
	d, err := os.Open(filepath.Join(dir, "."))
	if err != nil {
		return // the directory is writable but not readable
	}
	defer d.Close() // read only: nothing can be lost
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if isTemporaryName(name) {
			removeAbandoned(dir + name)
		}
	}
}
