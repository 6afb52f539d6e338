package chunked

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Reason is the reason for a [Fault].
type Reason string

// The reasons.
const (
	Malformed Reason = "malformed" // not a chunk
	Forged    Reason = "forged"    // the signature is missing or wrong
	Foreign   Reason = "foreign"   // the chunk does not continue this stream
	Lost      Reason = "lost"      // earlier chunks are missing
	Reordered Reason = "reordered" // the chunk arrived after later ones
	Repeated  Reason = "repeated"  // another chunk has the same sequence number
	Invalid   Reason = "invalid"   // the message so far, or an addition, is not valid
	Changed   Reason = "changed"   // the message does not match the digest of the last chunk
	CutOff    Reason = "cut-off"   // the last chunk is missing
	Expired   Reason = "expired"   // the last chunk is late
	TooLarge  Reason = "too-large" // the stream exceeds the receiver's limits
)

// A Fault is an error in a stream or a chunk.
type Fault struct {
	Reason   Reason
	Stream   string // "" if unknown
	Sequence int    // of the chunk, -1 if there is none or it has no number
	Expected string // in words
	Found    string
	// Ended reports that the stream has ended: the caller rolls back any work begun with it, and
	// nothing more is taken unless the stream is sent again from its first chunk. Otherwise only
	// this chunk is dropped.
	Ended bool
	// Result has the findings, if the reason is Invalid.
	Result validate.Result
	// Position is the position of the fault in the input, zero if there is none.
	jsonstream.Position
	Err error // the cause, or nil
}

// Error returns the stream, the chunk, and the expected and actual input, without the position.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Stream != "" {
		fmt.Fprintf(&b, "stream %s, ", f.Stream)
	}
	if f.Sequence >= 0 {
		fmt.Fprintf(&b, "chunk %d: ", f.Sequence)
	} else if f.Stream != "" {
		b.WriteString("at its end: ")
	}
	fmt.Fprintf(&b, "%s: expected %s, found %s", f.Reason, f.Expected, f.Found)
	return b.String()
}

func (f *Fault) Unwrap() error { return f.Err }
