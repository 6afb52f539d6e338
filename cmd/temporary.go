package cmd

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Temporary files are named independently of what they become, so that every name
// which a system allows can be written. Who writes one holds a lock on it.
const temporaryPrefix, temporarySuffix = ".handoff-", ".tmp"

func temporaryName() string { return temporaryPrefix + rand.Text() + temporarySuffix }

func isTemporaryName(name string) bool {
	return len(name) == len(temporaryName()) && strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix)
}

// unfinished are the files that go if the run ends before they are finished.
var unfinished = struct {
	sync.Mutex
	names map[string]bool
	swept map[string]bool // directories that abandoned files were removed from
}{names: map[string]bool{}, swept: map[string]bool{}}

// removeUnfinished removes what is not finished when the run ends; no file can be begun
// any more.
func removeUnfinished() {
	unfinished.Lock() // for good
	for name := range unfinished.names {
		os.Remove(name) // the process ends: there is nobody to tell
	}
}

// beginFile creates a file, which must not be there, and which goes if the run ends
// before finished is called with its name.
func beginFile(path string, mode fs.FileMode) (*os.File, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		unfinished.names[path] = true
	}
	return f, err
}

func finished(path string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.names, path)
}

// createTemporary creates a temporary file in a directory, which is "" or ends in a
// separator, and removes those that processes which were killed have left there.
func createTemporary(dir string, mode fs.FileMode) (*os.File, error) {
	sweep(dir)
	for range 100 {
		f, err := beginFile(dir+temporaryName(), mode)
		if err != nil {
			return nil, err
		}
		if lockTemporary(f) {
			return f, nil
		}
		// Before it was locked, another process has found it abandoned.
		f.Close()
		os.Remove(f.Name())
		finished(f.Name())
	}
	return nil, errors.New("no temporary file stays beside it")
}

// sweep removes the abandoned temporary files in a directory, once in a run.
func sweep(dir string) {
	unfinished.Lock()
	swept := unfinished.swept[dir]
	unfinished.swept[dir] = true
	unfinished.Unlock()
	if swept {
		return
	}
	d, err := os.Open(filepath.Join(dir, "."))
	if err != nil {
		return // it can be written to without being read
	}
	defer d.Close() // read only: nothing can be lost
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if isTemporaryName(name) {
			removeAbandoned(dir + name)
		}
	}
}
