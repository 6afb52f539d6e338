package view

import "unicode/utf8"

// Limits of what is made of one text.
const (
	maxDepth  = 3       // decodings of what was decoded
	maxGrowth = 12      // all readings together, as a multiple of the text,
	minGrowth = 4 << 10 // and in bytes for a short one

	// A part is how much of a text is changed in place at a time. It overlaps the one
	// before by more than a phrase is long, however it is written.
	partLen     = 256 << 10
	partOverlap = 4 << 10
)

// A step makes one reading of another. It writes nothing if there is none.
type step struct {
	kind Kind
	sign signs
	make func(*builder)
}

// The steps in place are taken one upon the other.
var inPlace = [...]step{
	{Folded, signFold, fold},
	{Percent, signPercent, unpercent},
	{Entities, signEntity, unentity},
	{Escapes, signBackslash, unbackslash},
}

// The last steps in place are not decodings: they destroy what is not disguised so.
var inLetters = [...]step{
	{Spaced, signApart, closeUp},
	{Leet, signLeet, unleet},
}

// These steps make another text of a part.
var turned = []step{
	{Tags, signCovert, untag},
	{Selectors, signCovert, unselect},
	{ROT13, signRotated, unrotate},
	{Reversed, signReversed, unreverse},
	{Reversed, signReversed, unreverseWords},
}

// These steps take something out of a text and leave the rest. They are not taken on
// parts, as what they take out cannot be read from its middle.
var takenOut = []step{
	{Hidden, signHidden, unhide},
	{Base64, signBase64, base64Code.decode},
	{Base32, signBase32, base32Code.decode},
	{Hex, signHex, hexCode.decode},
	{Binary, signBinary, binaryCode.decode},
}

// A reader finds the readings of a text and of its readings.
type reader struct {
	yield func(Reading) bool
	left  int  // bytes of readings there may still be
	done  bool // yield wants no more
}

// read yields the readings of r, which is depth decodings away from the original.
func (d *reader) read(r Reading, depth int) {
	found := look(r.Text, 0)
	if found&^signOdd == 0 {
		return
	}
	if len(r.Text) <= partLen {
		d.change(r, found, depth)
		d.takeOut(turned, r, found, depth)
	} else {
		for start := 0; start < len(r.Text) && !d.done; start += partLen {
			start := runeStart(r.Text, start)
			end := runeStart(r.Text, min(len(r.Text), start+partLen+partOverlap))
			part := Reading{r.Kind, r.Text[start:end], &source{parent: r.from, base: start}}
			found := look(part.Text, 0)
			d.change(part, found, depth)
			d.takeOut(turned, part, found, depth)
		}
	}
	d.takeOut(takenOut, r, found, depth)
}

// change yields the readings of r, which has the signs found, that are the same text
// with something changed in place, and what can be taken out of the last of them.
func (d *reader) change(r Reading, found signs, depth int) {
	decoded := false
	for range maxDepth - min(depth, maxDepth-1) { // what is escaped may be escaped again
		again := false
		for _, s := range inPlace {
			if found&s.sign != 0 && d.take(s, &r) {
				again = true
			}
		}
		if !again {
			break
		}
		decoded = true
		found = look(r.Text, 0)
	}
	if decoded {
		d.takeOut(turned, r, found, depth+1)
		d.takeOut(takenOut, r, found, depth+1)
	}
	for _, s := range inLetters {
		if found&s.sign != 0 && d.take(s, &r) {
			found = look(r.Text, 0)
		}
	}
}

// takeOut yields the readings that steps make of r, which has the signs found, and the
// readings of those.
func (d *reader) takeOut(steps []step, r Reading, found signs, depth int) {
	if depth >= maxDepth {
		return
	}
	for _, s := range steps {
		if found&s.sign == 0 || s.kind == r.Kind && s.kind.isOwnInverse() {
			continue
		}
		next := r
		if d.take(s, &next) {
			d.read(next, depth+1)
		}
	}
}

// isOwnInverse reports whether doing it twice gives nothing new.
func (k Kind) isOwnInverse() bool { return k == ROT13 || k == Reversed || k == Hidden }

// take makes the next reading of *r by s and yields it. It reports whether there is one.
func (d *reader) take(s step, r *Reading) bool {
	if d.done || d.left <= 0 {
		return false
	}
	b := builder{text: r.Text}
	s.make(&b)
	d.left -= len(b.out)
	if len(b.out) == 0 || string(b.out) == r.Text {
		return false
	}
	*r = b.reading(s.kind, r.from)
	d.done = !d.yield(*r)
	return true
}

// runeStart returns the start of the character that text[i] is part of.
func runeStart(text string, i int) int {
	for k := 0; k < utf8.UTFMax && i > 0 && i < len(text) && !utf8.RuneStart(text[i]); k++ {
		i--
	}
	return i
}
