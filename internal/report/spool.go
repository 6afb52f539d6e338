package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// A Spool buffers data to be read or written later: a little in memory, more in a temporary file. No run
// leaves the file behind on systems that can remove an open file. The zero Spool is empty.
type Spool struct {
	memory bytes.Buffer
	file   *os.File
}

// maxInMemory is the maximum number of bytes in memory.
const maxInMemory = 4 << 20

// Write appends p to the data.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) <= maxInMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "handoff-report-*")
		if err != nil {
			return 0, err
		}
		s.file = f
		_ = os.Remove(f.Name()) // fails on Windows: Close removes it there
		if _, err := s.memory.WriteTo(f); err != nil {
			return 0, err
		}
	}
	return s.file.Write(p)
}

// ReadAt reads the data from an offset on.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes()).ReadAt(p, offset)
	}
	return s.file.ReadAt(p, offset)
}

// copyTo writes all data to w.
func (s *Spool) copyTo(w io.Writer) error {
	if s.file == nil {
		_, err := s.memory.WriteTo(w)
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading the temporary file of the report: %w", err)
	}
	_, err := io.Copy(w, s.file)
	return err
}

// Close discards the data.
func (s *Spool) Close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
