package cmd

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// seenFile is a file of the handoff ids that were accepted, one a line. Any
// number of processes may use it at once.
type seenFile struct {
	path  string
	known map[[16]byte]struct{} // digests of the ids up to offset
	// offset is how much of the file is known, in bytes.
	offset int64
}

func newSeenFile(path string) *seenFile {
	return &seenFile{path: path, known: map[[16]byte]struct{}{}}
}

// accept records ids and returns which of them are new. An id counts as
// accepted only when it is safely on the disk.
func (s *seenFile) accept(ids []string) (fresh []bool, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", s.path, plainError(err))
		}
	}()
	f, err := lockedfile.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := s.read(f); err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	for _, id := range ids {
		_, known := s.known[digest(id)]
		fresh = append(fresh, !known)
		if !known {
			s.known[digest(id)] = struct{}{}
			fmt.Fprintln(&lines, id)
		}
	}
	if err := appendAt(f, lines.Bytes(), s.offset); err != nil {
		return nil, err
	}
	s.offset += int64(lines.Len())
	return fresh, nil
}

// read learns what others have added. It ends a line that a crashed process, or
// an editor, has left unfinished.
func (s *seenFile) read(f *lockedfile.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < s.offset { // somebody has begun a new one
		s.offset = 0
		clear(s.known)
	}
	if _, err := f.Seek(s.offset, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		s.offset += int64(len(line))
		if line != "" {
			s.known[digest(strings.TrimSuffix(line, "\n"))] = struct{}{}
		}
		if err == nil {
			continue
		}
		if line != "" {
			_, err = f.WriteAt([]byte("\n"), s.offset)
			s.offset++
			return err
		}
		return nil
	}
}

func digest(id string) [16]byte {
	sum := sha256.Sum256([]byte(id))
	return [16]byte(sum[:16])
}
