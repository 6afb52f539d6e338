package chunked

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A Reason says what is wrong with a stream.
type Reason string

// The reasons.
const (
	Malformed Reason = "malformed" // what came is no chunk
	Forged    Reason = "forged"    // its signature is missing, or does not hold
	Foreign   Reason = "foreign"   // it does not continue this stream
	Lost      Reason = "lost"      // chunks before it did not come
	Reordered Reason = "reordered" // it came after chunks that follow it
	Repeated  Reason = "repeated"  // a chunk of its number, with another content, came before
	Invalid   Reason = "invalid"   // the message so far, or what is appended, is not valid
	Changed   Reason = "changed"   // the message is not the one that the last chunk names
	CutOff    Reason = "cut-off"   // its last chunk did not come
	Expired   Reason = "expired"   // nor did it in time
	TooLarge  Reason = "too-large" // it takes more than the bounds of the receiver
)

// A Fault says what is wrong with a stream, or with a chunk.
type Fault struct {
	Reason   Reason
	Stream   string // "" if what came does not say
	Sequence int    // of the chunk that came, -1 if none did or it does not say
	Expected string // in words
	Found    string
	// Ended: nothing more of the stream is taken, unless it is sent again from its first
	// chunk, and what was begun is to be rolled back. Otherwise only this chunk is not taken.
	Ended bool
	// Result says why what came is Invalid.
	Result validate.Result
	// Position is where in the input the fault is, zero if nowhere.
	jsonstream.Position
	Err error // the cause, or nil
}

// Error gives the stream, the chunk, what was expected and what came; not the position.
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
