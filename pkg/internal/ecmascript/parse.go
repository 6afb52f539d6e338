package ecmascript

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	maxLength = 1 << 16 // characters of an expression
	maxDepth  = 200     // nesting of groups
	maxRanges = 1 << 17 // in all classes
)

// flags are the modifiers of a part of an expression.
type flags struct{ ignoreCase, multiline, dotAll bool }

// A parser parses an expression. After an error it is at the end.
type parser struct {
	src    []rune
	pos    int
	err    error
	flags  flags
	depth  int
	groups int
	ranges int
	names  []groupName
	// references are resolved when all groups are known.
	references []unresolvedReference
	properties map[string]set // parsed properties
}

type groupName struct {
	name   string
	number int
}

type unresolvedReference struct {
	*reference
	name string // "" for a numeric reference
	pos  int
}

func parse(expr string) (*tree, error) {
	p := &parser{src: []rune(expr), properties: map[string]set{}}
	if len(p.src) > maxLength {
		return nil, fmt.Errorf("a regular expression of %d characters: more than %d", len(p.src), maxLength)
	}
	root := p.alternatives()
	if p.pos < len(p.src) {
		p.fail(p.pos, `")" without "(": write "\)"`)
	}
	p.resolve()
	if p.err != nil {
		return nil, p.err
	}
	return &tree{root, p.groups}, nil
}

// fail keeps the first error and ends parsing.
func (p *parser) fail(pos int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("character %d: %s", pos+1, fmt.Sprintf(format, args...))
	}
	p.pos = len(p.src)
}

// resolve replaces names in references by group numbers, and rejects references to missing groups.
func (p *parser) resolve() {
	for _, r := range p.references {
		if r.name != "" {
			i := slices.IndexFunc(p.names, func(g groupName) bool { return g.name == r.name })
			if i < 0 {
				p.fail(r.pos, `no group has the name %.40q`, r.name)
				return
			}
			r.number = p.names[i].number
		} else if r.number > p.groups {
			p.fail(r.pos, `no group has the number %d: write "\x" and two hexadecimal digits for a character`, r.number)
			return
		}
	}
}

// next consumes text if it comes next, and reports whether it does.
func (p *parser) next(text string) bool {
	if !p.sees(text) {
		return false
	}
	p.pos += len(text)
	return true
}

// sees reports whether text, which is ASCII, comes next.
func (p *parser) sees(text string) bool {
	if len(p.src)-p.pos < len(text) {
		return false
	}
	for i := range len(text) {
		if p.src[p.pos+i] != rune(text[i]) {
			return false
		}
	}
	return true
}

