package privacy

import (
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/privacy/internal/phone"
)

// defaultRegions are the regions searched for numbers without a calling code.
var defaultRegions = []string{"US", "GB", "DE", "FR", "IT", "ES", "NL", "CH", "AT", "BE", "SE", "PL", "IE", "AU", "NZ", "ZA", "IN", "JP", "KR", "BR", "MX", "CN", "RU", "TR", "DK", "NO", "FI", "PT", "CZ", "HU", "SI", "IS", "EE", "GR", "UY"}

// maxLookups is the maximum number of comparisons with the plan of a region per text. It bounds the
// cost of hostile texts.
const maxLookups = 20_000

// A phoneNumber is a telephone number as written.
type phoneNumber struct {
	start  int
	plus   bool // it begins with a calling code
	braced bool // its first group of digits, or the second after a calling code, is in brackets
	mixed  bool // it has several kinds of separators
	digits [20]byte
	n      int
	groups [10]digitGroup // the ends of the groups of digits
	count  int            // number of groups
}

type digitGroup struct {
	end    int
	digits int // digits up to there
	size   int
}

// phone looks for a telephone number: with a calling code, in North American form, or of one of the
// regions.
func (f *finder) phone(t *token) int {
	if t.groups[0].letters > 0 && t.n < 2 || !isDigit(t.plain[0]) {
		return 0
	}
	d := phoneNumber{start: t.start}
	if !f.dial(&d) || d.n < 6 {
		return 0
	}
	for n := d.count; n > 0; n-- {
		g := d.groups[n-1]
		if g.digits < 6 || g.digits > 15 {
			continue
		}
		kind, score := f.rate(&d, n)
		if score == 0 {
			continue
		}
		end := g.end
		if n == d.count {
			end = f.extension(end)
		}
		if f.byteAt(d.start) != '(' && f.byteAt(end) == ')' && strings.IndexByte(f.text[d.start:end], '(') >= 0 && strings.IndexByte(f.text[d.start:end], ')') < 0 {
			end++
		}
		if f.add(Phone, kind, d.start, end, score) {
			return end
		}
	}
	return 0
}

// dial reads a number from its first digit on, with its prefix characters.
func (f *finder) dial(d *phoneNumber) bool {
	text := f.text
	i := d.start
	if b := f.byteAt(d.start - 1); b == '(' {
		d.braced = true
		d.start--
		if f.byteAt(d.start-1) == '+' {
			d.start--
			d.plus = true
		}
	} else if b == '+' {
		d.plus = true
		d.start--
		if f.byteAt(d.start-1) == '(' {
			d.start--
		}
	} else if b == '.' || b == ',' && isDigit(f.byteAt(d.start-2)) || b == '#' || b == '$' || b == '=' || b == '/' && f.byteAt(d.start-2) == '/' || b == '-' && isWord(f.byteAt(d.start-2)) {
		return false // a part of a number, or of something else
	}
	if before := f.byteAt(d.start - 1); isWord(before) {
		return false
	}
	kind := byte(0)
	for d.count < len(d.groups) {
		size := 0
		for isDigit(f.byteAt(i)) && d.n < len(d.digits) {
			d.digits[d.n] = text[i]
			d.n++
			size++
			i++
		}
		if size == 0 || isWord(f.byteAt(i)) && f.byteAt(i) != 'x' && f.byteAt(i) < 0x80 {
			break
		}
		d.groups[d.count] = digitGroup{i, d.n, size}
		d.count++
		// Separators of groups: a space, a dash, a dot, a slash, brackets, or two of them.
		at := i
		for at-i < 4 {
			n, form := f.separator(at)
			if n == 0 {
				// Brackets are allowed only around the group after a calling code.
				if b := f.byteAt(at); b == ')' || b == '(' && d.count == 1 && size <= 3 && kind == 0 {
					d.braced = d.braced || b == '('
					at++
					continue
				}
				break
			}
			if kind != 0 && form != kind && form != ' ' {
				d.mixed = true
			}
			if form != ' ' {
				kind = form
			}
			at += n
		}
		if at == i || !isDigit(f.byteAt(at)) {
			break
		}
		i = at
	}
	return d.count > 0
}

// form appends the sizes of the first n groups, one digit each.
func (d *phoneNumber) form(dst []byte, n int) []byte {
	for _, g := range d.groups[:n] {
		dst = append(dst, byte('0'+min(g.size, 9)))
	}
	return dst
}

