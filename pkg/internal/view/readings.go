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
	{Parted, signParted, part},
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

// A source says where the bytes of a reading come from in its parent.
type source struct {
	parent *source // nil if the parent is the original text
	spans  []span
	base   int // without spans: where in the parent the reading begins, which is a part of it
}

// A span covers the bytes of a reading from to up to the next span. They are groups of
// out bytes each, which come from groups of in bytes of the parent: the first from
// from on, the others following it or, if in is negative, going before it.
type span struct {
	to, from int
	out, in  int32
}

// group returns the place in the parent of the group that has the byte at pos.
func (s span) group(pos int) (start, end int) {
	in := int(s.in)
	start = s.from + (pos-s.to)/int(s.out)*in
	return start, start + max(in, -in)
}

// locate returns the smallest place in the parent that has all of start to end.
func (s *source) locate(start, end int) (lo, hi int) {
	if len(s.spans) == 0 {
		return s.base + start, s.base + end
	}
	// i is the last span that begins at or before start.
	i, j := 0, len(s.spans)
	for i+1 < j {
		if m := (i + j) / 2; s.spans[m].to <= start {
			i = m
		} else {
			j = m
		}
	}
	if start == end {
		if start == s.spans[i].to {
			lo, _ = s.spans[i].group(start)
			return lo, lo
		}
		_, hi = s.spans[i].group(start - 1)
		return hi, hi
	}
	lo, hi = s.spans[i].group(start)
	for ; i < len(s.spans) && s.spans[i].to < end; i++ {
		last := end
		if i+1 < len(s.spans) {
			last = min(end, s.spans[i+1].to)
		}
		for _, pos := range [...]int{max(start, s.spans[i].to), last - 1} {
			a, b := s.spans[i].group(pos)
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	return lo, hi
}

// A builder writes a reading of text and notes where each byte comes from.
type builder struct {
	text  string
	out   []byte
	spans []span
	next  int // where the group that would go on with the last span begins
}

// keep writes text[i:j] as it is.
func (b *builder) keep(i, j int) {
	if i < j {
		b.note(1, i, i+1, j-i)
		b.out = append(b.out, b.text[i:j]...)
	}
}

// put writes s, which stands for text[i:j].
func (b *builder) put(s string, i, j int) {
	if s != "" {
		b.note(len(s), i, j, 1)
		b.out = append(b.out, s...)
	}
}

// backwards writes the characters of text[i:j], last first.
func (b *builder) backwards(i, j int) {
	b.next = -1 // no group before can go on
	for j > i {
		_, n := utf8.DecodeLastRuneInString(b.text[i:j])
		j -= n
		b.put(b.text[j:j+n], j, j+n)
		if last := &b.spans[len(b.spans)-1]; last.in > 0 {
			last.in = -last.in
			b.next = j - n
		}
	}
}

// note records count groups of out bytes, which are about to be written, the first of
// which comes from text[i:j] and the others from what follows it.
func (b *builder) note(out, i, j, count int) {
	in := int32(j - i)
	if n := len(b.spans); n > 0 && int(b.spans[n-1].out) == out {
		last := b.spans[n-1]
		switch {
		case in == last.in && i == b.next:
			b.next += count * (j - i)
			return
		case in == -last.in && i == b.next && count == 1:
			b.next -= j - i
			return
		}
	}
	b.spans = append(b.spans, span{to: len(b.out), from: i, out: int32(out), in: in})
	b.next = i + count*(j-i)
}

// trim takes back all but the first n bytes written.
func (b *builder) trim(n int) {
	if n < len(b.out) {
		b.next = -1 // whatever is written next begins a span
	}
	b.out = b.out[:n]
	for len(b.spans) > 0 && b.spans[len(b.spans)-1].to >= n {
		b.spans = b.spans[:len(b.spans)-1]
	}
}

// reading returns what was written, as a reading of the text that parent describes.
func (b *builder) reading(kind Kind, parent *source) Reading {
	return Reading{kind, string(b.out), &source{parent: parent, spans: b.spans}}
}
