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

// replaceAll replaces each file that it can and reports the others.
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

// replace replaces a file with its converted form. It removes the original after the new file is durably on
// the disk, and only if the original has not changed since it was read. If there is nothing to do, the record
// has no source.
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
	out.Old, _ = os.Lstat(target) // a file exists only with --force
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
		return packed{}, fmt.Errorf("%s: was not removed: %w", s.Name, err)
	}
	if err != nil {
		return packed{}, err
	}
	stays := func(err error) error {
		return fmt.Errorf("%s: was not removed, although %s was written: %w", s.Name, target, term.PlainError(err))
	}
	if err := f.SyncFolder(filepath.Dir(target)); err != nil { // an error also if folders cannot be synced
		return packed{}, stays(err)
	}
	if err := os.Remove(s.Path); err != nil {
		return packed{}, stays(err)
	}
	f.WarnOfLinks(s.Name, before)
	p.Source, p.Output = s.Name, target
	return p, nil
}

// replaceable returns the file's info and the name of its replacement, or an error if it cannot be replaced.
func (f *packing) replaceable(s input.Source) (fs.FileInfo, string, error) {
	switch {
	case s.Err != nil:
		return nil, "", s.Err
	case s.Path == "":
		return nil, "", errors.New("cannot be replaced: --in-place needs files")
	}
	info, err := os.Lstat(s.Path)
	switch {
	case err != nil:
		return nil, "", term.PlainError(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, "", errors.New("is a symbolic link: left unchanged; name its target")
	case !info.Mode().IsRegular():
		return nil, "", errors.New("is not a regular file: left unchanged")
	}
	target, err := f.target(s)
	if err != nil || target == "" {
		return nil, "", err
	}
	if _, err := os.Lstat(target); err == nil && !f.force {
		return nil, "", fmt.Errorf("%s already exists: --force replaces it", target)
	}
	return info, target, nil
}
