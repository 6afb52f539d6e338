package safety

// A memo remembers what literals may do at a word, by its first bytes: texts repeat their
// words. Each slot has two of the words that fell on it, the latest first.
type memo [1 << 10][2]wordActs

// wordActs is what literals may do at the words of a key.
type wordActs struct {
	key  uint64
	near ruleBits // rules with a literal of near that is there for sure
	acts uint32   // 1 if one is that announces or waits, 0 otherwise
	only int32    // one more than the index of the only candidate that is, 0 if there are several
	// What else there may be, by a byte that it needs, modulo 32, which is the same for
	// all that fold to it: literals that go on with the byte behind the next one, and
	// literals that begin before the word, right before which they have the byte.
	onward, led uint32
}

// A start is where the first word of a candidate begins.
type start struct {
	candidate int32
	before    int32 // one more than the index of the start with the same head, 0 for none
	lead      int32 // how many bytes of the candidate come before the word
}

// wordKey returns what a word of n bytes is remembered by: its first bytes, at most
// eight, but at least minLiteral of what the text has there; and n, as far as it is less
// than eight, where the eighth byte would be. No such byte is less than eight itself. v
// has eight bytes, folded.
func wordKey(v uint64, n int) uint64 {
	return v&(1<<(8*max(n, minLiteral))-1) | uint64(n&7)<<56
}

// onwardAt returns which byte from its first on is behind what is known of a word of n
// bytes, at most eight, by its key. The one after the word is left out: it is often the
// same.
func onwardAt(n int) int { return min(max(n+1, minLiteral), 8) }

// of returns what literals may do at words of a key.
func (m *memo) of(f *prefilter, key uint64) *wordActs {
	w := &m[key*0x9E3779B97F4A7C15>>54]
	if w[0].key == key {
		return &w[0]
	}
	if w[1].key != key {
		w[1] = f.acts(key)
	}
	w[0], w[1] = w[1], w[0]
	return &w[0]
}

// begin enters the first word of a candidate, if it and what follows are long enough.
func (f *prefilter) begin(candidate int) bool {
	text := f.candidates[candidate].text
	at := 0
	for at < len(text) && !alnum(text[at]) {
		at++
	}
	rest := text[at:]
	switch {
	case len(rest) < 3:
		f.four.set(hash4(four(text) | fold4))
		return false
	case len(rest) == 3: // followed by anything
		for c := range 256 {
			f.four.set(hash4(four(rest+string([]byte{byte(c)})) | fold4))
		}
	case len(rest) < 6:
		f.four.set(hash4(four(rest) | fold4))
	default:
		f.six.set(hash6(uint64(four(rest)) | uint64(rest[4])<<32 | uint64(rest[5])<<40 | fold8))
	}
	f.lead = max(f.lead, at)
	head := f.startHead(rest[0]|0x20, rest[1]|0x20, rest[2]|0x20)
	f.starts = append(f.starts, start{int32(candidate), *head, int32(at)})
	*head = int32(len(f.starts))
	return true
}

// startHead returns the head of the starts with the same first three bytes, folded.
func (f *prefilter) startHead(a, b, c byte) *int32 {
	h := hash4(uint32(a) | uint32(b)<<8 | uint32(c)<<16)
	return &f.startHeads[h>>5&uint32(len(f.startHeads)-1)]
}

// acts finds out what literals may do at words of a key.
func (f *prefilter) acts(key uint64) wordActs {
	w := wordActs{key: key}
	n := int(min(key>>56, 8))
	known, onward := max(n, minLiteral), onwardAt(n)
	sure := 0
	for k := *f.startHead(byte(key), byte(key>>8), byte(key>>16)); k > 0; {
		e := f.starts[k-1]
		k = e.before
		c := &f.candidates[e.candidate]
		rest := c.text[e.lead:]
		if !mayBegin(rest, key, n) {
			continue
		}
		switch {
		case e.lead > 0:
			w.led |= 1 << (c.text[e.lead-1] & 31)
		case len(rest) <= known:
			w.near |= c.near
			if c.announces|c.waits != 0 {
				w.acts = 1
			}
			w.only = e.candidate + 1
			sure++
		case len(rest) <= onward:
			w.onward = ^uint32(0)
		default:
			w.onward |= 1 << (rest[onward] & 31)
		}
	}
	if sure > 1 {
		w.only = 0
	}
	return w
}

// mayBegin reports whether a literal may begin at a word of n bytes, at most eight, by the
// word's key.
func mayBegin(literal string, key uint64, n int) bool {
	for i := range min(len(literal), max(n, minLiteral)) {
		if literal[i]|0x20 != byte(key>>(8*i)) {
			return false
		}
	}
	// What ends a word is not a letter.
	return n == 8 || n >= len(literal) || !letter(literal[n])
}
