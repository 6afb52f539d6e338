// Package claim tracks the files that a run reads and writes, so that no output overwrites an input or
// another output.
package claim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/eaapl/handoff/internal/term"
)

// A Use is a run's use of a file.
type Use int

const (
	AsInput    Use = iota // read: a key, a profile, a schema, a policy
	AsMessages            // read for the messages in it
	AsData                // replaced by the result of its messages, once all of them are read
	AsOutput              // written otherwise
	uses                  // the number of uses
)

// conflicts reports whether one file cannot have both uses.
func (u Use) conflicts(other Use) bool {
	u, other = min(u, other), max(u, other)
	return other == AsOutput || other == AsData && u == AsInput
}

// A File is a file in use.
type File struct {
	Name   string      // as named by the user
	stream bool        // it is standard input or output
	Info   fs.FileInfo // nil if the file does not exist yet
	path   string      // of a file that does not exist yet
}

func (c File) same(other File) bool {
	if c.Info == nil || other.Info == nil {
		return c.Info == nil && other.Info == nil && c.path == other.path
	}
	return os.SameFile(c.Info, other.Info)
}

// A Set has the files that a run reads and writes, so that no output overwrites an input or another output.
// It tracks regular files, by any name or link, and files that do not exist yet. It is safe for concurrent
// use.
type Set struct {
	mu   sync.Mutex
	list [uses][]File
	// broken is the first conflict of a source of messages. After one, nothing may be written.
	broken error
}

// File claims the file at path, which users know by name, or returns an error if it has a conflicting use.
func (all *Set) File(name, path string, as Use) error {
	info, err := os.Stat(path)
	if err == nil {
		return all.Add(File{Name: name, Info: info}, as)
	}
	if as < AsData || !errors.Is(err, fs.ErrNotExist) {
		return nil // opening the file returns the error
	}
	dir, base := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(filepath.Join(dir, ".")); err == nil {
		dir = resolved
	}
	absolute, err := filepath.Abs(filepath.Join(dir, base))
	if err != nil {
		return err
	}
	return all.Add(File{Name: name, path: absolute}, as)
}

// Standard claims the file behind standard input or output, if any.
func (all *Set) Standard(name string, stream any, as Use) error {
	f, ok := stream.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil // using the stream returns the error
	}
	return all.Add(File{Name: name, stream: true, Info: info}, as)
}

func (all *Set) Add(c File, as Use) error {
	if c.Info != nil && !c.Info.Mode().IsRegular() {
		return nil
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	for u := range uses {
		if !u.conflicts(as) {
			continue
		}
		for _, other := range all.list[u] {
			if !other.same(c) || c.stream && other.stream && as == u {
				continue // several reports may share standard output
			}
			err := conflict(c, other, as >= AsData && u >= AsData)
			if as == AsMessages && all.broken == nil {
				all.broken = err
			}
			return err
		}
	}
	all.list[as] = append(all.list[as], c)
	return nil
}

func conflict(c, other File, written bool) error {
	as := ""
	if c.Name != other.Name {
		as = ", as " + term.Visible(other.Name)
	}
	if written {
		return fmt.Errorf("%s: is written twice in this run%s: name another file for one of them", term.Visible(c.Name), as)
	}
	return fmt.Errorf("%s: is both read and written in this run%s: name another file for one of them", term.Visible(c.Name), as)
}

// Check returns an error if nothing may be written.
func (all *Set) Check() error {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.broken
}

// Has reports whether an existing file has a use.
func (all *Set) Has(info fs.FileInfo, as Use) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	return slices.ContainsFunc(all.list[as], func(c File) bool { return info != nil && c.same(File{Info: info}) })
}
