package view

import (
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/textscan"
)

// signs are the indications of readings in a text, one bit each.
type signs uint16

const (
	signFold signs = 1 << iota
	signOdd
	signCovert
	signPercent
	signEntity
	signBackslash
	signApart
	signLeet
	signBase64
	signBase32
	signHex
	signBinary
	signRotated
	signReversed
	signHidden
	signParted
)

// The meanings of bytes, one bit each.
const (
	byteWord  = 1 << iota // a letter or digit
	byteBreak             // separates possible base64 and similar codes from other text
	byteDigit             // a digit, or a sign often used as a letter
	byteSign              // begins a sequence that needs a check
	byteHigh              // part of a non-ASCII character
	byteLeet              // can occur in a word in leetspeak
	byteHex               // can occur in hexadecimal digits and their prefix
)

var byteMeaning = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case isLetter(c):
			t[i] = byteWord | byteLeet
		case isDigit(c):
			t[i] = byteWord | byteDigit | byteLeet
		case c >= utf8.RuneSelf:
			t[i] = byteBreak | byteHigh
		case c == '@' || c == '$':
			t[i] = byteBreak | byteDigit
		case strings.IndexByte("%&\\<]!="+splitters, c) >= 0 || isControl(c):
			t[i] = byteBreak | byteSign
		case strings.IndexByte("+/_", c) >= 0:
		default:
			t[i] = byteBreak
		}
	}
	t['-'] &^= byteBreak
	for _, c := range []byte("@$!|") {
		t[c] |= byteLeet
	}
	for _, c := range []byte("0123456789abcdefABCDEFx") {
		t[c] |= byteHex
	}
	return t
}()

// A looker scans a text for signs, once, block by block and without building anything. Its offsets
// record how far each kind of close check has got, so that nothing is checked twice.
type looker struct {
	text   string
	seeker *seeker
	found  signs
	// joined reports that the text consists of several texts. A possible row of bytes in digits
	// counts as one: verifying it through the text is not worthwhile.
	joined bool

	inWord, inLetters uint64 // 1 if the byte before the block is a letter or digit; a letter
	inDigits          uint64 // 1 if digits after a letter continue in the block
	inStem            uint64 // 1 if a stem may have begun in the last three bytes before the block

	wordsDone, runesDone, apartDone, partedDone int

	counted  bool // rows of bytes in digits have been counted
	lastLeet int  // end of the last word that looked like leetspeak
	leets    int  // total leetness of nearby words
}

// NewClasses returns the classes for a [Looker], with more as additional marks. Marks are checked
// closely; joints occur between the letters and digits of encodings.
func NewClasses(more string) *textscan.Classes {
	marks := []byte(more)
	var joints []byte
	for c, meaning := range byteMeaning {
		if meaning&(byteSign|byteHigh|byteDigit|byteLeet) != 0 {
			marks = append(marks, byte(c))
		}
		if meaning&byteBreak == 0 {
			joints = append(joints, byte(c))
		}
	}
	return textscan.NewClasses(string(marks), string(joints))
}

var ownClasses = sync.OnceValue(func() *textscan.Classes { return NewClasses("") })

// look returns the signs of text. It stops as soon as it finds any of enough.
func look(text string, enough signs) signs {
	l := looker{text: text, seeker: disguisedStems()}
	classes := ownClasses()
	next := textscan.ReadBlock(text, 0, classes)
	for at := 0; at < len(text) && l.found&enough == 0; at += textscan.BlockLen {
		b := next
		next = textscan.ReadBlock(text, at+textscan.BlockLen, classes)
		l.block(at, b, next)
	}
	return l.found
}

// A Looker scans joined texts for blocks with texts that may not be [Plain]. A text outside of these
// blocks is plain.
type Looker struct{ looker }

// NewLooker returns a looker for texts that are each followed by a quotation mark.
func NewLooker(joined string) Looker {
	return Looker{looker{text: joined, seeker: disguisedStems(), joined: true}}
}

// Block reports whether the block at an offset is such a block. Blocks must be read with
// [NewClasses] and passed in sequence from the first on, each with the next one.
func (l *Looker) Block(at int, b, next textscan.Block) bool {
	l.found = 0
	l.block(at, b, next)
	return l.found != 0
}

// block scans the block at text[at]. Most blocks consist of ordinary words.
func (l *looker) block(at int, b, next textscan.Block) {
	words, more := b.Words(), next.Words()
	starts := b.Starts(l.inWord)
	// A word of one letter at the end of the block is not included: the bits of the next block are
	// correct for all rows that begin in this one.
	alone := starts &^ (words>>1 | more<<63)
	if alone != 0 && inRow(alone, next.Starts(words>>63)&^(more>>1), 2, 1+maxGap) {
		l.apart(at, min(at+textscan.BlockLen, len(l.text)))
	}
	// An encoding begins where no letter or digit precedes it.
	long := runsOf15(words|b.Joints, more|next.Joints) &^ (words<<1 | l.inWord)
	for ; long != 0; long &= long - 1 {
		l.code(l.text[at+bits.TrailingZeros64(long):])
	}
	// Without digits and marks there is nothing but letters, also to the end of the words.
	if b.Digits|next.Digits|b.Marks|l.inDigits != 0 || next.Letters == ^uint64(0) {
		l.words(at, b, next, starts, l.marks(at, b, next))
	}
	l.stems(at, runsOf6(b.Letters, next.Letters))
	l.inWord, l.inLetters = words>>63, b.Letters>>63
}

