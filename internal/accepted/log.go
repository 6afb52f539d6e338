// Package accepted remembers which messages were accepted, by their ids, so that none is
// accepted twice: a valid message can be an old one that was sent again.
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

// A File is a file that is open, and locked against all other users.
type File interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
	// Append writes text at offset end, which is the end of the file: all of it or, with
	// an error, nothing. When it returns, the text is safely on the disk.
	Append(text []byte, end int64) error
	// Close releases the lock.
	Close() error
}

// A Log is a file of ids, one a line. Any number of processes may use it at once. It may
// be renamed, removed or truncated in between: what counts is what is in the file that
// is opened. Of each id no more than a digest is held in memory.
//
// A Log is for one goroutine at a time.
type Log struct {
	open  func() (File, error)
	same  func(a, b fs.FileInfo) bool
	known map[[16]byte]struct{} // digests of the ids
	// What is known: the file, how much of it, in bytes, and the hash of that.
	file   fs.FileInfo
	offset int64
	hash   maphash.Hash
}

// NewLog returns a log over the file that open opens, and creates if it is not there. same
// reports whether two descriptions are of one file, as os.SameFile does.
func NewLog(open func() (File, error), same func(a, b fs.FileInfo) bool) *Log {
	return &Log{open: open, same: same, known: map[[16]byte]struct{}{}}
}

// Accept records ids and returns which of them are new. An id counts as accepted only when
// it is safely on the disk. An id is not empty and has no line feed.
func (l *Log) Accept(ids []string) (fresh []bool, err error) {
	for _, id := range ids {
		if id == "" || strings.Contains(id, "\n") {
			return nil, fmt.Errorf("%q cannot be recorded as an id: it is empty, or not one line", id)
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
		l.file = nil // what is known is not what was recorded
		return nil, err
	}
	l.know(lines.Bytes())
	l.file, err = f.Stat()
	return fresh, err
}

// know adds a part of the file to what is known.
func (l *Log) know(part []byte) {
	l.offset += int64(len(part))
	l.hash.Write(part)
}

// hasGrown reports whether a file is the one that is known, and has only become longer. A
// system may give a new file the identity of one that was removed, and a file that was
// truncated keeps its own: so all that is known is compared, if anybody has written since.
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

// read learns what others have added. It ends a line that a crashed process, or
// an editor, has left unfinished.
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
