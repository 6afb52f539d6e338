package tokens

import (
	"testing"

	"pgregory.net/rapid"
)

// TestMemo compares counts with those without a memo, for pieces of which many share most of their
// bytes.
func TestMemo(t *testing.T) {
	v := o200k()
	m := new(memo)
	piece := rapid.StringOfN(rapid.SampledFrom([]rune("ab \u00e9中")), 1, 2*maxKnown, 2*maxKnown)
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range rapid.SliceOfN(piece, 1, 40).Draw(t, "pieces") {
			for range 2 {
				if got, want := countKnown(m, v, s), countPiece(v, s); got != want {
					t.Fatalf("%q: got %d tokens, want %d", s, got, want)
				}
			}
		}
	})
}

// TestEnds checks that ends covers all bytes of a piece.
func TestEnds(t *testing.T) {
	for n := 2; n <= maxKnown; n++ {
		piece := make([]byte, n)
		low, high := ends(string(piece))
		for i := range piece {
			piece[i] = 1
			if a, b := ends(string(piece)); a == low && b == high {
				t.Errorf("byte %d of %d does not count", i, n)
			}
			piece[i] = 0
		}
	}
}
