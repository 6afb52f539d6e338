package view

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// A code encodes bytes as digits of a few bits each.
type code struct {
	values  [256]int8 // of each digit, -1 for other bytes
	bits    int       // per digit
	digits  int       // per group
	bytes   int       // per group
	least   int       // minimum bytes of a reading
	between string    // characters allowed between groups
	most    int       // maximum number of them
	prefix  string    // optional prefix of each group
	joints  string    // digits that may also separate the code from preceding text
}

// newCode returns a code with the digits of each alphabet, in order of their values.
func newCode(alphabets ...string) (c code) {
	for i := range c.values {
		c.values[i] = -1
	}
	for _, a := range alphabets {
		for v, digit := range []byte(a) {
			c.values[digit] = int8(v)
		}
	}
	return c
}

const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	smalls   = "abcdefghijklmnopqrstuvwxyz"
	numerals = "0123456789"
)

var (
	base64Code = func() code {
		c := newCode(capitals+smalls+numerals+"+/", capitals+smalls+numerals+"-_")
		c.bits, c.digits, c.bytes, c.least = 6, 4, 3, 10
		c.between, c.most, c.joints = "\r\n", 2, "+/-_"
		return c
	}()
	base32Code = func() code {
		c := newCode(capitals + "234567")
		c.bits, c.digits, c.bytes, c.least = 5, 8, 5, 9
		c.between, c.most = "\r\n", 2
		return c
	}()
	hexCode = func() code {
		c := newCode(numerals+"abcdef", numerals+"ABCDEF")
		c.bits, c.digits, c.bytes, c.least = 4, 2, 1, 5
		c.between, c.most, c.prefix = " ,:;-\r\n", 2, "0x"
		return c
	}()
	binaryCode = func() code {
		c := newCode("01")
		c.bits, c.digits, c.bytes, c.least = 1, 8, 1, 4
		c.between, c.most, c.prefix = " ,:;-\r\n", 2, "0b"
		return c
	}()
)

// decode writes the decoded texts of all runs of c in text, on separate lines.
func (c *code) decode(b *builder) {
	text := b.text
	fresh := true // a code may begin at text[i]
	for i := 0; i < len(text); {
		digit := c.values[text[i]] >= 0
		if digit && fresh {
			before := len(b.out)
			if before > 0 {
				b.put("\n\n", i, i)
			}
			start := len(b.out)
			end := c.run(b, i)
			n := len(b.out) - start
			if !isText(b.out[start:], c.least) {
				b.trim(before)
			}
			if n >= c.least {
				i, fresh = end, true
				continue
			}
		}
		fresh = !isAlnum(text[i]) && (!digit || strings.IndexByte(c.joints, text[i]) >= 0)
		i++
	}
}

// run decodes the groups from text[i] on as long as they are readable, and returns their end.
func (c *code) run(b *builder, i int) (end int) {
	text := b.text
	checked := len(b.out)
	for end = i; ; {
		start := c.groupStart(text, end, end == i)
		next, group, n := c.group(text, start)
		if n == 0 {
			b.trim(checked)
			return end
		}
		b.put(string(group[:n]), start, next)
		var ok bool
		if checked, ok = readable(b.out, checked); !ok {
			b.trim(checked)
			return end
		}
		end = next
		if n < c.bytes {
			b.trim(checked)
			return end
		}
	}
}

// groupStart returns the start of the group that follows text[i].
func (c *code) groupStart(text string, i int, first bool) int {
	if !first {
		for n := 0; n < c.most && i < len(text) && strings.IndexByte(c.between, text[i]) >= 0; n++ {
			i++
		}
	}
	if c.prefix != "" && strings.HasPrefix(text[i:], c.prefix) {
		i += len(c.prefix)
	}
	return i
}

// group decodes the group at text[i:]. The last group of a run may be short. n is the number of
// bytes decoded, 0 if there is no group.
func (c *code) group(text string, i int) (end int, bytes [5]byte, n int) {
	var acc uint64
	digits := 0
	for end = i; end < len(text) && digits < c.digits; end++ {
		v := c.values[text[end]]
		if v < 0 {
			break
		}
		acc = acc<<c.bits | uint64(v)
		digits++
	}
	n = digits * c.bits / 8
	acc >>= digits*c.bits - n*8
	for k := range n {
		bytes[k] = byte(acc >> (8 * (n - 1 - k)))
	}
	for pad := digits; n > 0 && pad < c.digits && end < len(text) && text[end] == '='; pad++ {
		end++
	}
	return end, bytes, n
}

