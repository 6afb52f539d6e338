package semver

import (
	"errors"
	"strings"
)

// A Range is a set of versions.
type Range struct {
	text   string
	either []all
}

// all are comparisons that a version must satisfy together.
type all struct {
	comparisons []comparison
	// pre is set if a comparison has a pre-release. Otherwise the set contains only releases.
	pre bool
}

type comparison struct {
	operator string // one of operators; "" means "="
	partial
}

// operators are the operators of comparisons, longer ones first.
var operators = []string{"!=", ">=", "=>", "<=", "=<", "~>", "=", ">", "<", "~", "^"}

// The maximum length of a range, in bytes, and the maximum number of its alternatives.
const (
	maxRange        = 512
	maxAlternatives = 32
)

// ErrRange reports a text that is not a range of versions.
var ErrRange = errors.New("not a range of versions, such as >=2.0 <3")

// ParseRange parses a range: comparisons separated by spaces or commas, which all must hold, and alternatives
// separated by ||. A comparison is an operator (= != > >= < <= ~ ^) and a version, which may lack its last
// numbers or have the wildcards x, X and *. "A - B" means ">=A <=B". The error is [ErrRange].
func ParseRange(text string) (Range, error) {
	r := Range{text: text}
	alternatives := strings.Split(text, "||")
	if len(text) > maxRange || len(alternatives) > maxAlternatives {
		return Range{}, ErrRange
	}
	for _, alternative := range alternatives {
		a, ok := parseAll(alternative)
		if !ok {
			return Range{}, ErrRange
		}
		r.either = append(r.either, a)
	}
	return r, nil
}

const space = " \t\n\f\r"

func parseAll(text string) (a all, ok bool) {
	text = strings.TrimLeft(text, space)
	for first := true; text != "" || first; first = false {
		if rest, comma := strings.CutPrefix(text, ","); comma && !first {
			text = strings.TrimLeft(rest, space)
		}
		c := comparison{}
		for _, operator := range operators {
			if rest, found := strings.CutPrefix(text, operator); found {
				c.operator, text = operator, strings.TrimLeft(rest, space)
				break
			}
		}
		if c.partial, text, ok = cutPartial(text); !ok {
			return all{}, false
		}
		if to, rest, isTo := cutTo(text); isTo {
			if c.operator != "" {
				return all{}, false
			}
			c.operator = ">="
			a.add(c)
			c = comparison{"<=", to}
			text = rest
		}
		a.add(c)
	}
	return a, true
}

func (a *all) add(c comparison) {
	a.comparisons = append(a.comparisons, c)
	a.pre = a.pre || c.Pre != ""
}

// cutPartial cuts a version from the beginning of a text, and the space after it. A comma, a space or the end must
// follow the version.
func cutPartial(text string) (p partial, rest string, ok bool) {
	end := strings.IndexAny(text, space+",")
	if end < 0 {
		end = len(text)
	}
	p, ok = parsePartial(text[:end])
	return p, strings.TrimLeft(text[end:], space), ok
}

// cutTo cuts the end of a range such as "1.2 - 1.4", after its first version.
func cutTo(text string) (to partial, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, "-")
	if !ok || after == strings.TrimLeft(after, space) {
		return partial{}, text, false
	}
	return cutPartial(strings.TrimLeft(after, space))
}

// String returns the text of the range.
func (r Range) String() string { return r.text }

// Contains reports whether a version is in the range.
func (r Range) Contains(v Version) bool {
	for _, a := range r.either {
		if a.contain(v) {
			return true
		}
	}
	return false
}

func (a all) contain(v Version) bool {
	if v.Pre != "" && !a.pre {
		return false
	}
	for _, c := range a.comparisons {
		if !c.holds(v) {
			return false
		}
	}
	return true
}

func (c comparison) holds(v Version) bool {
	order := v.Compare(c.Version)
	switch c.operator {
	case "", "=":
		if c.numbers == 3 {
			return order == 0
		}
		return order >= 0 && c.prefixes(v)
	case "!=":
		switch c.numbers {
		case 1:
			return !c.prefixes(v)
		case 2:
			return !c.prefixes(v) || comparePre(v.Pre, c.Pre) != 0
		default:
			return order != 0
		}
	case ">":
		if c.numbers == 0 {
			return order > 0
		}
		return order > 0 && (c.numbers == 3 || !c.prefixes(v))
	case "<":
		return order < 0
	case ">=", "=>":
		return order >= 0
	case "<=", "=<":
		return order <= 0 || c.numbers < 3 && c.prefixes(v)
	case "~", "~>": // the last number may grow, or the patch
		return order >= 0 && c.first(min(c.numbers, 2)).prefixes(v)
	default: // ^: the first number that is not 0 stays
		n := 1
		for n < c.numbers && (c.Major == 0 && n == 1 || c.Major == 0 && c.Minor == 0 && n == 2) {
			n++
		}
		return order >= 0 && c.first(min(n, c.numbers)).prefixes(v)
	}
}

// first returns the comparison with only its first n numbers.
func (c comparison) first(n int) comparison {
	c.numbers = n
	return c
}

// prefixes reports whether a version begins with the numbers of the comparison.
func (c comparison) prefixes(v Version) bool {
	return (c.numbers < 1 || v.Major == c.Major) && (c.numbers < 2 || v.Minor == c.Minor) && (c.numbers < 3 || v.Patch == c.Patch)
}
