package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/pkg/trim"
)

// appendLocked appends to a file what is safely on the disk when it returns. Any
// number of processes may do so at once; after an error nothing was appended.
func appendLocked(path string, text []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: cannot be written: %w", path, plainError(err))
		}
	}()
	f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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
	if last[0] != '\n' { // a process that was killed left half a line
		text = append([]byte{'\n'}, text...)
	}
	return appendAt(f, text, end)
}

// appendAt writes text at the end of a file, all of it or nothing, and returns when
// it is safely on the disk.
func appendAt(f *lockedfile.File, text []byte, end int64) error {
	if _, err := f.WriteAt(text, end); err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return f.Sync()
}

// A trimArchive finds the entries of an archive that trim has written, without
// holding them in memory.
type trimArchive struct {
	file    *os.File
	entries map[string][]span // by their digests, in the order of the file
}

// A span is where a line stands in a file, in bytes.
type span struct{ offset, length int64 }

func openArchive(path string) (*trimArchive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plainError(err))
	}
	a := &trimArchive{f, map[string][]span{}}
	if err := a.index(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, plainError(err)), f.Close())
	}
	return a, nil
}

func (a *trimArchive) close() { a.file.Close() } // read only: nothing can be lost

// index learns where the entries are. A line that is none is of another program,
// or was not written to its end.
func (a *trimArchive) index() error {
	lines := bufio.NewReaderSize(a.file, 1<<20)
	var offset int64
	for {
		start, sum, length := offset, "", int64(0)
		for first := true; ; first = false {
			part, err := lines.ReadSlice('\n')
			length += int64(len(part))
			if first {
				sum = trim.EntryDigest(part)
			}
			if err == bufio.ErrBufferFull {
				continue
			}
			if err == io.EOF {
				return nil // what ends without a line end was cut off
			}
			if err != nil {
				return err
			}
			break
		}
		offset += length
		if sum != "" {
			a.entries[sum] = append(a.entries[sum], span{start, length})
		}
	}
}

// find returns the entry with a digest for the message with this handoffId, the
// latest if there are several; nil if there is none.
func (a *trimArchive) find(sum, handoffID string) (*trim.Entry, error) {
	spans := a.entries[sum]
	for i := len(spans) - 1; i >= 0; i-- {
		line := make([]byte, spans[i].length)
		if _, err := a.file.ReadAt(line, spans[i].offset); err != nil {
			return nil, plainError(err)
		}
		entry, err := trim.ParseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("the archive was changed: %w", err)
		}
		if entry.HandoffID == handoffID {
			return entry, nil
		}
	}
	return nil, nil
}