// mayBegin reports whether the first group of s, which has the digits of one, may be text. It is a
// prefilter for begins, for codes without a prefix and of at least two bytes per group.
func (c *code) mayBegin(s string) bool {
	var v uint64
	for i := range c.digits {
		digit := c.values[s[i]]
		if digit < 0 {
			return false
		}
		v = v<<c.bits | uint64(digit)
	}
	many := 0 // remaining bytes of a character
	for i := c.bytes - 1; i >= 0; i-- {
		b := byte(v >> (8 * i))
		switch {
		case many > 0:
			if b-0x80 >= 0x40 {
				return false
			}
			many--
		case b < utf8.RuneSelf:
			if isControl(b) {
				return false
			}
		case b < 0xC2 || b > 0xF4:
			return false
		default:
			many = bits.LeadingZeros8(^b) - 1
		}
	}
	return true
}

// begins reports whether s may begin with readable text in c.
func (c *code) begins(s string) bool {
	var out [longText + 8]byte
	n, checked := 0, 0
	for end := 0; n < longText; {
		start := c.groupStart(s, end, end == 0)
		next, group, k := c.group(s, start)
		if k == 0 {
			break
		}
		n += copy(out[n:], group[:k])
		var ok bool
		if checked, ok = readable(out[:n], checked); !ok || k < c.bytes {
			break
		}
		end = next
	}
	return isText(out[:checked], c.least)
}

// readable checks whether s is text, beginning after the first checked bytes. It returns the number
// of text bytes; an incomplete character at the end does not count yet.
func readable(s []byte, checked int) (int, bool) {
	for checked < len(s) {
		if c := s[checked]; c < utf8.RuneSelf {
			if isControl(c) {
				return checked, false
			}
			checked++
			continue
		}
		if !utf8.FullRune(s[checked:]) {
			break
		}
		r, n := utf8.DecodeRune(s[checked:])
		if r == utf8.RuneError && n == 1 {
			return checked, false
		}
		checked += n
	}
	return checked, true
}

// longText is the minimum length of readable bytes that cannot be accidental.
const longText = 24

// isText reports whether s, which is readable, has at least least bytes and is probably text: it is
// long, or most of it is letters and spaces.
func isText(s []byte, least int) bool {
	if len(s) < least || len(s) >= longText {
		return len(s) >= least
	}
	letters := 0
	for _, c := range s {
		if isLetter(c) || isSpace(c) || c >= utf8.RuneSelf {
			letters++
		}
	}
	return letters*3 >= len(s)*2
}

// untag writes the text in tag characters that are not part of a flag, with line breaks between
// separate runs.
func untag(b *builder) {
	text := b.text
	flag := false // the last character was the base of a tag sequence flag
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if flag {
			n = max(n, flagLen(text[i:]))
		}
		if classify(r) == tag && n == utf8.UTFMax && r < 0xE007F {
			b.apart(i)
			b.put(string(r-0xE0000), i, i+n)
		}
		flag = r == blackFlag
		i += n
	}
}

// unselect writes the bytes encoded in variation selectors: the first sixteen values by the basic
// ones, the others by the supplementary ones.
func unselect(b *builder) {
	text := b.text
	after := selector // the class of the preceding character
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		c := ordinary
		if r >= utf8.RuneSelf {
			c = classify(r)
		}
		if c == selector {
			v := r - 0xFE00
			if r >= 0xE0100 {
				v = r - 0xE0100 + 16
			}
			if after == selector || v >= 16 {
				b.apart(i)
				b.put(string([]byte{byte(v)}), i, i+n)
			}
		}
		after = c
		i += n
	}
	if !utf8.Valid(b.out) {
		b.trim(0)
	}
}

// apart writes an empty line if the last output comes from well before text[i].
func (b *builder) apart(i int) {
	const near = 64
	if n := len(b.spans); n > 0 && i-b.next > near {
		b.put("\n\n", i, i)
	}
}
