package compat

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// numberSamples returns numbers at and near the limits that schemas have.
func numberSamples(a, other meet) []*sketch {
	var list []*big.Rat
	near := func(r *big.Rat) {
		list = append(list, r)
		for _, d := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 2)} {
			list = append(list, new(big.Rat).Add(r, d), new(big.Rat).Sub(r, d))
		}
	}
	var units []*big.Rat
	for _, m := range []meet{a, other.more()} {
		for _, keyword := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
			for v := range m.values(keyword) {
				near(rat(v))
			}
		}
		for v := range m.values("multipleOf") {
			units = append(units, rat(v))
		}
		for v := range m.constants {
			if v.Kind() == jsonstream.Number {
				near(rat(v))
			}
		}
	}
	near(new(big.Rat))
	for _, unit := range units {
		for _, r := range slices.Clone(list) {
			if unit.Sign() == 0 || len(list) > maxTried {
				continue
			}
			quotient := new(big.Rat).Quo(r, unit)
			below := new(big.Rat).SetInt(new(big.Int).Div(quotient.Num(), quotient.Denom()))
			list = append(list, new(big.Rat).Mul(below, unit), new(big.Rat).Mul(below.Add(below, big.NewRat(1, 1)), unit))
		}
		list = append(list, unit, new(big.Rat).Mul(unit, big.NewRat(3, 2)))
	}
	var sketches []*sketch
	for _, r := range list {
		if text, ok := decimal(r); ok {
			sketches = append(sketches, &sketch{kind: jsonstream.Number, text: text})
		}
	}
	return sketches
}

// decimal writes a number, if it has an end.
func decimal(r *big.Rat) (text string, ok bool) {
	if r.IsInt() {
		return r.Num().String(), true
	}
	digits, exact := r.FloatPrec()
	if !exact || digits > jsonstream.MaxDigits {
		return "", false
	}
	return r.FloatString(digits), true
}

// textSamples returns strings at and near the limits that schemas have.
func textSamples(a, other meet) []*sketch {
	interest := other.more()
	list := []string{"", "a"}
	var lengths []int
	for _, m := range []meet{a, interest} {
		for _, keyword := range []string{"minLength", "maxLength"} {
			for v := range m.values(keyword) {
				lengths = append(lengths, count(v)-1, count(v), count(v)+1)
			}
		}
		for v := range m.values("format") {
			list = append(list, formatted(v.Text())...)
		}
		for v := range m.constants {
			if v.Kind() == jsonstream.String {
				list = append(list, v.Text(), v.Text()+"x")
			}
		}
	}
	lengths = slices.DeleteFunc(lengths, func(n int) bool { return n < 0 || n > maxText })
	for _, m := range []meet{a, interest} {
		for v := range m.values("pattern") {
			for _, repeat := range append([]int{0, 1, 2}, lengths...) {
				for choice := range 3 {
					list = append(list, matching(v.Text(), repeat, choice))
				}
			}
			made := matching(v.Text(), 1, 0)
			list = append(list, " "+made, made+" ", strings.ToUpper(made))
		}
	}
	for _, text := range slices.Clone(list) {
		for _, n := range lengths {
			if has := utf8.RuneCountInString(text); has < n {
				list = append(list, text+strings.Repeat("a", n-has))
			}
		}
	}
	var sketches []*sketch
	for _, text := range list {
		sketches = append(sketches, scalar(quote(text)))
	}
	return sketches
}

// formatted returns texts that have a format.
func formatted(name string) []string {
	switch name {
	case "date-time", "iso8601-date-time":
		return []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+01:00", "2026-01-02T03:04Z"}
	case "date":
		return []string{"2026-01-02"}
	case "time":
		return []string{"03:04:05Z"}
	case "duration":
		return []string{"P1D"}
	case "email", "idn-email":
		return []string{"a@example.com"}
	case "hostname", "idn-hostname":
		return []string{"example.com"}
	case "ipv4":
		return []string{"192.0.2.1"}
	case "ipv6":
		return []string{"2001:db8::1"}
	case "uri", "iri":
		return []string{"https://example.com/a"}
	case "uri-reference", "iri-reference":
		return []string{"a"}
	case "uri-template":
		return []string{"a{b}"}
	case "uuid":
		return []string{"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"}
	case "json-pointer":
		return []string{"/a"}
	case "relative-json-pointer":
		return []string{"0/a"}
	case "regex":
		return []string{"a+"}
	case "semver-range":
		return []string{">=1.0.0"}
	default:
		return nil
	}
}
