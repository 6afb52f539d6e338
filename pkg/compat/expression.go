package compat

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// maxText bounds the texts that are made up, in bytes.
const maxText = 4096

// matching returns a text with a match of a regular expression, if it can be found without trying:
// what may be repeated is so often, if that is allowed. choice picks among alternatives.
func matching(expr string, repeat, choice int) string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	writeMatch(&b, re, repeat, choice)
	return b.String()
}

func writeMatch(b *strings.Builder, re *syntax.Regexp, repeat, choice int) {
	if b.Len() > maxText {
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

// oneOf returns a character of a class, given as ranges: one that is easy to read if there is one.
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
	for at := 0; at+1 < len(ranges); at += 2 {
		for r := ranges[at]; r <= ranges[at+1] && r < ranges[at]+256; r++ {
			if unicode.IsPrint(r) {
				return r
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
