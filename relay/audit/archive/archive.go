// Package archive moves the messages of old audit records to files (EAAPL-MAG006, section 9, "cold storage"),
// reads these files, and removes old records.
//
// A file is a zstd stream: the compressed messages one after the other, as they were in the log, then a
// skippable frame with an index. It is written once, and named after its first and last record. docs/audit.md
// describes it byte for byte.
package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/durable"
)

const (
	// skippable is the magic number of the index frame (RFC 8878, section 3.1.2).
	skippable  = 0x184D2A5A
	entrySize  = 8 + 8 + 4
	magic      = "handoff1"
	footerSize = 4 + len(magic)
	// maxFrames keeps the index of a file below 2 MB.
	maxFrames = 1 << 16
)

// Name returns the name of the file for the messages of the records from first to last.
func Name(first, last int64) string { return fmt.Sprintf("messages-%012d-%012d.zst", first, last) }

// A writer writes one file.
type writer struct {
	file  *os.File
	out   *bufio.Writer
	sum   hash.Hash
	size  int64
	index []byte
}

func newWriter(directory string) (*writer, error) {
	f, err := os.CreateTemp(directory, ".messages-*")
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	return &writer{file: f, out: bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<18), sum: sum}, nil
}

func (w *writer) frames() int { return len(w.index) / entrySize }

func (w *writer) add(sequence int64, frame []byte) error {
	w.index = binary.LittleEndian.AppendUint64(w.index, uint64(sequence))
	w.index = binary.LittleEndian.AppendUint64(w.index, uint64(w.size))
	w.index = binary.LittleEndian.AppendUint32(w.index, uint32(len(frame)))
	w.size += int64(len(frame))
	_, err := w.out.Write(frame)
	return err
}

// finish makes the file durable under its name, and returns its SHA-256.
func (w *writer) finish(path string) (audit.Hash, error) {
	tail := binary.LittleEndian.AppendUint32(nil, skippable)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(w.index)+footerSize))
	tail = append(tail, w.index...)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(w.frames()))
	tail = append(tail, magic...)
	_, err := w.out.Write(tail)
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err := errors.Join(err, w.file.Close()); err != nil {
		return audit.Hash{}, err
	}
	if err := os.Rename(w.file.Name(), path); err != nil {
		return audit.Hash{}, err
	}
	return audit.Hash(w.sum.Sum(nil)), durable.SyncFolder(filepath.Dir(path))
}

// abandon removes the unfinished file.
func (w *writer) abandon() {
	w.file.Close()
	os.Remove(w.file.Name())
}

// A DamagedError reports that a file was changed or truncated.
type DamagedError struct{ File, Problem string }

func (e *DamagedError) Error() string { return e.File + ": " + e.Problem }

// A File is an archive file.
type File struct {
	f       *regular.File
	start   int64 // offset of the index
	entries int
}

// Open opens a file for reading until ctx is done. The error is a [*DamagedError] if it is not an archive
// file, or incomplete.
func Open(ctx context.Context, path string) (*File, error) {
	f, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := read(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file, nil
}

func open(ctx context.Context, path string) (*regular.File, error) {
	f, err := regular.OpenWithin(ctx, path)
	if errors.Is(err, regular.ErrNot) {
		return nil, &DamagedError{path, "it is not a regular file"}
	}
	return f, err
}

func read(f *regular.File) (*File, error) {
	damaged := &DamagedError{f.Name(), "it is not a complete file of messages"}
	footer, head := make([]byte, footerSize), make([]byte, 8)
	if f.Size() < int64(footerSize+len(head)) {
		return nil, damaged
	}
	if _, err := f.ReadAt(footer, f.Size()-int64(footerSize)); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(footer))
	start := f.Size() - int64(footerSize) - n*entrySize
	if string(footer[4:]) != magic || n > maxFrames || start < int64(len(head)) {
		return nil, damaged
	}
	if _, err := f.ReadAt(head, start-int64(len(head))); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(head) != skippable {
		return nil, damaged
	}
	return &File{f, start, int(n)}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// entry returns an entry of the index.
func (f *File) entry(i int) (sequence, offset int64, length int, err error) {
	var b [entrySize]byte
	if _, err := f.f.ReadAt(b[:], f.start+int64(i)*entrySize); err != nil {
		return 0, 0, 0, err
	}
	sequence, offset = int64(binary.LittleEndian.Uint64(b[:])), int64(binary.LittleEndian.Uint64(b[8:]))
	length = int(binary.LittleEndian.Uint32(b[16:]))
	if offset < 0 || offset+int64(length) > f.start-8 {
		return 0, 0, 0, &DamagedError{f.f.Name(), "its index was changed"}
	}
	return sequence, offset, length, nil
}

// Each calls use with the messages of the records from first up to, but not including, end.
func (f *File) Each(first, end int64, use func(sequence int64, frame []byte) error) (err error) {
	at := sort.Search(f.entries, func(i int) bool {
		sequence, _, _, failed := f.entry(i)
		err = errors.Join(err, failed)
		return sequence >= first
	})
	for ; err == nil && at < f.entries; at++ {
		sequence, offset, length, err := f.entry(at)
		if err != nil {
			return err
		}
		if sequence >= end {
			break
		}
		frame := make([]byte, length)
		if _, err := f.f.ReadAt(frame, offset); err != nil {
			return err
		}
		if err := use(sequence, frame); err != nil {
			return err
		}
	}
	return err
}

// Check reads a whole file, until ctx is done, and compares its digest with the recorded one.
func Check(ctx context.Context, path string, want audit.Hash) error {
	f, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close() // read only
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, math.MaxInt64)); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want[:]) {
		return &DamagedError{path, "its SHA-256 differs from the one in the log"}
	}
	return nil
}
