package jsonstream

import "math"

const (
	// DefaultMaxBytes is the default of [Limits].MaxBytes: 64 MiB.
	DefaultMaxBytes = 64 << 20
	// DefaultMaxDepth is the default of [Limits].MaxDepth.
	DefaultMaxDepth = 512
	// MaxDepth is the maximum of [Limits].MaxDepth.
	MaxDepth = 10_000
)

// Limits bound what one document may cost. The zero value means the defaults.
type Limits struct {
	// MaxBytes is the maximum length of a document, in bytes, after decompression; 0
	// means DefaultMaxBytes. Of a document that is JSON Lines, it bounds each line; all of
	// them may have 16 times as many bytes. No document is ever longer than 4 GiB.
	MaxBytes int64
	// MaxDepth is how many objects and arrays may be nested; 0 means
	// DefaultMaxDepth. It is never more than MaxDepth.
	MaxDepth int
}

// Unlimited returns limits for a text that is in memory already, whose cost has been
// accepted: only the bounds of the package hold.
func Unlimited() Limits { return Limits{MaxBytes: math.MaxUint32, MaxDepth: MaxDepth} }

func (l Limits) maxBytes() int64 {
	if l.MaxBytes <= 0 {
		return DefaultMaxBytes
	}
	return min(l.MaxBytes, math.MaxUint32)
}

// linesFactor is how many times as long as any other document JSON Lines may be.
const linesFactor = 16

// maxLinesBytes is maxBytes for all lines of a document together.
func (l Limits) maxLinesBytes() int64 {
	return min(l.maxBytes(), math.MaxUint32/linesFactor) * linesFactor
}

// boundOf returns the maximum length of a document.
func (l Limits) boundOf(raw Raw) int64 {
	if raw.Lines {
		return l.maxLinesBytes()
	}
	return l.maxBytes()
}

func (l Limits) maxDepth() int {
	if l.MaxDepth <= 0 {
		return DefaultMaxDepth
	}
	return min(l.MaxDepth, MaxDepth)
}
