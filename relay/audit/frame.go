package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/compress/dictionary"
)

// A ChangedError says that the message beside a record was changed or removed.
type ChangedError struct{ Sequence int64 }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the message beside record %d is not the one that was recorded: handoff audit verify says more", e.Sequence)
}

// An UnreadableError says that the message beside a record cannot be read, where the rest of the
// log can.
type UnreadableError struct {
	Sequence int64
	Path     string // of the archive file that has the message, "" if it was not moved to one
	Err      error  // why, without the path
}

func (e *UnreadableError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("record %d: %v", e.Sequence, e.Err)
	}
	return fmt.Sprintf("the message beside record %d is in the archive: %s: %v", e.Sequence, e.Path, e.Err)
}

func (e *UnreadableError) Unwrap() error { return e.Err }

// CheckFrame returns a [*ChangedError] if a frame is not the one that was recorded.
func (s *Stored) CheckFrame(frame []byte) error {
	if sha256.Sum256(frame) != s.FrameDigest {
		return &ChangedError{s.Sequence}
	}
	return nil
}

// frameLevel is zstd's that every accepted message waits for.
const frameLevel = 1

// frames is one for all of a process: each would hold tables of some megabytes.
var frames = sync.OnceValue(func() *compress.Encoder {
	e, err := compress.NewEncoder(compress.EncoderOptions{Codec: compress.Zstd, Level: frameLevel, Dictionary: dictionary.Builtin()})
	if err != nil {
		panic(err) // nothing of it is anybody's choice
	}
	return e
})

// AppendFrame appends to dst a message, compressed as it is kept beside a record (section 9).
func AppendFrame(dst, message []byte) []byte { return frames().Append(dst, message) }

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
