package diff

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A pair has the two sides of a comparison. One of them may be nil, but not both.
type pair struct {
	name     string // of the files, if several are compared
	stream   bool   // whether a file has several messages
	old, new *side
}

// several reports whether there may be other pairs.
func (p pair) several() bool { return p.name != "" || p.stream }

// A pairing finds the pairs to compare.
type pairing struct {
	*input.Reader
	limits  jsonstream.Limits
	from    format.Format // of the messages; "" to detect each
	byOrder bool
	count   func(int) // called with the number of bytes of each read
	emit    func(pair) bool
}

// paths pairs two arguments: files, or the files of directories.
func (p pairing) paths(from, to string, stdin io.Reader, stderr io.Writer) error {
	if from == "-" && to == "-" {
		return input.ErrTwiceStdin
	}
	var isDirectory [2]bool
	for i, arg := range []string{from, to} {
		if arg == "-" {
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return fmt.Errorf("%s: %w", term.Visible(arg), term.PlainError(err))
		}
		isDirectory[i] = info.IsDir()
	}
	// As in diff(1), a file is compared with the file of the same name in a directory.
	switch isDirectory {
	case [2]bool{true, true}:
		p.directories(from, to)
		return nil
	case [2]bool{true, false}:
		from = filepath.Join(from, filepath.Base(to))
	case [2]bool{false, true}:
		to = filepath.Join(to, filepath.Base(from))
	}
	p.sourcePair("", p.source(from, stdin, stderr), p.source(to, stdin, stderr))
	return nil
}

// source returns the source that an argument names, nil for an empty file in place of a missing one.
func (p pairing) source(arg string, stdin io.Reader, stderr io.Writer) *input.Source {
	if arg == os.DevNull {
		return nil
	}
	return &p.Reader.Sources([]string{arg}, stdin, stderr)[0]
}

// directories pairs the files of two directories by relative path, without regard to compression.
func (p pairing) directories(from, to string) {
	files := map[string]*[2]*input.Source{}
	for i, root := range []string{from, to} {
		for _, s := range p.Directory(root) {
			path, err := filepath.Rel(root, s.Name)
			if err != nil || s.Path == "" {
				path = s.Name // of a directory that could not be listed
			}
			path = filepath.ToSlash(path)
			name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
			if pair := files[name]; pair != nil && pair[i] != nil {
				name = path // there is also an uncompressed file
			}
			if files[name] == nil {
				files[name] = &[2]*input.Source{}
			}
			files[name][i] = &s
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if pair := files[name]; !p.sourcePair(input.SourceName(name), pair[0], pair[1]) {
			return
		}
	}
}

// sourcePair pairs the messages of two files, one of which may be missing. It reports whether to continue.
func (p pairing) sourcePair(name string, from, to *input.Source) bool {
	stop := make(chan struct{})
	defer close(stop)
	old, new := p.read(from, stop), p.read(to, stop)
	first, second := [2]*side{<-old, <-new}, [2]*side{<-old, <-new}
	if second == [2]*side{} {
		if first == [2]*side{} {
			return true
		}
		return p.emit(pair{name: name, old: first[0], new: first[1]})
	}
	join := joining{pairing: p, name: name}
	for _, pair := range [][2]*side{first, second} {
		if !join.add(pair) {
			return false
		}
	}
	for {
		next := [2]*side{<-old, <-new}
		if next == [2]*side{} {
			return join.rest()
		}
		if !join.add(next) {
			return false
		}
	}
}
