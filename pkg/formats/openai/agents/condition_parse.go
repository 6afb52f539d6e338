package agents

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A token is a word of a condition.
type token struct {
	kind   tokenKind
	text   string // as written; for a string, its value
	offset int
}

type tokenKind int

const (
	endToken tokenKind = iota
	nameToken
	stringToken
	numberToken
	signToken // an operator, a parenthesis, a bracket or a dot
	badToken  // invalid in a condition
)

// A lexer splits a condition into tokens.
type lexer struct {
	text string
	at   int
}

// signs are the operators and punctuation of conditions, longer ones first.
var signs = []string{"==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", "."}

func (l *lexer) scan() token {
	l.at += len(l.text[l.at:]) - len(strings.TrimLeft(l.text[l.at:], " \t\r\n"))
	start, rest := l.at, l.text[l.at:]
	if rest == "" {
		return token{offset: start}
	}
	kind, length := badToken, 1
	switch first := rest[0]; {
	case isLetter(first):
		kind, length = nameToken, leading(rest, func(b byte) bool { return isLetter(b) || isDigit(b) })
	case isDigit(first) || first == '-':
		kind, length = numberToken, leading(rest, func(b byte) bool { return isLetter(b) || isDigit(b) || strings.IndexByte("+-.", b) >= 0 })
	case first == '"' || first == '\'':
		text, size, ok := quoted(rest)
		l.at += size
		if !ok {
			return token{badToken, rest[:size], start}
		}
		return token{stringToken, text, start}
	default:
		for _, sign := range signs {
			if strings.HasPrefix(rest, sign) {
				kind, length = signToken, len(sign)
				break
			}
		}
	}
	l.at += length
	return token{kind, rest[:length], start}
}

func isLetter(b byte) bool { return b == '_' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// leading returns the length in bytes of the prefix whose bytes satisfy isOne.
func leading(text string, isOne func(byte) bool) int {
	n := 0
	for n < len(text) && isOne(text[n]) {
		n++
	}
	return n
}

// quoted reads the string literal at the beginning of a text, and returns its value and its
// length in the text.
func quoted(text string) (says string, size int, ok bool) {
	quote := text[0]
	var b strings.Builder // as a JSON string
	b.WriteByte('"')
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			b.WriteByte('"')
			unquoted, err := jsontext.AppendUnquote(nil, b.String())
			return string(unquoted), i + 1, err == nil
		case c == '\\' && i+1 < len(text):
			if i++; text[i] == '\'' {
				b.WriteByte('\'')
			} else {
				b.WriteString(text[i-1 : i+1])
			}
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(c)
		}
	}
	return "", len(text), false
}

// A conditionParser parses tokens into an expression by recursive descent, with a method for
// each level of precedence.
type conditionParser struct {
	lexer
	token token
}

func (p *conditionParser) next() { p.token = p.scan() }

func (p *conditionParser) is(kind tokenKind, text string) bool {
	return p.token.kind == kind && p.token.text == text
}

func (p *conditionParser) unexpected(expected string) error {
	found := finding.Quote(p.token.text)
	if p.token.kind == endToken {
		found = "the end"
	}
	return &ConditionError{p.token.offset, fmt.Sprintf("expected %s, found %s", expected, found)}
}

// either parses terms separated by "or".
func (p *conditionParser) either(depth int) (expression, error) {
	left, err := p.both(depth)
	for err == nil && p.is(nameToken, "or") {
		p.next()
		var right expression
		right, err = p.both(depth)
		left = junction{false, left, right}
	}
	return left, err
}

// both parses terms separated by "and".
func (p *conditionParser) both(depth int) (expression, error) {
	left, err := p.term(depth)
	for err == nil && p.is(nameToken, "and") {
		p.next()
		var right expression
		right, err = p.term(depth)
		left = junction{true, left, right}
	}
	return left, err
}

// term parses a comparison or a value, optionally preceded by "not".
func (p *conditionParser) term(depth int) (expression, error) {
	if depth > maxNested {
		return nil, &ConditionError{p.token.offset, fmt.Sprintf("the condition is nested deeper than %d levels: use fewer parentheses", maxNested)}
	}
	if p.is(nameToken, "not") {
		p.next()
		of, err := p.term(depth + 1)
		return negation{of}, err
	}
	left, err := p.operand(depth)
	if err != nil || p.token.kind != signToken || !strings.ContainsAny(p.token.text, "=<>") {
		return left, err
	}
	operator := p.token.text
	p.next()
	right, err := p.operand(depth)
	return comparison{operator, left, right}, err
}

// operand parses a value: a literal, a member of the context, or an expression in
// parentheses.
func (p *conditionParser) operand(depth int) (expression, error) {
	const expected = `a member of the context, such as context.user_tier, or a value: a string in quotes, a number, true, false or null`
	t := p.token
	switch {
	case p.is(signToken, "("):
		p.next()
		inner, err := p.either(depth + 1)
		if err == nil && !p.is(signToken, ")") {
			err = p.unexpected(`")"`)
		}
		p.next()
		return inner, err
	case p.is(nameToken, "context"):
		p.next()
		return p.path()
	case t.kind == stringToken:
		text, err := jsontext.AppendQuote(nil, t.text)
		if err != nil {
			return nil, &ConditionError{t.offset, "the string is not valid UTF-8"}
		}
		p.next()
		return literal{constant(string(text))}, nil
	case t.kind == numberToken:
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(t.text)), jsonstream.Limits{})
		if err != nil || doc.Root().Kind() != jsonstream.Number || !jsonstream.SafeNumber(doc.Root().Raw()) {
			return nil, p.unexpected("a number in JSON syntax")
		}
		p.next()
		return literal{doc.Root()}, nil
	default:
		v, ok := constants[t.text]
		if !ok || t.kind != nameToken {
			return nil, p.unexpected(expected)
		}
		p.next()
		return literal{v}, nil
	}
}

// path parses the names after context.
func (p *conditionParser) path() (expression, error) {
	var names path
	for len(names) <= maxNested {
		switch {
		case p.is(signToken, "."):
			if p.next(); p.token.kind != nameToken {
				return nil, p.unexpected("the name of a member")
			}
			names = append(names, p.token.text)
			p.next()
		case p.is(signToken, "["):
			if p.next(); p.token.kind != stringToken {
				return nil, p.unexpected("the name of a member in quotes")
			}
			names = append(names, p.token.text)
			if p.next(); !p.is(signToken, "]") {
				return nil, p.unexpected(`"]"`)
			}
			p.next()
		case names == nil:
			return nil, p.unexpected("a member of the context, such as context.user_tier")
		default:
			return names, nil
		}
	}
	return nil, &ConditionError{p.token.offset, fmt.Sprintf("the path has more than %d names: the context is not that deep", maxNested)}
}
