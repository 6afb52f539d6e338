package view

// Ignorable reports whether r is invisible: it has the Unicode property
// Default_Ignorable_Code_Point (DerivedCoreProperties.txt).
func Ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, // soft hyphen, joiner of marks, fillers, Khmer vowels
		0x180B <= r && r <= 0x180F,                             // Mongolian selectors and separator
		0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, // of no width, joiners, direction
		0x2060 <= r && r <= 0x206F, r == 0x3164, // operators, direction, filler
		0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0, 0xFFF0 <= r && r <= 0xFFF8, // variation selectors, byte-order mark
		0x1BCA0 <= r && r <= 0x1BCA3, 0x1D173 <= r && r <= 0x1D17A, // shorthand, music
		0xE0000 <= r && r <= 0xE0FFF: // tags, variation selectors
		return true
	}
	return false
}