// alternatives parses alternatives up to a closing bracket.
func (p *parser) alternatives() node {
	list := alternatives{p.sequence()}
	for p.next("|") {
		list = append(list, p.sequence())
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

func (p *parser) sequence() node {
	var list sequence
	for p.pos < len(p.src) && !p.sees("|") && !p.sees(")") {
		list = append(list, p.term())
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// term parses an atom and its quantifier.
func (p *parser) term() node {
	start, first := p.pos, p.groups+1
	atom := p.atom()
	quantifier := p.pos
	low, high, ok := p.quantifier()
	if !ok {
		return atom
	}
	n := repeat{body: atom, min: low, max: high, lazy: p.next("?"), first: first, end: p.groups + 1}
	if low > high {
		p.fail(quantifier, "a count from %d to %d: swap them", low, high)
	}
	if place := string(p.src[start:min(start+4, len(p.src))]); isPlace(place) {
		p.fail(quantifier, "nothing to repeat: an assertion is before it")
	}
	return n
}

// isPlace reports whether a term that begins with start cannot be repeated.
func isPlace(start string) bool {
	return slices.ContainsFunc([]string{"^", "$", `\b`, `\B`, "(?<=", "(?<!"}, func(place string) bool { return strings.HasPrefix(start, place) })
}

// quantifier parses a quantifier, if there is one.
func (p *parser) quantifier() (low, high int, ok bool) {
	switch {
	case p.next("*"):
		return 0, infinite, true
	case p.next("+"):
		return 1, infinite, true
	case p.next("?"):
		return 0, 1, true
	}
	start := p.pos
	if p.next("{") {
		if low, ok = p.number(); ok {
			high = low
			if p.next(",") {
				if high, ok = p.number(); !ok {
					high = infinite
				}
			}
			if p.next("}") {
				return low, high, true
			}
		}
	}
	p.pos = start // a literal brace
	return 0, 0, false
}

// number parses decimal digits.
func (p *parser) number() (n int, ok bool) {
	for ; p.pos < len(p.src) && '0' <= p.src[p.pos] && p.src[p.pos] <= '9'; p.pos++ {
		if ok = true; n < infinite/10 {
			n = n*10 + int(p.src[p.pos]-'0')
		} else {
			n = infinite
		}
	}
	return n, ok
}

func (p *parser) atom() node {
	start := p.pos
	if _, _, ok := p.quantifier(); ok {
		p.fail(start, `nothing to repeat before %q: write "\" before it if it is meant literally`, string(p.src[start:p.pos]))
		return nil
	}
	c := p.src[p.pos]
	p.pos++
	switch c {
	case '^':
		if p.flags.multiline {
			return assertion{kind: lineStart}
		}
		return assertion{kind: textStart}
	case '$':
		if p.flags.multiline {
			return assertion{kind: lineEnd}
		}
		return assertion{kind: textEnd}
	case '.':
		if p.flags.dotAll {
			return chars{all}
		}
		return p.chars(lineTerminator.complement())
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '\\':
		return p.escape()
	}
	return p.chars(p.fold(set{c, c}))
}

// group parses a group after its opening bracket, up to and including the closing one.
func (p *parser) group() node {
	start := p.pos - 1
	if p.depth++; p.depth > maxDepth {
		p.fail(start, "groups more than %d deep", maxDepth)
	}
	outer := p.flags
	var n node
	switch {
	case p.next("?:"):
		n = p.alternatives()
	case p.next("?="):
		n = look{body: p.alternatives()}
	case p.next("?!"):
		n = look{body: p.alternatives(), negative: true}
	case p.next("?<="):
		n = look{body: p.alternatives(), behind: true}
	case p.next("?<!"):
		n = look{body: p.alternatives(), behind: true, negative: true}
	case p.next("?<"):
		p.groups++
		number := p.groups
		p.names = append(p.names, groupName{p.newName(), number})
		n = group{number, p.alternatives()}
	case p.next("?"):
		p.modifiers()
		n = p.alternatives()
	default:
		p.groups++
		number := p.groups
		n = group{number, p.alternatives()}
	}
	p.flags = outer
	p.depth--
	if !p.next(")") {
		p.fail(start, `"(" without ")": write "\(" if it is meant literally`)
	}
	return n
}

// modifiers parses the modifiers in "(?i-m:", and the colon.
func (p *parser) modifiers() {
	start := p.pos - 1
	on, seen := true, ""
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		p.pos++
		switch {
		case c == '-' && on:
			on = false
			continue
		case c == ':' && seen != "":
			return
		case strings.ContainsRune(seen, c):
			p.fail(start, "the modifier %q twice", c)
			return
		case c == 'i':
			p.flags.ignoreCase = on
		case c == 'm':
			p.flags.multiline = on
		case c == 's':
			p.flags.dotAll = on
		default:
			p.fail(start, `%q after "(": ECMA-262 allows (?:…), (?=…), (?!…), (?<=…), (?<!…), (?<name>…) and the modifiers (?ims-ims:…)`, string(p.src[start:p.pos]))
			return
		}
		seen += string(c)
	}
	p.fail(start, `modifiers without ":"`)
}

// newName parses the name of a group, which must be unique.
func (p *parser) newName() string {
	start := p.pos
	name := p.name()
	if slices.ContainsFunc(p.names, func(g groupName) bool { return g.name == name }) {
		p.fail(start, "a second group %.40q: give it another name", name)
	}
	return name
}

// name parses a name and the bracket after it.
func (p *parser) name() string {
	start := p.pos
	for ; p.pos < len(p.src); p.pos++ {
		c := p.src[p.pos]
		switch {
		case c == '>' && p.pos > start:
			p.pos++
			return string(p.src[start : p.pos-1])
		case c == '$' || c == '_' || unicode.In(c, unicode.L, unicode.Nl, unicode.Other_ID_Start):
		case p.pos > start && (c == '\u200c' || c == '\u200d' || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)):
		default:
			p.fail(p.pos, "%q in the name of a group", c)
			return ""
		}
	}
	p.fail(start, `the name of a group without ">"`)
	return ""
}

// chars returns a node that reads a character of a set.
func (p *parser) chars(s set) node {
	if p.ranges += len(s)/2 + 1; p.ranges > maxRanges {
		p.fail(p.pos, "classes with more than %d ranges of characters", maxRanges)
	}
	return chars{s}
}

// fold returns a set after applying the modifier i.
func (p *parser) fold(s set) set {
	if !p.flags.ignoreCase {
		return s
	}
	if !s.isSingle() {
		p.ranges += 100 // costs as much as that many ranges
	}
	return s.withoutCase()
}