// inRow reports whether five of the positions in a and next, the 64 bytes after it, form a row that
// begins in a, each from least to most bytes after the previous one.
func inRow(a, next uint64, least, most int) bool {
	if bits.OnesCount64(a)+bits.OnesCount64(next) < minApart {
		return false
	}
	x, y := a, next
	for range minApart - 1 {
		var before, beforeNext uint64
		for n := least; n <= most; n++ {
			before |= x>>n | y<<(64-n)
			beforeNext |= y >> n
		}
		if x, y = a&before, next&beforeNext; x == 0 {
			return false
		}
	}
	return true
}

// runsOf4 returns the starts of runs of 4 set bits in x, continued by next, and in next. Each step
// doubles the length of the runs.
func runsOf4(x, next uint64) (uint64, uint64) {
	x, next = x&(x>>1|next<<63), next&(next>>1)
	return x & (x>>2 | next<<62), next & (next >> 2)
}

// runsOf8 is runsOf4 for 8 bits.
func runsOf8(x, next uint64) (uint64, uint64) {
	x, next = runsOf4(x, next)
	return x & (x>>4 | next<<60), next & (next >> 4)
}

// runsOf6 is runsOf4 for stemLen bits, of x only.
func runsOf6(x, next uint64) uint64 {
	x, next = runsOf4(x, next)
	return x & (x>>2 | next<<62)
}

// runsOf15 is runsOf4 for minCode bits, of x only.
func runsOf15(x, next uint64) uint64 {
	x, next = runsOf8(x, next)
	return x & (x>>7 | next<<57)
}

// words checks the words that may be bytes in digits or leetspeak, including those with the given
// signs. Most words have no digits, or only at their ends.
func (l *looker) words(at int, b, next textscan.Block, starts, signs uint64) {
	// Adding one to the digits after a letter carries to the byte after them: if that is a letter,
	// the digits are between two letters.
	sum, carry := bits.Add64(b.Digits, b.Digits&(b.Letters<<1|l.inLetters), l.inDigits)
	l.inDigits = carry
	suspects := sum&b.Letters | signs
	long, _ := runsOf8(b.Words(), next.Words())
	long &= starts
	for ; long != 0; long &= long - 1 {
		s := l.text[at+bits.TrailingZeros64(long):]
		if byteMeaning[s[0]]&byteMeaning[s[1]]&byteMeaning[s[2]]&byteMeaning[s[3]]&byteHex == 0 {
			continue
		}
		if isOctet(s) {
			l.rows()
		}
		if maybeHex(s) {
			suspects |= long & -long
		}
	}
	for ; suspects != 0; suspects &= suspects - 1 {
		l.word(at + bits.TrailingZeros64(suspects))
	}
	if b.Digits|next.Digits == 0 {
		return
	}
	if p := pairs(b, next, starts); p != 0 && inRow(p, pairs(next, textscan.Block{}, next.Starts(b.Words()>>63)), 3, 7) {
		l.rows()
	}
}

// pairs returns the starts of words of two letters or digits, at least one of them a digit, such as
// the hexadecimal digits of a byte, with or without 0x.
func pairs(b, next textscan.Block, starts uint64) uint64 {
	w, n := b.Words(), next.Words()
	after := func(k int) uint64 { return w>>k | n<<(64-k) }
	two := after(1) &^ after(2) & (b.Digits | b.Digits>>1 | next.Digits<<63)
	four := after(1) & after(2) & after(3) &^ after(4) & b.Digits & (b.Letters>>1 | next.Letters<<63)
	return starts & (two | four)
}

// marks checks the marked signs of a block and returns the leetspeak signs.
func (l *looker) marks(at int, b, next textscan.Block) (leet uint64) {
	end := min(at+textscan.BlockLen, len(l.text))
	// Hyphens are frequent; only those between letters can split words.
	hyphens := b.Marks & b.Joints
	hyphens &= (b.Letters<<1 | l.inLetters) & (b.Letters>>1 | next.Letters<<63)
	high := false
	for m := b.Marks&^b.Joints | hyphens; m != 0; m &= m - 1 {
		i := at + bits.TrailingZeros64(m)
		c := l.text[i]
		meaning := byteMeaning[c]
		if meaning&byteSign != 0 {
			l.sign(i)
		}
		if meaning&byteLeet != 0 {
			leet |= m & -m
		}
		if meaning&byteHigh != 0 && !high {
			l.runes(i, end)
			high = true
		}
	}
	return leet
}

// stems searches for disguised stems that begin in the block at text[at], or began in the previous
// one and continue. six has the starts of rows of stemLen letters.
func (l *looker) stems(at int, six uint64) {
	places := (six | six<<1 | six<<2 | six<<3 | l.inStem) & stridden
	l.inStem = (six>>63 | six>>62 | six>>61) & 1
	l.found |= l.seeker.seek(l.text, at, places)
}
