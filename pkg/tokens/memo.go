package tokens

// A memo caches the counts of earlier pieces: most words recur soon, and a lookup in the vocabulary
// costs several times as much. It is not safe for concurrent use.
type memo [1 << memoBits]struct {
	low, high uint64 // see ends
	length    uint32 // 0 if there is no piece
	tokens    uint32
}

const (
	memoBits = 12
	// maxKnown is the maximum length in bytes of a piece that ends determines completely.
	maxKnown = 16
)

// countKnown returns the number of tokens of a piece, from the memo if possible.
func countKnown(m *memo, v *vocabulary, s string) int {
	if len(s) == 1 || len(s) > maxKnown {
		return countPiece(v, s)
	}
	low, high := ends(s)
	const k, l = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	place := &m[((low^uint64(len(s)))*k+high*l)>>(64-memoBits)]
	if place.low != low || place.high != high || place.length != uint32(len(s)) {
		place.low, place.high, place.length = low, high, uint32(len(s))
		place.tokens = uint32(countPiece(v, s))
	}
	return int(place.tokens)
}

// ends returns all bytes of a piece of 2 to maxKnown bytes: its first and its last eight, or four,
// which may overlap. Together with its length they identify the piece.
func ends(s string) (low, high uint64) {
	n := len(s)
	switch {
	case n >= 8:
		return load8(s[:8]), load8(s[n-8:])
	case n >= 4:
		return uint64(load4(s[:4])), uint64(load4(s[n-4:]))
	default:
		return uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16, 0
	}
}

func load8(s string) uint64 { return uint64(load4(s[:4])) | uint64(load4(s[4:]))<<32 }

func load4(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
