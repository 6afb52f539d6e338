package ecmascript

import (
	"unicode"
	"unicode/utf16"
)

// class parses a class after its opening bracket, up to and including the closing one.
func (p *parser) class() node {
	start := p.pos - 1
	inverted := p.next("^")
	var members []set
	for !p.next("]") {
		if p.pos >= len(p.src) {
			p.fail(start, `"[" without "]": write "\[" if it is meant literally`)
			return nil
		}
		pos := p.pos
		low, single := p.member()
		if p.sees("-") && !p.sees("-]") {
			p.pos++
			if p.pos >= len(p.src) {
				continue // report the error
			}
			high, alsoSingle := p.member()
			switch {
			case !single || !alsoSingle: // Annex B: a literal hyphen
				low = union(low, set{'-', '-'}, high)
			case low[0] > high[0]:
				p.fail(pos, "a range from %q to %q: swap them", low[0], high[0])
			default:
				low = set{low[0], high[0]}
			}
		}
		members = append(members, low)
		if p.ranges += len(low) / 2; p.ranges > maxRanges {
			p.fail(pos, "classes with more than %d ranges of characters", maxRanges)
		}
	}
	s := p.fold(union(members...))
	if inverted {
		s = s.complement()
	}
	return p.chars(s)
}

// member parses a member of a class; single reports that it is one character.
func (p *parser) member() (s set, single bool) {
	if !p.next(`\`) {
		c := p.src[p.pos]
		p.pos++
		return set{c, c}, true
	}
	if s := p.classEscape(); s != nil {
		return s, false
	}
	if p.next("b") {
		return set{'\b', '\b'}, true
	}
	c := p.character()
	return set{c, c}, true
}

// escape parses an escape outside of classes, after the backslash.
func (p *parser) escape() node {
	start := p.pos - 1
	word := words
	if p.flags.ignoreCase {
		word = wordsAnyCase
	}
	switch {
	case p.next("b"):
		return assertion{boundary, word}
	case p.next("B"):
		return assertion{noBoundary, word}
	case p.next("k<"):
		r := &reference{anyCase: p.flags.ignoreCase}
		p.references = append(p.references, unresolvedReference{r, p.name(), start})
		return r
	}
	if s := p.classEscape(); s != nil {
		return p.chars(p.fold(s))
	}
	if !p.sees("0") {
		if number, ok := p.number(); ok {
			r := &reference{number, p.flags.ignoreCase}
			p.references = append(p.references, unresolvedReference{r, "", start})
			return r
		}
	}
	c := p.character()
	return p.chars(p.fold(set{c, c}))
}

// classEscape parses a class escape after the backslash. It returns nil for other escapes.
func (p *parser) classEscape() set {
	start := p.pos - 1
	switch {
	case p.next("d"):
		return digits
	case p.next("D"):
		return digits.complement()
	case p.next("s"):
		return whiteSpace
	case p.next("S"):
		return whiteSpace.complement()
	case p.next("w"):
		return words
	case p.next("W"):
		if p.flags.ignoreCase {
			return wordsAnyCase.complement()
		}
		return words.complement()
	case p.next("p{"):
		return p.property(start)
	case p.next("P{"):
		return p.property(start).complement()
	}
	return nil
}

// property parses the name of a property and the closing brace.
func (p *parser) property(start int) set {
	from := p.pos
	for !p.sees("}") {
		if p.pos >= len(p.src) {
			p.fail(start, `"\p{" without "}"`)
			return all
		}
		p.pos++
	}
	name := string(p.src[from:p.pos])
	p.pos++
	s, ok := p.properties[name]
	if !ok {
		if s, ok = property(name); !ok {
			p.fail(start, `no property %.40q here: names are such as \p{L}, \p{Letter}, \p{Script=Greek} and \p{Alphabetic}`, name)
			return all
		}
		p.properties[name] = s
	}
	return s
}

// character parses a character escape after the backslash.
func (p *parser) character() rune {
	start := p.pos - 1
	if p.pos >= len(p.src) {
		p.fail(start, `"\" at the end: write "\\" if it is meant literally`)
		return 0
	}
	c := p.src[p.pos]
	p.pos++
	switch c {
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case '0':
		if _, more := p.number(); !more {
			return 0
		}
	case 'c':
		if p.pos < len(p.src) && isASCIILetter(p.src[p.pos]) {
			p.pos++
			return p.src[p.pos-1] % 32
		}
	case 'x':
		if r, ok := p.hex(2); ok {
			return r
		}
	case 'u':
		if r, ok := p.unicode(); ok {
			return r
		}
	default:
		if !isASCIILetter(c) && (c < '0' || c > '9') {
			return c // Annex B accepts more than the u flag does
		}
	}
	p.fail(start, `"\%c" does not begin an escape of ECMA-262: remove the backslash if it is meant literally`, c)
	return 0
}

// unicode parses an escape after "\u": four digits, possibly with a second escape to complete a
// surrogate pair, or a number in braces.
func (p *parser) unicode() (r rune, ok bool) {
	if p.next("{") {
		start := p.pos
		for p.pos < len(p.src) && !p.sees("}") {
			d, ok := hexDigit(p.src[p.pos])
			if r = r<<4 | d; !ok || r > unicode.MaxRune {
				return 0, false
			}
			p.pos++
		}
		return r, p.pos > start && p.next("}")
	}
	if r, ok = p.hex(4); !ok {
		return 0, false
	}
	after := p.pos
	if utf16.IsSurrogate(r) && p.next(`\u`) {
		if low, ok := p.hex(4); ok {
			if pair := utf16.DecodeRune(r, low); pair != unicode.ReplacementChar {
				return pair, true
			}
		}
		p.pos = after
	}
	return r, true
}

// hex parses n hexadecimal digits.
func (p *parser) hex(n int) (r rune, ok bool) {
	if len(p.src)-p.pos < n {
		return 0, false
	}
	for range n {
		d, ok := hexDigit(p.src[p.pos])
		if !ok {
			return 0, false
		}
		r = r<<4 | d
		p.pos++
	}
	return r, true
}

func hexDigit(c rune) (value rune, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

func isASCIILetter(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
