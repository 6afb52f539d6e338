package jsonstream

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unicode/utf8"
)

// A frame is an object or array that has not ended.
type frame struct {
	node  int32    // its index
	names uint64   // a bit for each hash of a member name
	size  int      // members so far
	all   []uint32 // the members of an object with many of them: see isAmongAll
}

// manyMembers is the minimum number of members for a hash table of an object's names.
const manyMembers = 64

// scan reads a value of the document as Parse must, several times as fast as package jsontext. It returns
// false for a text that is not strict JSON or exceeds a limit, and for some rare valid texts: then jsontext
// reads it again and finds the fault. The value is the text from begin to end, except white space, and a
// child of holder, -1 for the root.
func (p *Parser) scan(begin, end int, holder int32, maxDepth int) bool {
	d := &p.doc
	text := d.raw.Bytes[:end]
	frames := p.frames[:0]
	defer func() { p.frames = frames }()
	parent := holder
	var nameStart, nameEnd uint32
	i := skipSpace(text, begin)
	for {
		if i >= len(text) {
			return false
		}
		n := d.append(i, parent, nameStart, nameEnd)
		nameStart, nameEnd = 0, 0
		open := false
		switch c := text[i]; c {
		case '{', '[':
			parent = int32(len(d.nodes) - 1)
			frames = append(frames, frame{node: parent})
			if len(frames) > maxDepth {
				return false
			}
			i = skipSpace(text, i+1)
			// In ASCII, a closing bracket is two after its opening one.
			open = i < len(text) && text[i] != c+2
		default:
			end := scanScalar(text, i)
			if end < 0 {
				return false
			}
			n.end, n.next = uint32(end), int32(len(d.nodes))
			i = end
		}
		// The value has ended, or its first member or element begins.
		for !open {
			i = skipSpace(text, i)
			if len(frames) == 0 {
				return i == len(text)
			}
			if i >= len(text) {
				return false
			}
			switch container := &d.nodes[parent]; text[i] {
			case ',':
				i = skipSpace(text, i+1)
				open = true
			case text[container.start] + 2:
				i++
				container.end, container.next = uint32(i), int32(len(d.nodes))
				parent = container.parent
				frames = frames[:len(frames)-1]
			default:
				return false
			}
		}
		if text[d.nodes[parent].start] == '{' {
			end := scanName(text, i)
			if end < 0 || d.isDuplicate(&frames[len(frames)-1], text[i:end]) {
				return false
			}
			nameStart, nameEnd = uint32(i), uint32(end)
			i = skipSpace(text, end)
			if i >= len(text) || text[i] != ':' {
				return false
			}
			i = skipSpace(text, i+1)
		}
	}
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// isDuplicate reports whether the object already has a member of this name, and records the new one.
func (d *Document) isDuplicate(f *frame, name []byte) bool {
	hash := uint64(len(name)) * 0x9E3779B97F4A7C15
	if len(name) >= 8 {
		hash ^= binary.LittleEndian.Uint64(name) * 0xC2B2AE3D27D4EB4F
		hash ^= binary.LittleEndian.Uint64(name[len(name)-8:]) * 0x165667B19E3779F9
	} else {
		for _, c := range name {
			hash = (hash ^ uint64(c)) * 0x100000001B3
		}
	}
	bit := uint64(1) << (hash >> 58)
	if f.size++; f.size > manyMembers {
		return d.isAmongAll(f, name)
	}
	if f.names&bit != 0 {
		for i := f.node + 1; i < int32(len(d.nodes)); i = d.nodes[i].next {
			if bytes.Equal(d.raw.Bytes[d.nodes[i].nameStart:d.nodes[i].nameEnd], name) {
				return true
			}
		}
	}
	f.names |= bit
	return false
}

// nameSeed prevents an attacker from choosing names that collide in the table.
var nameSeed = maphash.MakeSeed()

// isAmongAll is like isDuplicate, but for an object with many members. Its hash table holds their indices,
// 0 for none, and is at most half full.
func (d *Document) isAmongAll(f *frame, name []byte) bool {
	if 2*f.size > len(f.all) {
		f.all = make([]uint32, max(2*len(f.all), 4*manyMembers))
		for i := f.node + 1; i < int32(len(d.nodes)); i = d.nodes[i].next {
			f.all[d.placeOf(f, d.raw.Bytes[d.nodes[i].nameStart:d.nodes[i].nameEnd])] = uint32(i)
		}
	}
	place := d.placeOf(f, name)
	if f.all[place] != 0 {
		return true
	}
	f.all[place] = uint32(len(d.nodes)) // the index of the value that follows
	return false
}

// placeOf returns the slot of a name in the table of an object, or the free slot for it.
func (d *Document) placeOf(f *frame, name []byte) int {
	last := len(f.all) - 1
	for place := int(maphash.Bytes(nameSeed, name)) & last; ; place = (place + 1) & last {
		i := f.all[place]
		if i == 0 || bytes.Equal(d.raw.Bytes[d.nodes[i].nameStart:d.nodes[i].nameEnd], name) {
			return place
		}
	}
}

// scanName returns the end of the member name at i, -1 if there is none or it has escapes, since names are
// compared as bytes.
func scanName(text []byte, i int) int {
	if i >= len(text) || text[i] != '"' {
		return -1
	}
	if end := plainRun(text, i+1); end < len(text) && text[end] == '"' {
		return end + 1
	}
	end := scanString(text, i)
	if end < 0 || bytes.IndexByte(text[i:end], '\\') >= 0 {
		return -1
	}
	return end
}

// scanScalar returns the end of the string, number or literal at i, -1 if there
// is none.
func scanScalar(text []byte, i int) int {
	literal := ""
	switch c := text[i]; c {
	case '"':
		return scanString(text, i)
	case 't':
		literal = "true"
	case 'f':
		literal = "false"
	case 'n':
		literal = "null"
	default:
		return scanNumber(text, i)
	}
	if end := i + len(literal); end <= len(text) && string(text[i:end]) == literal {
		return end
	}
	return -1
}

// scanNumber returns the end of the number at i (RFC 8259, section 6).
func scanNumber(text []byte, i int) int {
	if i < len(text) && text[i] == '-' {
		i++
	}
	whole := i
	if i = digits(text, i); i == whole || text[whole] == '0' && i > whole+1 {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		fraction := i + 1
		if i = digits(text, fraction); i == fraction {
			return -1
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		exponent := i
		if i = digits(text, i); i == exponent {
			return -1
		}
	}
	return i
}

func digits(text []byte, i int) int {
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	return i
}

// scanString returns the end of the string whose opening quote is at i, -1 if it is invalid.
func scanString(text []byte, i int) int {
	begin := i
	ascii := true
	for i++; ; {
		i = plainRun(text, i)
		if i >= len(text) {
			return -1
		}
		switch c := text[i]; {
		case c == '"':
			if !ascii && !utf8.Valid(text[begin:i]) {
				return -1
			}
			return i + 1
		case c == '\\':
			if i = scanEscape(text, i); i < 0 {
				return -1
			}
		case c >= utf8.RuneSelf:
			ascii = false
			for i < len(text) && text[i] >= utf8.RuneSelf {
				i++
			}
		default:
			return -1
		}
	}
}

// plainRun returns the index of the next byte that is a quote, a backslash, a control character or not
// ASCII. It processes eight bytes at a time: the top bit of a lane is set for such a byte, and is exact up
// to the first one.
func plainRun(text []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for i+8 <= len(text) {
		x := binary.LittleEndian.Uint64(text[i:])
		quote, backslash := x^('"'*ones), x^('\\'*ones)
		found := (x | (x - 0x20*ones) | (quote - ones) | (backslash - ones)) & tops
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] >= 0x20 && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// scanEscape returns the end of the escape at i, -1 if it is invalid. A surrogate pair is one escape.
func scanEscape(text []byte, i int) int {
	if i+1 >= len(text) {
		return -1
	}
	switch text[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
	default:
		return -1
	}
	switch unit := hex4(text, i+2); {
	case unit < 0, unit >= 0xDC00 && unit <= 0xDFFF:
		return -1
	case unit < 0xD800 || unit > 0xDFFF:
		return i + 6
	}
	if i+8 > len(text) || text[i+6] != '\\' || text[i+7] != 'u' {
		return -1
	}
	if low := hex4(text, i+8); low < 0xDC00 || low > 0xDFFF {
		return -1
	}
	return i + 12
}

// hex4 returns the value of the four hexadecimal digits at i, -1 if there are
// none.
func hex4(text []byte, i int) int {
	if i+4 > len(text) {
		return -1
	}
	value := 0
	for _, c := range text[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		value = value<<4 | int(c)
	}
	return value
}
