package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
)

// ClaimAppended claims a file named by a flag for appending.
func (all *Files) ClaimAppended(flag, path string) error {
	target, err := followLinks(path)
	if err != nil {
		return Error(path, err)
	}
	if err := checkRegular(target); err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, err)
	}
	return all.Claims.File(flag+" "+path, target, claim.AsOutput)
}

// checkRegular returns an error if path is not a regular file that can be appended to.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil || regular.Check(info) == nil:
		return nil
	case info.IsDir():
		return errors.New("is a directory")
	default:
		return errors.New("is not a regular file: lines can be appended only to a regular file")
	}
}

// OpenLocked opens a regular file for reading and writing, creating it with mode if necessary, and waits for
// an exclusive lock. The result is the file at path at that time.
func OpenLocked(path string, mode fs.FileMode) (*lockedfile.File, fs.FileInfo, error) {
	for {
		if err := checkRegular(path); err != nil {
			return nil, nil, err
		}
		f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
		if err != nil {
			return nil, nil, err
		}
		mine, err := f.Stat()
		if err == nil {
			// The previous holder of the lock may have renamed or removed the file.
			there, err := os.Stat(path)
			if err == nil && os.SameFile(mine, there) {
				return f, mine, nil
			}
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, nil, err
		}
	}
}

// CheckAppending returns an error if a file cannot be appended to. It creates a missing file.
func CheckAppending(path string) error {
	if err := checkRegular(path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return Error(path, err)
	}
	return f.Close()
}

// AppendLocked appends text to a file. When it returns nil, the text is durably on the disk; after an error
// nothing was appended. Any number of processes may call it concurrently.
func (all *Files) AppendLocked(path string, text []byte) (err error) {
	if err := all.Claims.Check(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: cannot be written: %w", path, term.PlainError(err))
		}
	}()
	f, _, err := OpenLocked(path, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if end > 0 {
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' { // a killed process left an incomplete line
		text = append([]byte{'\n'}, text...)
	}
	return AppendAt(f, text, end)
}

// AppendAt writes text at the end of a file, all of it or nothing, and returns when it is durably on the
// disk.
func AppendAt(f *lockedfile.File, text []byte, end int64) error {
	_, err := f.WriteAt(text, end)
	if err == nil {
		err = f.Sync()
	}
	if err == nil && end == 0 { // a new file's name must be synced
		if err = SyncFolder(filepath.Dir(f.Name())); err != nil && Unsyncable(err) {
			err = nil
		}
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}
