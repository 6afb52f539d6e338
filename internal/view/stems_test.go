package view

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/textscan"
)

// TestStems checks the assumptions of the search for disguised stems about the list, and that each
// stem is found at every place.
func TestStems(t *testing.T) {
	if n := len(disguisedStems().needles); n > 1<<8 {
		t.Fatalf("%d buckets do not fit a byte", n)
	}
	for _, stem := range stems {
		if len(stem) < stemLen || len(stem) > maxStem {
			t.Errorf("%q does not have %d to %d letters", stem, stemLen, maxStem)
		}
		for pad := range textscan.BlockLen + stride {
			before := strings.Repeat(".", pad)
			if text := before + rot13(stem); look(text, 0)&signRotated == 0 {
				t.Errorf("rotated %q not found after %d bytes", stem, pad)
			}
			if text := before + strings.ToUpper(reverse(stem)); look(text, 0)&signReversed == 0 {
				t.Errorf("reversed %q not found after %d bytes", stem, pad)
			}
		}
	}
}
