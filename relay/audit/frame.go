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

// A ChangedError reports that a record's message was changed or removed.
type ChangedError struct{ Sequence int64 }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the message beside record %d is not the recorded one: run handoff audit verify", e.Sequence)
}

// An UnreadableError reports that a record's message cannot be read, although the log can.
type UnreadableError struct {
	Sequence int64
	Path     string // archive file of the message, "" if it was not moved
	Err      error  // the cause, without the path
}

func (e *UnreadableError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("record %d: %v", e.Sequence, e.Err)
	}
	return fmt.Sprintf("the message beside record %d is in the archive: %s: %v", e.Sequence, e.Path, e.Err)
}

func (e *UnreadableError) Unwrap() error { return e.Err }

// CheckFrame returns a [*ChangedError] if the digest of a frame differs from the recorded one.
func (s *Stored) CheckFrame(frame []byte) error {
	if sha256.Sum256(frame) != s.FrameDigest {
		return &ChangedError{s.Sequence}
	}
	return nil
}

// frameLevel is the zstd level. Compression delays each acceptance.
const frameLevel = 1

// frames is the only encoder of the process: each has tables of some megabytes.
var frames = sync.OnceValue(func() *compress.Encoder {
	e, err := compress.NewEncoder(compress.EncoderOptions{Codec: compress.Zstd, Level: frameLevel, Dictionary: dictionary.Builtin()})
	if err != nil {
		panic(err) // all options are constant
	}
	return e
})

// AppendFrame appends a message to dst, compressed as in the log (section 9).
func AppendFrame(dst, message []byte) []byte { return frames().Append(dst, message) }

// ReadFrame returns the message in a frame, at most limit bytes long.
func ReadFrame(frame []byte, limit int64) ([]byte, error) {
	r := compress.NewReader(bytes.NewReader(frame), compress.ReaderOptions{MaxBytes: limit, MaxRatio: -1})
	defer r.Close() // read only
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("the message in the audit log cannot be read: %w", err)
	}
	return text, nil
}
