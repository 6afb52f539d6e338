package message

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrTraceparent reports a traceparent that is invalid by W3C Trace Context (section 3.2).
var ErrTraceparent = errors.New("not a valid W3C traceparent")

// A Traceparent is the value of a W3C Trace Context traceparent header
// (level 1, section 3.2).
type Traceparent struct {
	TraceID  [16]byte // not all zero
	ParentID [8]byte  // not all zero: the sender's span
	Flags    byte     // bit 0: sampled
}

// ParseTraceparent parses a traceparent of version 00, or the fields of version 00 in a later version. The
// error wraps [ErrTraceparent].
func ParseTraceparent(s string) (Traceparent, error) {
	var version [1]byte
	var flags [1]byte
	var t Traceparent
	fields := strings.SplitN(s, "-", 5)
	if len(fields) < 4 || strings.ToLower(s[:min(len(s), 55)]) != s[:min(len(s), 55)] {
		return Traceparent{}, fmt.Errorf("%w: want version-traceid-parentid-flags in lower-case hexadecimal", ErrTraceparent)
	}
	for i, dst := range [][]byte{version[:], t.TraceID[:], t.ParentID[:], flags[:]} {
		if n, err := hex.Decode(dst, []byte(fields[i][:min(len(fields[i]), 2*len(dst))])); err != nil || n != len(dst) || len(fields[i]) != 2*len(dst) {
			return Traceparent{}, fmt.Errorf("%w: field %d is not %d hexadecimal digits", ErrTraceparent, i+1, 2*len(dst))
		}
	}
	t.Flags = flags[0]
	switch {
	case version[0] == 0xff:
		return Traceparent{}, fmt.Errorf("%w: version ff is invalid", ErrTraceparent)
	case version[0] == 0 && len(fields) != 4:
		return Traceparent{}, fmt.Errorf("%w: version 00 has exactly four fields", ErrTraceparent)
	case t.TraceID == [16]byte{} || t.ParentID == [8]byte{}:
		return Traceparent{}, fmt.Errorf("%w: an all-zero id is invalid", ErrTraceparent)
	}
	return t, nil
}

// NewTraceparent starts a trace, not sampled, with IDs read from random.
func NewTraceparent(random io.Reader) (Traceparent, error) {
	var t Traceparent
	if err := readNonZero(random, t.TraceID[:]); err != nil {
		return Traceparent{}, err
	}
	return t.Child(random)
}

// Child returns a new span of the same trace: it keeps the trace-id and flags, and reads the parent-id from
// random.
func (t Traceparent) Child(random io.Reader) (Traceparent, error) {
	err := readNonZero(random, t.ParentID[:])
	return t, err
}

// readNonZero fills id from random; an all-zero id is invalid.
func readNonZero(random io.Reader, id []byte) error {
	if _, err := io.ReadFull(random, id); err != nil {
		return fmt.Errorf("making a trace id: %w", err)
	}
	for _, b := range id {
		if b != 0 {
			return nil
		}
	}
	id[len(id)-1] = 1
	return nil
}

// String returns the header value, in version 00.
func (t Traceparent) String() string {
	return fmt.Sprintf("00-%x-%x-%02x", t.TraceID, t.ParentID, t.Flags)
}
