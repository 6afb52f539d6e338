package textscan

// A plane has one bit of each of 64 bytes. The eight planes of their bits classify all bytes at
// once. The bits of planes are in column order: byte 8*i+j has bit 8*j+i.

// planes classifies the 64 bytes in eight numbers: letters, digits, and spaces, quotation marks or,
// if points is set, commas, full stops and colons.
func planes(a, b, c, d, e, f, g, h, points uint64) (letters, digits, gaps uint64) {
	// Halves, quarters and eighths of the bytes are exchanged between the numbers, until each
	// number is a plane: a has the lowest bits, h the highest.
	const (
		each                      = 0x0101010101010101
		halves, quarters, eighths = 0x0F * each, 0x33 * each, 0x55 * each
	)
	a, e = swap(a, e, 4, halves)
	b, f = swap(b, f, 4, halves)
	c, g = swap(c, g, 4, halves)
	d, h = swap(d, h, 4, halves)
	a, c = swap(a, c, 2, quarters)
	b, d = swap(b, d, 2, quarters)
	e, g = swap(e, g, 2, quarters)
	f, h = swap(f, h, 2, quarters)
	a, b = swap(a, b, 1, eighths)
	c, d = swap(c, d, 1, eighths)
	e, f = swap(e, f, 1, eighths)
	g, h = swap(g, h, 1, eighths)

	letters = g &^ h & (a | b | c | d | e) &^ (d & e & (c | a&b)) // 1 to 26 in the lowest five
	low := f &^ (g | h)                                           // 0x20 to 0x3F
	digits = low & e &^ (d & (b | c))
	// The lowest five bits of spaces and quotation marks are 000x0, of commas and
	// full stops 011x0, of colons 11010.
	gaps = low &^ a & (^(c | d | e) | points&d&(c&^e|e&b&^c))
	return rows(letters), rows(digits), rows(gaps)
}

// swap exchanges the bits of b selected by mask with the bits of a that are n bits higher.
func swap(a, b uint64, n int, mask uint64) (uint64, uint64) {
	t := (a>>n ^ b) & mask
	return a ^ t<<n, b ^ t
}

// rows puts the bits of a plane in the order of their bytes. It transposes a matrix of eight by
// eight bits: first within blocks of two by two, then of four by four, then as a whole.
func rows(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00AA00AA00AA00AA
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000CCCC0000CCCC
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000F0F0F0F0
	return x ^ t ^ t<<28
}
