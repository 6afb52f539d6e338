package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/eaapl/handoff/pkg/compress"
)

// CheckFrame returns an error if a frame is not the one that was recorded.
func (s *Stored) CheckFrame(frame []byte) error {
	if sha256.Sum256(frame) != s.FrameDigest {
		return fmt.Errorf("the message beside record %d is not the one that was recorded: handoff audit verify says more", s.Sequence)
	}
	return nil
}

// ReadFrame returns the message that a frame beside a record holds, of at most limit bytes.
func ReadFrame(frame []byte, limit int64) ([]byte, error) {
	r := compress.NewReader(bytes.NewReader(frame), compress.ReaderOptions{MaxBytes: limit, MaxRatio: -1})
	defer r.Close() // read only
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("the message in the audit log cannot be read: %w", err)
	}
	return text, nil
}
