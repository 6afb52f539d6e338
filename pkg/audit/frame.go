package audit

import (
	"bytes"
	"fmt"
	"io"

	"github.com/eaapl/handoff/pkg/compress"
)

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
