package view

import "unicode/utf8"

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
