package view

import (
	"testing"
	"unicode"
)

// TestIgnorable derives the property as DerivedCoreProperties.txt does: from
// Other_Default_Ignorable_Code_Point, the format characters and the variation selectors, without
// white space, the annotation characters, the format characters of Egyptian hieroglyphs, and those
// before numbers. The total is 4174 since Unicode 13.
func TestIgnorable(t *testing.T) {
	total := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
			!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) && (r < 0xFFF9 || r > 0xFFFB) && (r < 0x13430 || r > 0x13440)
		if got := Ignorable(r); got != want {
			t.Errorf("U+%04X: %v, want %v", r, got, want)
		}
		if !want {
			continue
		}
		total++
		if !Blank(r) {
			t.Errorf("U+%04X takes room", r)
		}
	}
	if total != 4174 {
		t.Errorf("%d characters in all, want 4174", total)
	}
}
