package view

// BlockLen is how many bytes a [Block] is about.
const BlockLen = 64

// A Block says what the bytes of a part of a text are, with one bit for each, that of
// the first lowest.
type Block struct {
	Letters, Digits uint64 // of ASCII
	Joints          uint64 // what stands between letters and digits of encodings: + - / _
	Marks           uint64 // the signs that were asked for
}

// Words returns the letters and digits.
func (b Block) Words() uint64 { return b.Letters | b.Digits }

// Starts returns the first letter or digit of each word. The byte before the block is
// one itself if inWord is 1, and 0 otherwise.
func (b Block) Starts(inWord uint64) uint64 {
	words := b.Words()
	return words &^ (words<<1 | inWord)
}

// Marks says which bytes [ReadBlock] marks. It does not ask for letters, digits, spaces
// and quotation marks (").
type Marks struct {
	of     [256]uint8
	points uint64 // all bits, but none if commas, full stops or colons are marked
}

const (
	marked = 1 << iota
	joins
)

// NewMarks returns the marks of what [Plain] looks at, and of the bytes in others.
func NewMarks(others string) *Marks {
	var t Marks
	for c, meaning := range byteMeaning {
		if meaning&(byteSign|byteHigh|byteDigit|byteLeet) != 0 {
			t.of[c] |= marked
		}
		if meaning&byteBreak == 0 {
			t.of[c] |= joins
		}
	}
	for _, c := range []byte(others) {
		t.of[c] |= marked
	}
	if t.of[',']|t.of['.']|t.of[':'] == 0 {
		t.points = ^uint64(0)
	}
	return &t
}

// ReadBlock reads the block that begins at text[at]. What is beyond the text counts as
// spaces.
func ReadBlock(text string, at int, marks *Marks) Block {
	var b Block
	var gaps uint64
	switch {
	case at+BlockLen <= len(text):
		s := text[at : at+BlockLen]
		b.Letters, b.Digits, gaps = classes(eight(s), eight(s[8:]), eight(s[16:]), eight(s[24:]),
			eight(s[32:]), eight(s[40:]), eight(s[48:]), eight(s[56:]), marks.points)
	case at < len(text):
		var x [BlockLen / 8]uint64
		for i := range x {
			x[i] = upToEight(text[min(at+8*i, len(text)):])
		}
		b.Letters, b.Digits, gaps = classes(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], marks.points)
	default:
		return b
	}
	for rest := ^(b.Letters | b.Digits | gaps); rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		m := uint64(marks.of[text[at+trailing(bit)]])
		b.Marks |= bit & -(m & marked)
		b.Joints |= bit & -(m >> 1)
	}
	return b
}
