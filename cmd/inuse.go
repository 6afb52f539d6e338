package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A use is what a run does with a file.
type use int

const (
	asInput    use = iota // read: a key, a profile, a schema, a policy
	asMessages            // read for the messages in it
	asData                // replaced by what is made of messages, once all of them are read
	asOutput              // written in any other way
	uses                  // how many there are
)

// conflicts reports whether a run cannot use one file in both ways.
func (u use) conflicts(other use) bool {
	u, other = min(u, other), max(u, other)
	return other == asOutput || other == asData && u == asInput
}

// A claim is a file in use.
type claim struct {
	name   string      // as named by the user
	stream bool        // it is standard input or output
	info   fs.FileInfo // nil if the file is not there yet
	path   string      // of a file that is not there yet
}

func (c claim) same(other claim) bool {
	if c.info == nil || other.info == nil {
		return c.info == nil && other.info == nil && c.path == other.path
	}
	return os.SameFile(c.info, other.info)
}

// claims are the files that a run reads and writes, so that no output destroys an input
// or another output. Only regular files count, whatever the name or link that leads to
// them, and files that are not there yet. Several goroutines may claim files at once.
type claims struct {
	mu   sync.Mutex
	list [uses][]claim
	// broken is the first conflict of a source of messages. Nothing may be written then.
	broken error
}

// file claims the file at path, which the user knows by name, or returns why it cannot
// be used so.
func (all *claims) file(name, path string, as use) error {
	info, err := os.Stat(path)
	if err == nil {
		return all.add(claim{name: name, info: info}, as)
	}
	if as < asData || !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it says what is wrong
	}
	dir, base := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(filepath.Join(dir, ".")); err == nil {
		dir = resolved
	}
	absolute, err := filepath.Abs(filepath.Join(dir, base))
	if err != nil {
		return err
	}
	return all.add(claim{name: name, path: absolute}, as)
}

// standard claims the file that standard input or output is, if it is one.
func (all *claims) standard(name string, stream any, as use) error {
	f, ok := stream.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil // using it says what is wrong
	}
	return all.add(claim{name: name, stream: true, info: info}, as)
}

func (all *claims) add(c claim, as use) error {
	if c.info != nil && !c.info.Mode().IsRegular() {
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
				continue // several reports may go to standard output
			}
			err := conflict(c, other, as >= asData && u >= asData)
			if as == asMessages && all.broken == nil {
				all.broken = err
			}
			return err
		}
	}
	all.list[as] = append(all.list[as], c)
	return nil
}

func conflict(c, other claim, written bool) error {
	as := ""
	if c.name != other.name {
		as = ", as " + visible(other.name)
	}
	if written {
		return fmt.Errorf("%s: is written twice in this run%s: name another file for one of them", visible(c.name), as)
	}
	return fmt.Errorf("%s: is both read and written in this run%s: name another file for one of them", visible(c.name), as)
}

// check returns why nothing may be written.
func (all *claims) check() error {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.broken
}

// has reports whether a file that is there has a use.
func (all *claims) has(info fs.FileInfo, as use) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	return slices.ContainsFunc(all.list[as], func(c claim) bool { return info != nil && c.same(claim{info: info}) })
}
