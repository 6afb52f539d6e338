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

// Limits bound the size and depth of a document. The zero value means the defaults.
type Limits struct {
	// MaxBytes is the maximum length of a document, in bytes, after decompression; 0 means DefaultMaxBytes.
	// In JSON Lines it bounds each line, and the document may be 16 times as long. No document is ever
	// longer than 4 GiB.
	MaxBytes int64
	// MaxDepth is the maximum nesting of objects and arrays; 0 means DefaultMaxDepth. Larger values than
	// the constant MaxDepth mean that constant.
	MaxDepth int
}

// Unlimited returns limits for a text that is already in memory: only the bounds of the package apply.
func Unlimited() Limits { return Limits{MaxBytes: math.MaxUint32, MaxDepth: MaxDepth} }

func (l Limits) maxBytes() int64 {
	if l.MaxBytes <= 0 {
		return DefaultMaxBytes
	}
	return min(l.MaxBytes, math.MaxUint32)
}

// linesFactor is the maximum length of JSON Lines as a multiple of MaxBytes.
const linesFactor = 16

// maxLinesBytes is the maximum length of all lines of a document together.
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
