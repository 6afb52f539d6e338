package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// A Spool keeps what is to be read or written later: little of it in memory, more in a temporary
// file, which no run leaves behind where an open file can be removed. The zero Spool is empty.
type Spool struct {
	memory bytes.Buffer
	file   *os.File
}

// maxInMemory is how much of a Spool is in memory, in bytes.
const maxInMemory = 4 << 20

// Write adds to what is kept.
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
		_ = os.Remove(f.Name()) // Windows refuses: close does it there
		if _, err := s.memory.WriteTo(f); err != nil {
			return 0, err
		}
	}
	return s.file.Write(p)
}

// ReadAt reads what was kept, from an offset on.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes()).ReadAt(p, offset)
	}
	return s.file.ReadAt(p, offset)
}

// copyTo writes out all that was kept.
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

// Close removes what is kept.
func (s *Spool) Close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
