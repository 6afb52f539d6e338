package view

import (
	"strings"
	"testing"
)

// TestStems holds what the search for disguised stems takes for granted of the list, and
// finds each of them at every place.
func TestStems(t *testing.T) {
	if n := len(disguisedStems().needles); n > 1<<8 {
		t.Fatalf("%d buckets do not fit a byte", n)
	}
	for _, stem := range stems {
		if len(stem) < stemLen || len(stem) > maxStem {
			t.Errorf("%q does not have %d to %d letters", stem, stemLen, maxStem)
		}
		for pad := range 2 * stride {
			before := strings.Repeat(".", pad)
			if text := before + rot13(stem); !disguisedStems().seek(text, 0, len(text))[rotated] {
				t.Errorf("rotated %q not found after %d bytes", stem, pad)
			}
			if text := before + strings.ToUpper(reverse(stem)); !disguisedStems().seek(text, 0, len(text))[reversed] {
				t.Errorf("reversed %q not found after %d bytes", stem, pad)
			}
		}
	}
}
