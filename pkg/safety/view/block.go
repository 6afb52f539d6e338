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
type Marks [256]uint8

const (
	marked = 1 << iota
	joins
)

// NewMarks returns the marks of what [Plain] looks at, and of the bytes in others.
func NewMarks(others string) *Marks {
	var t Marks
	for c, meaning := range byteMeaning {
		if meaning&(byteSign|byteHigh|byteDigit|byteLeet) != 0 {
			t[c] |= marked
		}
		if meaning&byteBreak == 0 {
			t[c] |= joins
		}
	}
	for _, c := range []byte(others) {
		t[c] |= marked
	}
	return &t
}

const (
	each     = 0x0101010101010101 // times a byte: eight of it
	highBits = 0x80 * each
	lowBits  = 0x7F * each
	spaces   = ' ' * each
)

// ReadBlock reads the block that begins at text[at]. What is beyond the text counts as
// spaces.
func ReadBlock(text string, at int, marks *Marks) Block {
	var b Block
	gaps := ^uint64(0) // spaces and quotation marks
	switch {
	case at+BlockLen <= len(text):
		s := text[at : at+BlockLen]
		gaps = 0
		for i := 0; i < BlockLen; i += 8 {
			x := eight(s[i : i+8])
			b.Letters |= gather(letters(x)) << i
			b.Digits |= gather(digits(x)) << i
			gaps |= gather(spacesAndQuotes(x)) << i
		}
	case at < len(text):
		for i, c := range []byte(text[at:]) {
			bit := uint64(1) << i
			switch {
			case isLetter(c):
				b.Letters |= bit
			case isDigit(c):
				b.Digits |= bit
			case c != ' ' && c != '"':
				gaps &^= bit
			}
		}
	}
	for rest := ^(b.Letters | b.Digits | gaps); rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		m := uint64(marks[text[at+trailing(bit)]])
		b.Marks |= bit & -(m & marked)
		b.Joints |= bit & -(m >> 1)
	}
	return b
}
