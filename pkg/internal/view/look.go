package view

import (
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/internal/textscan"
)

// signs are what a text may be read by, one bit each.
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

// What a byte can mean, one bit each.
const (
	byteWord  = 1 << iota // a letter or digit
	byteBreak             // parts what may be base64 and the like from other text
	byteDigit             // a digit, or a sign often used for a letter
	byteSign              // begins something that has to be looked at
	byteHigh              // is part of a character beyond ASCII
	byteLeet              // can stand in a word in leetspeak
	byteHex               // can stand in hexadecimal digits and their prefix
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

// A looker looks through a text for signs, once and without building anything, block
// by block. Each kind of thing it looks at closely it looks at once: the offsets say up
// to where.
type looker struct {
	text   string
	seeker *seeker
	found  signs
	// inJSON tells that the text is JSON, and every backslash a sign. What may be a row of
	// bytes in digits is taken for one: to count on through the text is not worth it.
	inJSON bool

	inWord, inLetters uint64 // 1 if the byte before the block is of a word, a letter
	inDigits          uint64 // 1 if digits that follow a letter go on in the block
	inStem            uint64 // 1 if a stem may have begun in up to three bytes before it

	wordsDone, runesDone, apartDone, partedDone int

	counted  bool // the rows of bytes in digits
	lastLeet int  // the end of the last word that looked like leetspeak
	leets    int  // the leetness of those that were near each other
}

// NewClasses returns the classes that a [Looker] goes by, with marks besides its own: those
// are looked at closely, joints stand between letters and digits of encodings.
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

// look returns the signs of text. It stops at once if it finds any of enough.
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

// A Looker looks through a JSON text for blocks in which a string may be other than
// [Plain], or has a backslash. A string that is in none of them is plain.
type Looker struct{ looker }

// NewLooker returns a looker for a text.
func NewLooker(json string) Looker {
	return Looker{looker{text: json, seeker: disguisedStems(), inJSON: true}}
}

// Block reports whether the block at an offset is such a one. Blocks have to come one after
// the other, from the first on, each with the next, and be read with [NewClasses].
func (l *Looker) Block(at int, b, next textscan.Block) bool {
	l.found = 0
	l.block(at, b, next)
	return l.found != 0
}

// block looks at the block at text[at]. Most have nothing but words.
func (l *looker) block(at int, b, next textscan.Block) {
	words, more := b.Words(), next.Words()
	starts := b.Starts(l.inWord)
	// No word of one letter is at an end: those of the next block are right as far as a
	// row that begins in this one can reach.
	alone := starts &^ (words>>1 | more<<63)
	if alone != 0 && inRow(alone, next.Starts(words>>63)&^(more>>1), 2, 1+maxGap) {
		l.apart(at, min(at+textscan.BlockLen, len(l.text)))
	}
	// An encoding begins where no letter or digit is before it.
	long := runsOf15(words|b.Joints, more|next.Joints) &^ (words<<1 | l.inWord)
	for ; long != 0; long &= long - 1 {
		l.code(l.text[at+bits.TrailingZeros64(long):])
	}
	six := runsOf6(b.Letters, next.Letters)
	l.words(at, b, next, starts, l.marks(at, b, next))
	l.stems(at, six)
	l.inWord, l.inLetters = words>>63, b.Letters>>63
}

// inRow reports whether five of what begins at the bits of a and, 64 bytes on, next are
// in a row from one in a on, each from least to most bytes after the one before.
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

// runsOf4 returns where 4 bits of x and, behind it, next begin that are all set, and the
// same of next. Each step takes those that as many more follow.
func runsOf4(x, next uint64) (uint64, uint64) {
	x, next = x&(x>>1|next<<63), next&(next>>1)
	return x & (x>>2 | next<<62), next & (next >> 2)
}

// runsOf8 is the same for 8 bits.
func runsOf8(x, next uint64) (uint64, uint64) {
	x, next = runsOf4(x, next)
	return x & (x>>4 | next<<60), next & (next >> 4)
}

// runsOf6 is the same for stemLen bits, of x alone.
func runsOf6(x, next uint64) uint64 {
	x, next = runsOf4(x, next)
	return x & (x>>2 | next<<62)
}

// runsOf15 is the same for minCode bits.
func runsOf15(x, next uint64) uint64 {
	x, next = runsOf8(x, next)
	return x & (x>>7 | next<<57)
}

// words looks at the words that may be bytes in digits or leetspeak, among them those
// with the given signs. Most have no digit, or only at their ends.
func (l *looker) words(at int, b, next textscan.Block, starts, signs uint64) {
	// Where digits follow a letter, one is added to them and carried to what is after
	// them: if that is a letter, they stand between two.
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

// pairs returns where words of two letters or digits begin, one a digit, as are the hex
// digits of a byte, also behind 0x.
func pairs(b, next textscan.Block, starts uint64) uint64 {
	w, n := b.Words(), next.Words()
	after := func(k int) uint64 { return w>>k | n<<(64-k) }
	two := after(1) &^ after(2) & (b.Digits | b.Digits>>1 | next.Digits<<63)
	four := after(1) & after(2) & after(3) &^ after(4) & b.Digits & (b.Letters>>1 | next.Letters<<63)
	return starts & (two | four)
}

// marks looks at the marked signs of a block. It returns those of leetspeak.
func (l *looker) marks(at int, b, next textscan.Block) (leet uint64) {
	end := min(at+textscan.BlockLen, len(l.text))
	// Hyphens are everywhere; only those between letters can split words.
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

// stems looks for disguised stems that begin in the block at text[at], or did in the one
// before and go on here. At the bits of six begin rows of stemLen letters.
func (l *looker) stems(at int, six uint64) {
	places := (six | six<<1 | six<<2 | six<<3 | l.inStem) & stridden
	l.inStem = (six>>63 | six>>62 | six>>61) & 1
	l.found |= l.seeker.seek(l.text, at, places)
}
