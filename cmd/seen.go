package cmd

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// seenFile is a file of the handoff ids that were accepted, one a line. Any
// number of processes may use it at once. It may be renamed, removed or truncated in
// between: what counts is what stands in the file that the path leads to.
type seenFile struct {
	path  string
	known map[[16]byte]struct{} // digests of the ids
	// What is known: the file, how much of it, in bytes, and the end of that.
	file   fs.FileInfo
	offset int64
	tail   []byte
}

// mostTail is how much of a file is compared, in bytes, to see that it is still the one
// that was read.
const mostTail = 4 << 10

func newSeenFile(path string) *seenFile {
	return &seenFile{path: path, known: map[[16]byte]struct{}{}}
}

// accept records ids and returns which of them are new. An id counts as
// accepted only when it is safely on the disk.
func (s *seenFile) accept(ids []string) (fresh []bool, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := inUse.check(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", s.path, plainError(err))
		}
	}()
	f, info, err := openLocked(s.path, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	same, err := s.isFile(f, info)
	if err != nil {
		return nil, err
	}
	if !same {
		s.offset = 0
		clear(s.known)
	}
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
	s.file, s.tail = info, make([]byte, min(s.offset, mostTail))
	_, err = f.ReadAt(s.tail, s.offset-int64(len(s.tail)))
	return fresh, err
}

// isFile reports whether a file is the one that is known, and has only become longer. A
// system may give a new file the identity of one that was removed, and a file that was
// truncated keeps its own: then the end of what is known differs.
func (s *seenFile) isFile(f *lockedfile.File, info fs.FileInfo) (bool, error) {
	if s.file == nil || !os.SameFile(s.file, info) || info.Size() < s.offset {
		return false, nil
	}
	tail := make([]byte, len(s.tail))
	_, err := f.ReadAt(tail, s.offset-int64(len(tail)))
	return bytes.Equal(tail, s.tail), err
}

// read learns what others have added. It ends a line that a crashed process, or
// an editor, has left unfinished.
func (s *seenFile) read(f *lockedfile.File) error {
	if _, err := f.Seek(s.offset, io.SeekStart); err != nil {
		return err
	}
	lines, hash, begun := bufio.NewReader(f), sha256.New(), false
	for {
		part, err := lines.ReadSlice('\n')
		s.offset += int64(len(part))
		hash.Write(bytes.TrimSuffix(part, []byte("\n")))
		begun = begun || len(part) > 0
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		if begun {
			s.known[[16]byte(hash.Sum(nil))] = struct{}{}
		}
		if err == io.EOF && begun {
			_, err = f.WriteAt([]byte("\n"), s.offset)
			s.offset++
			return err
		}
		if err == io.EOF {
			return nil
		}
		hash.Reset()
		begun = false
	}
}

func digest(id string) [16]byte {
	sum := sha256.Sum256([]byte(id))
	return [16]byte(sum[:16])
}
