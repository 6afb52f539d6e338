// Package textscan scans texts fast: for the literals of many rules at once ([Index]), and block by
// block as bit masks ([ReadBlock]). The tests compare each function with a simple implementation.
package textscan

// An Index finds the literals of rules in texts. It is safe for concurrent use.
type Index struct {
	*Tables
	reaches []int
	classes *Classes
	heads   []head // of Texts
}

// A head is the beginning of a text, up to eight folded bytes, and the bits that it has.
type head struct{ bytes, bits uint64 }

// NewIndex returns an index of the literals of rules. reaches has a number for each rule: the
// maximum distance, in bytes, from the beginning of a waiting literal to the end of a literal near
// it.
func NewIndex(literals []Literal, reaches []int) *Index {
	return NewTables(literals, len(reaches)).Index(reaches)
}

// Index is [NewIndex] for the literals of the tables, which must not be modified afterwards.
func (t *Tables) Index(reaches []int) *Index {
	x := &Index{t, reaches, NewClasses(t.Marks, ""), make([]head, len(t.Texts))}
	for i, s := range t.Texts {
		h := &x.heads[i]
		h.bits = ^uint64(0) >> (8 * max(0, 8-len(s)))
		h.bytes = (UpToEight(s) | fold8) & h.bits
	}
	return x
}

// of returns the announcements of a text.
func (t *Tables) of(text int) []Announcement {
	from := int32(0)
	if text > 0 {
		from = t.Ends[text-1]
	}
	return t.Announcements[from:t.Ends[text]]
}

// find returns the index of the longest text that is a prefix of s, -1 if there is none.
func (x *Index) find(s string) int {
	if len(s) < MinLiteral {
		return -1
	}
	v := firstEight(s)
	bucket := hash4(uint32(v)) >> 4
	from := int(x.Buckets[bucket])
	for i, h := range x.heads[from:x.Buckets[bucket+1]] {
		if (v^h.bytes)&h.bits != 0 {
			continue
		}
		text := x.Texts[from+i]
		if len(s) >= len(text) && (len(text) <= 8 || hasPrefixFold(s[8:], text[8:])) {
			return from + i
		}
	}
	return -1
}

// A Bitmap is a set of the beginnings of literals: hashes of their first four bytes or, if long
// enough, six or eight.
type Bitmap [1 << 11]uint64

func (b *Bitmap) add(s string) {
	if len(s) < MinLiteral { // may be the text after a gap
		for c := range 256 {
			b.add(s + string([]byte{byte(c)}))
		}
		return
	}
	v := UpToEight(s) | fold8
	h := hash4(uint32(v))
	switch {
	case len(s) >= 8:
		h = hash8(v)
	case len(s) >= 6:
		h = hash6(v)
	}
	b[h>>6] |= 1 << (h & 63)
}

// may reports whether a literal may begin with the first bytes of v. It is a prefilter.
func (b *Bitmap) may(v uint64) bool {
	h4, h6, h8 := hash4(uint32(v)), hash6(v), hash8(v)
	const last = uint32(len(b) - 1)
	return (b[h4>>6&last]>>(h4&63)|b[h6>>6&last]>>(h6&63)|b[h8>>6&last]>>(h8&63))&1 != 0
}

// firstEight returns the first eight bytes of s as a number, folded and padded with spaces.
func firstEight(s string) uint64 {
	if len(s) >= 8 {
		return eight(s) | fold8
	}
	return UpToEight(s) | fold8
}

// fold lowers ASCII letters, four at a time. It also makes some other bytes equal.
const (
	fold  = 0x20202020
	fold8 = fold<<32 | fold
)

// A hash of six or eight bytes has as many values as a bitmap has bits, a hash of four bytes half
// as many.
func hash4(v uint32) uint32 { return v * 0x9E3779B1 >> 16 }
func hash6(v uint64) uint32 { return uint32(v << 16 * 0x9E3779B97F4A7C15 >> (64 - 17)) }
func hash8(v uint64) uint32 { return uint32(v * 0x9E3779B97F4A7C15 >> (64 - 17)) }

// four returns the first four bytes of s as a number.
func four(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// hasPrefixFold reports whether s begins with prefix, comparing bytes as fold does.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if s[i]|0x20 != prefix[i]|0x20 {
			return false
		}
	}
	return true
}

// isGap reports whether c is one of the bytes that make [NewClasses] slow.
func isGap(c byte) bool { return c == ' ' || c == '"' || c == ',' || c == '.' || c == ':' }

func isAlnum(c byte) bool { return c-'0' < 10 || isLetter(c) }

func isLetter(c byte) bool { return c|0x20-'a' < 26 }
