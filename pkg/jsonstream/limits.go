package jsonstream

import "math"

const (
	// DefaultMaxBytes is the size of the largest document read by default: 64 MiB.
	DefaultMaxBytes = 64 << 20
	// DefaultMaxDepth is the deepest nesting read by default.
	DefaultMaxDepth = 512
	// MaxDepth is the deepest nesting that can be read at all.
	MaxDepth = 10_000
)

// Limits bound what one document may cost. The zero value means the defaults.
type Limits struct {
	// MaxBytes is the length of the longest document, in bytes, after
	// decompression; 0 means DefaultMaxBytes. No document is ever longer than
	// 4 GiB.
	MaxBytes int64
	// MaxDepth is how many objects and arrays may be nested; 0 means
	// DefaultMaxDepth. It is never more than MaxDepth.
	MaxDepth int
}

// Unlimited returns limits for a text that is at hand already and whose cost has
// been accepted: it is bounded by what can be read at all.
func Unlimited() Limits { return Limits{MaxBytes: math.MaxUint32, MaxDepth: MaxDepth} }

func (l Limits) maxBytes() int64 {
	if l.MaxBytes <= 0 {
		return DefaultMaxBytes
	}
	return min(l.MaxBytes, math.MaxUint32)
}

func (l Limits) maxDepth() int {
	if l.MaxDepth <= 0 {
		return DefaultMaxDepth
	}
	return min(l.MaxDepth, MaxDepth)
}
