package cmd

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/eaapl/handoff/cmd/internal/claim"
	"github.com/eaapl/handoff/cmd/internal/output"
	"github.com/eaapl/handoff/cmd/internal/term"
)

// seenFile is a file of the handoff ids that were accepted, one a line. Any
// number of processes may use it at once. It may be renamed, removed or truncated in
// between: what counts is what stands in the file that the path leads to.
type seenFile struct {
	path   string
	claims *claim.Set
	known  map[[16]byte]struct{} // digests of the ids
	// What is known: the file, how much of it, in bytes, and the hash of that.
	file   fs.FileInfo
	offset int64
	hash   maphash.Hash
}

func newSeenFile(path string, claims *claim.Set) *seenFile {
	return &seenFile{path: path, claims: claims, known: map[[16]byte]struct{}{}}
}

// accept records ids and returns which of them are new. An id counts as
// accepted only when it is safely on the disk.
func (s *seenFile) accept(ids []string) (fresh []bool, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := s.claims.Check(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", s.path, term.PlainError(err))
		}
	}()
	f, info, err := output.OpenLocked(s.path, 0o600)
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
		s.hash.Reset()
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
	if err := output.AppendAt(f, lines.Bytes(), s.offset); err != nil {
		return nil, err
	}
	s.know(lines.Bytes())
	s.file, err = f.Stat()
	return fresh, err
}

// know adds a part of the file to what is known.
func (s *seenFile) know(part []byte) {
	s.offset += int64(len(part))
	s.hash.Write(part)
}

// isFile reports whether a file is the one that is known, and has only become longer. A
// system may give a new file the identity of one that was removed, and a file that was
// truncated keeps its own: so all that is known is compared, if anybody has written since.
func (s *seenFile) isFile(f *lockedfile.File, info fs.FileInfo) (bool, error) {
	if s.file == nil || !os.SameFile(s.file, info) || info.Size() < s.offset {
		return false, nil
	}
	if info.Size() == s.offset && info.ModTime().Equal(s.file.ModTime()) {
		return true, nil
	}
	var hash maphash.Hash
	hash.SetSeed(s.hash.Seed())
	_, err := io.Copy(&hash, io.NewSectionReader(f, 0, s.offset))
	return hash.Sum64() == s.hash.Sum64(), err
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
		s.know(part)
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
			s.know([]byte("\n"))
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
