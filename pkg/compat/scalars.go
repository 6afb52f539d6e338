package compat

import (
	"encoding/json"
	"math/big"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// formatSamples has a text of each format.
var formatSamples = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "iso8601-date-time": "2026-01-02T03:04Z", "date": "2026-01-02", "time": "03:04:05Z", "duration": "P1D",
	"email": "a@example.com", "idn-email": "a@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/a", "iri": "https://example.com/a",
	"uri-template": "a{b}", "uuid": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
	"json-pointer": "/a", "relative-json-pointer": "0/a", "regex": "a+", "semver-range": ">=1.0.0",
}

// scalars tries constants, and values at and near the limits of the schemas.
func (g *sampler) scalars(from part, facets []part, try func(any) bool) bool {
	var list []json.RawMessage
	for v := range valuesOf(facets, "const") {
		list = append(list, v.Raw())
	}
	for values := range valuesOf(facets, "enum") {
		for i, v := range values.Elements() {
			if i < maxParts {
				list = append(list, v.Raw())
			}
		}
	}
	types := from.types()
	if types&isNull != 0 {
		list = append(list, raw("null"))
	}
	if types&isBoolean != 0 {
		list = append(list, raw("true"), raw("false"))
	}
	if types&isString != 0 {
		for _, text := range textSamples(facets) {
			list = append(list, raw(encode(text)))
		}
	}
	if types&isNumber != 0 {
		list = append(list, numberSamples(facets)...)
	}
	for _, text := range list {
		if !try(text) {
			return false
		}
	}
	return true
}

// textSamples returns strings at and near the limits of the schemas.
func textSamples(facets []part) []string {
	list := []string{"", "a"}
	lengths := sizes(facets, "minLength", "maxLength")
	for v := range valuesOf(facets, "format") {
		list = append(list, formatSamples[v.Text()])
	}
	for v := range valuesOf(facets, "pattern") {
		for _, times := range append([]int{1, 0, 2}, lengths...) {
			for choice := range 3 {
				list = append(list, matching(v.Text(), times, choice))
			}
		}
		made := matching(v.Text(), 1, 0)
		list = append(list, " "+made, made+" ", strings.ToUpper(made))
	}
	for _, n := range lengths {
		for _, text := range list[:min(len(list), maxInner)] {
			if has := utf8.RuneCountInString(text); has < n {
				list = append(list, text+strings.Repeat("a", n-has))
			}
		}
	}
	return list
}

// numberSamples returns numbers at and near the limits of the schemas.
func numberSamples(facets []part) []json.RawMessage {
	list := []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(1, 2), big.NewRat(-1, 1)}
	for v := range valuesOf(facets, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const") {
		r, ok := new(big.Rat).SetString(string(v.Raw()))
		if v.Kind() != jsonstream.Number || !ok {
			continue
		}
		list = append(list, r)
		for _, d := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 2)} {
			list = append(list, new(big.Rat).Add(r, d), new(big.Rat).Sub(r, d), new(big.Rat).Mul(r, new(big.Rat).Add(d, big.NewRat(1, 1))))
		}
	}
	var texts []json.RawMessage
	for _, r := range list {
		if digits, exact := r.FloatPrec(); exact && digits <= jsonstream.MaxDigits {
			texts = append(texts, raw(r.FloatString(digits)))
		}
	}
	return texts
}

// matching returns a text that matches a regular expression, if one can be found without trial. It repeats
// each repeated part the given number of times, if allowed. choice picks among alternatives.
func matching(expr string, times, choice int) string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	writeMatch(&b, re, times, choice)
	return b.String()
}

func writeMatch(b *strings.Builder, re *syntax.Regexp, repeat, choice int) {
	if b.Len() > maxPadding {
		return
	}
	least, most := 1, 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(oneOf(re.Rune, choice))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("xyz"[choice%3])
	case syntax.OpAlternate:
		writeMatch(b, re.Sub[choice%len(re.Sub)], repeat, choice)
		return
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	}
	times := max(least, repeat)
	if most >= 0 {
		times = min(times, most)
	}
	for range times {
		for _, sub := range re.Sub {
			writeMatch(b, sub, repeat, choice)
		}
	}
}

// oneOf returns a character of a class, given as ranges, preferably a readable one.
func oneOf(ranges []rune, choice int) rune {
	const easy = "a1A0-_ "
	for i := range len(easy) {
		r := rune(easy[(i+choice)%len(easy)])
		for at := 0; at+1 < len(ranges); at += 2 {
			if ranges[at] <= r && r <= ranges[at+1] {
				return r
			}
		}
	}
	return append(ranges, 'a')[0]
}
