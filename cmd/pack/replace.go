package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
)

// replaceAll replaces each file that can be; the others are reported.
func (f *packing) replaceAll(list []input.Source) error {
	var outcome error
	for _, s := range list {
		p, err := f.replace(s)
		if err == nil && p.Source != "" {
			err = f.report(p)
		}
		if err != nil {
			f.progress.Fail(err)
			outcome = cli.ErrReported
		}
	}
	return outcome
}

// replace puts a file's other form in its place. The file goes when the other one
// is safely on the disk, and only if it is still what was read. A record without
// a source says that there is nothing to do.
func (f *packing) replace(s input.Source) (packed, error) {
	before, target, err := f.replaceable(s)
	if err != nil {
		return packed{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	if target == "" {
		return packed{}, nil
	}
	if err := f.Files.Claims.File(target, target, claim.AsData); err != nil {
		return packed{}, err
	}
	out, err := f.Create(target, before)
	if err != nil {
		return packed{}, err
	}
	out.Old, _ = os.Lstat(target) // there is none, unless --force replaces it
	out.Check = func() error { return output.Unchanged(s.Path, before) }
	p, err := f.convert([]input.Source{s}, out)
	if err == nil && p.Codec == compress.None {
		p.Source = s.Name
		return p, out.Discard() // too short to be compressed: it stays
	}
	if err == nil && f.verify {
		err = p.verifyFile(out, f.Unpacking.Dictionaries)
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = os.Chtimes(out.File.Name(), before.ModTime(), before.ModTime())
	}
	err = out.Close(err)
	if errors.Is(err, output.ErrUnsynced) {
		return packed{}, fmt.Errorf("%s: stays: %w", s.Name, err)
	}
	if err != nil {
		return packed{}, err
	}
	stays := func(err error) error {
		return fmt.Errorf("%s: stays, though %s is written: %w", s.Name, target, term.PlainError(err))
	}
	if err := f.SyncFolder(filepath.Dir(target)); err != nil { // also where it cannot be
		return packed{}, stays(err)
	}
	if err := os.Remove(s.Path); err != nil {
		return packed{}, stays(err)
	}
	f.WarnOfLinks(s.Name, before)
	p.Source, p.Output = s.Name, target
	return p, nil
}

// replaceable returns what the file is and what takes its place, or why nothing
// may.
func (f *packing) replaceable(s input.Source) (fs.FileInfo, string, error) {
	switch {
	case s.Err != nil:
		return nil, "", s.Err
	case s.Path == "":
		return nil, "", errors.New("has no place to be replaced in: --in-place needs files")
	}
	info, err := os.Lstat(s.Path)
	switch {
	case err != nil:
		return nil, "", term.PlainError(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, "", errors.New("is a symbolic link, and stays: name the file it leads to")
	case !info.Mode().IsRegular():
		return nil, "", errors.New("is not a regular file, and stays")
	}
	target, err := f.target(s)
	if err != nil || target == "" {
		return nil, "", err
	}
	if _, err := os.Lstat(target); err == nil && !f.force {
		return nil, "", fmt.Errorf("%s is there already: --force replaces it", target)
	}
	return info, target, nil
}
