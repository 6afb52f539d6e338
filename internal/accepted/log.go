// Package accepted records the IDs of accepted messages, so that none is accepted twice: a valid message can
// be a replay of an old one.
package accepted

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"strings"
)

// A File is an open file that is locked against all other users.
type File interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
	// Append writes text at offset end, the end of the file: all of it or, on an error, nothing. When it
	// returns nil, the text is durably on the disk.
	Append(text []byte, end int64) error
	// Close releases the lock.
	Close() error
}

// A Log is a file of IDs, one per line. Any number of processes may use it at once. It may be renamed,
// removed or truncated between calls: each call uses the current content of the file that it opens. The
// memory holds only a digest of each ID.
//
// A Log is not safe for concurrent use.
type Log struct {
	open  func() (File, error)
	same  func(a, b fs.FileInfo) bool
	known map[[16]byte]struct{} // digests of the ids
	// The known part of the file: its info, length in bytes, and hash.
	file   fs.FileInfo
	offset int64
	hash   maphash.Hash
}

// NewLog returns a log over the file that open opens or creates. same reports whether two infos describe the
// same file, as os.SameFile does.
func NewLog(open func() (File, error), same func(a, b fs.FileInfo) bool) *Log {
	return &Log{open: open, same: same, known: map[[16]byte]struct{}{}}
}

// Accept records ids and reports for each whether it is new. An ID is accepted only when it is durably on the
// disk. An ID must not be empty or contain a line feed.
func (l *Log) Accept(ids []string) (fresh []bool, err error) {
	for _, id := range ids {
		if id == "" || strings.Contains(id, "\n") {
			return nil, fmt.Errorf("%q cannot be recorded as an id: an id is one line, and not empty", id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	f, err := l.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	grown, err := l.hasGrown(f)
	if err != nil {
		return nil, err
	}
	if !grown {
		l.offset = 0
		l.hash.Reset()
		clear(l.known)
	}
	if err := l.read(f); err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	for _, id := range ids {
		_, known := l.known[digest(id)]
		fresh = append(fresh, !known)
		if !known {
			l.known[digest(id)] = struct{}{}
			fmt.Fprintln(&lines, id)
		}
	}
	if err := f.Append(lines.Bytes(), l.offset); err != nil {
		l.file = nil // the known part differs from the file
		return nil, err
	}
	l.know(lines.Bytes())
	l.file, err = f.Stat()
	return fresh, err
}

// know adds a part of the file to the known part.
func (l *Log) know(part []byte) {
	l.offset += int64(len(part))
	l.hash.Write(part)
}

// hasGrown reports whether a file is the known one and has only become longer. A system may give a new file
// the identity of a removed one, and a truncated file keeps its own, so the whole known part is compared if
// the file has changed.
func (l *Log) hasGrown(f File) (bool, error) {
	info, err := f.Stat()
	if err != nil || l.file == nil || !l.same(l.file, info) || info.Size() < l.offset {
		return false, err
	}
	if info.Size() == l.offset && info.ModTime().Equal(l.file.ModTime()) {
		return true, nil
	}
	var hash maphash.Hash
	hash.SetSeed(l.hash.Seed())
	_, err = io.Copy(&hash, io.NewSectionReader(f, 0, l.offset))
	return hash.Sum64() == l.hash.Sum64(), err
}

// read reads the IDs that other processes have added. It completes a line that a crashed process or an editor
// has left unfinished.
func (l *Log) read(f File) error {
	lines, hash, begun := bufio.NewReader(io.NewSectionReader(f, l.offset, math.MaxInt64-l.offset)), sha256.New(), false
	for {
		part, err := lines.ReadSlice('\n')
		l.know(part)
		hash.Write(bytes.TrimSuffix(part, []byte("\n")))
		begun = begun || len(part) > 0
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		if begun {
			l.known[[16]byte(hash.Sum(nil))] = struct{}{}
		}
		if err == io.EOF && begun {
			err = f.Append([]byte("\n"), l.offset)
			l.know([]byte("\n"))
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