// rate returns the score of the first n groups as a telephone number, and its region.
func (f *finder) rate(d *phoneNumber, n int) (kind string, score float64) {
	digits := string(d.digits[:d.groups[n-1].digits])
	switch rest, calling := strings.CutPrefix(digits, "00"); {
	case d.plus:
		return f.international(digits, d, n)
	case calling && len(rest) > 8:
		if kind, ok := phone.International(rest); ok {
			return kind, 0.9
		}
	}
	var sizes [10]byte
	form := string(d.form(sizes[:0], n))
	c := f.near(d.start)
	called := c&ofPhone != 0 || f.after(d.groups[n-1].end)&ofPhone != 0
	switch {
	case len(form) == 3 && (form[0] == '4' && form[1:] == "22" || form == "224" || form == "114" || form == "124" || form == "214"):
		return "", 0 // a date
	case c&ofOther != 0 && !called && !d.braced:
		return "", 0
	}
	// North America: 3-3-4, with an optional leading 1.
	switch form {
	case "334", "1334", "3334":
		if form == "3334" && !strings.HasPrefix(digits, "001") || form == "1334" && digits[0] != '1' {
			break
		}
		switch {
		case called || d.braced:
			return "US", 0.93
		case phone.National("US", digits[len(digits)-10:]):
			return "US", 0.85
		case f.spaced(d, n):
			return "US", 0.55
		}
		return "US", 0.7
	case "34":
		if called {
			return "US", 0.75
		}
	}
	grouped := n > 1
	if c&ofNumber != 0 && n >= 3 && len(digits) >= 8 && len(digits) <= 12 && c&(ofBank|ofCard|ofID|ofAnyID|ofHealth|ofSSN|ofLicence|ofPassport) == 0 {
		return "", 0.6
	}
	local := digits[0] == '0' || d.braced
	if (local && grouped && len(digits) >= 8 || called) && !d.decimal(f, n) {
		for _, region := range f.regions() {
			if f.lookups++; f.lookups > maxLookups {
				break
			}
			if phone.National(region, digits) {
				if !slices.Contains(f.policy.Regions, region) {
					region = "" // ambiguous
				}
				switch {
				case called:
					return region, 0.93
				case d.mixed && !d.braced:
					return region, 0.5
				}
				return region, 0.65
			}
		}
		if called && (len(digits) >= 7 || n > 2) && len(digits) <= 14 {
			return "", 0.7
		}
		if d.braced && len(digits) >= 8 && grouped {
			return "", 0.6
		}
	}
	switch {
	case len(digits) < 8 || len(digits) > 12 || same(d.digits[:len(digits)]) || d.decimal(f, n):
	case n > 1 && digits[0] == '0' && digits[1] != '0' && len(digits) > 8 && d.groups[0].size <= 5:
		return "", 0.5 // a national number, in no region's plan
	case n > 2 && !strings.Contains(form, "1") && f.alone(d.start, d.groups[n-1].end):
		return "", 0.5
	}
	return "", 0
}

// alone reports whether the text from start to end is alone on its line.
func (f *finder) alone(start, end int) bool {
	return (start == 0 || f.text[start-1] == '\n') && (end == len(f.text) || f.text[end] == '\n')
}

// international rates a number with a calling code.
func (f *finder) international(digits string, d *phoneNumber, n int) (kind string, score float64) {
	// +44 (0)20 is dialled as 020 in Britain and as +44 20 elsewhere.
	if open := strings.Index(f.text[d.start:d.groups[n-1].end], "(0"); open > 0 {
		before := 0
		for _, b := range []byte(f.text[d.start : d.start+open]) {
			if isDigit(b) {
				before++
			}
		}
		digits = digits[:before] + digits[before+1:]
	}
	if kind, ok := phone.International(digits); ok {
		return kind, 0.97
	}
	if len(digits) < 8 {
		return "", 0
	}
	return "", 0.75 // plausible form, but mistyped or invented
}

// spaced reports whether the only separators are spaces.
func (f *finder) spaced(d *phoneNumber, n int) bool {
	return !strings.ContainsAny(f.text[d.start:d.groups[n-1].end], "-.()/")
}

// decimal reports whether the number has one dot and no other separator: 1234567.89.
func (d *phoneNumber) decimal(f *finder, n int) bool {
	return n == 2 && f.byteAt(d.groups[0].end) == '.'
}

// extension returns the end of an extension, such as x123, or end.
func (f *finder) extension(end int) int {
	rest := f.text[end:]
	for _, word := range []string{"x", " x", " ext. ", " ext.", " ext ", " extension ", ", ext. ", " Ext. ", " ext: ", " x."} {
		after, ok := strings.CutPrefix(rest, word)
		if !ok {
			continue
		}
		n := 0
		for n < len(after) && n < 7 && isDigit(after[n]) {
			n++
		}
		if n > 0 && n < 7 && (n == len(after) || !isWord(after[n])) {
			return end + len(word) + n
		}
	}
	return end
}

// regions returns the regions searched for numbers without a calling code.
func (s *Scanner) regions() []string {
	if len(s.policy.Regions) > 0 {
		return slices.Concat(s.policy.Regions, defaultRegions)
	}
	return defaultRegions
}
