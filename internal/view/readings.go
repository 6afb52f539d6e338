package view

import "unicode/utf8"

// Limits of the readings of one text.
const (
	maxDepth  = 3       // nested decodings
	maxGrowth = 12      // total size of the readings, as a multiple of the text,
	minGrowth = 4 << 10 // and in bytes for a short text

	// partLen is the size of the parts in which a text is changed in place. A part overlaps the
	// previous one by more than the length of a phrase in any encoding.
	partLen     = 256 << 10
	partOverlap = 4 << 10
)

// A step derives one reading from another. It writes nothing if there is none.
type step struct {
	kind Kind
	sign signs
	make func(*builder)
}

// The steps in place are cumulative.
var inPlace = [...]step{
	{Folded, signFold, fold},
	{Percent, signPercent, unpercent},
	{Entities, signEntity, unentity},
	{Escapes, signBackslash, unbackslash},
}

// The last steps in place are not decodings: they destroy undisguised text.
var inLetters = [...]step{
	{Spaced, signApart, closeUp},
	{Parted, signParted, part},
	{Leet, signLeet, unleet},
}

// These steps transform a whole part.
var turned = []step{
	{Tags, signCovert, untag},
	{Selectors, signCovert, unselect},
	{ROT13, signRotated, unrotate},
	{Reversed, signReversed, unreverse},
	{Reversed, signReversed, unreverseWords},
}

// These steps extract something from a text. They are not applied to parts, since the extracted
// text cannot be read from its middle.
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
	left  int  // remaining bytes of readings
	done  bool // yield returned false
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

// change yields the readings of r, which has the signs found, that change something in place, and
// the extracts of the last of them.
func (d *reader) change(r Reading, found signs, depth int) {
	decoded := false
	for range maxDepth - min(depth, maxDepth-1) { // escapes may be nested
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

// takeOut yields the readings that steps extract from r, which has the signs found, and the
// readings of these extracts.
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

// isOwnInverse reports whether applying the step twice gives nothing new.
func (k Kind) isOwnInverse() bool { return k == ROT13 || k == Reversed || k == Hidden }

// take replaces *r by its next reading by s and yields it. It reports whether there is one.
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

// runeStart returns the start of the character at text[i].
func runeStart(text string, i int) int {
	for k := 0; k < utf8.UTFMax && i > 0 && i < len(text) && !utf8.RuneStart(text[i]); k++ {
		i--
	}
	return i
}

// A source maps the bytes of a reading to its parent.
type source struct {
	parent *source // nil if the parent is the original text
	spans  []span
	base   int // without spans: the offset in the parent of the reading, which is a part of it
}

// A span covers the bytes of a reading up to the next span. They are groups of out bytes each, from
// groups of in bytes of the parent: the first begins at from, and the others follow it or, if in is
// negative, precede it.
type span struct {
	to, from int
	out, in  int32
}

// group returns the range in the parent of the group that contains the byte at pos.
func (s span) group(pos int) (start, end int) {
	in := int(s.in)
	start = s.from + (pos-s.to)/int(s.out)*in
	return start, start + max(in, -in)
}

// locate returns the smallest range in the parent that covers start to end.
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

// A builder writes a reading of text and records the origin of each byte.
type builder struct {
	text  string
	out   []byte
	spans []span
	next  int // offset of the group that would continue the last span
}

// keep writes text[i:j] unchanged.
func (b *builder) keep(i, j int) {
	if i < j {
		b.note(1, i, i+1, j-i)
		b.out = append(b.out, b.text[i:j]...)
	}
}

// put writes s in place of text[i:j].
func (b *builder) put(s string, i, j int) {
	if s != "" {
		b.note(len(s), i, j, 1)
		b.out = append(b.out, s...)
	}
}

// backwards writes the characters of text[i:j] in reverse order.
func (b *builder) backwards(i, j int) {
	b.next = -1 // the previous span cannot continue
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

// note records the origin of count groups of out bytes that are about to be written: the first
// comes from text[i:j] and the others from the text after it.
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

// trim removes all but the first n bytes written.
func (b *builder) trim(n int) {
	if n < len(b.out) {
		b.next = -1 // the next output begins a span
	}
	b.out = b.out[:n]
	for len(b.spans) > 0 && b.spans[len(b.spans)-1].to >= n {
		b.spans = b.spans[:len(b.spans)-1]
	}
}

// reading returns the output as a reading of the text described by parent.
func (b *builder) reading(kind Kind, parent *source) Reading {
	return Reading{kind, string(b.out), &source{parent: parent, spans: b.spans}}
}
