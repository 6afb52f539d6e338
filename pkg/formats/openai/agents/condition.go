package agents

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Limits of a condition.
const (
	maxCondition = 2000 // bytes
	maxNested    = 50   // nesting of parentheses, nots and names
)

// A Condition determines whether a handoff is enabled: see the package documentation. It is
// safe for concurrent use.
type Condition struct {
	text string
	root expression
}

// A ConditionError reports an invalid condition. Its text is for people.
type ConditionError struct {
	Offset  int    // of the problem, in bytes
	Problem string // the problem, the text found, and the remedy
}

func (e *ConditionError) Error() string { return e.Problem }

// parseCondition parses a condition. The error is a [*ConditionError].
func parseCondition(text string) (*Condition, error) {
	if len(text) > maxCondition {
		return nil, &ConditionError{maxCondition, fmt.Sprintf("the condition is longer than %d bytes: have the program evaluate it, and put the result into the context", maxCondition)}
	}
	p := &conditionParser{lexer: lexer{text: text}}
	p.next()
	root, err := p.either(0)
	if err == nil && p.token.kind != endToken {
		err = p.unexpected("and, or, or the end")
	}
	if err != nil {
		return nil, err
	}
	return &Condition{text, root}, nil
}

// String returns the condition as written.
func (c *Condition) String() string { return c.text }

// Holds reports whether the condition holds in a run context. An absent context has no
// members.
func (c *Condition) Holds(context jsonstream.Value) bool { return isTrue(c.root.value(context)) }

// An expression is part of a condition.
type expression interface {
	value(context jsonstream.Value) jsonstream.Value
}

type (
	// A literal is a value written in the condition.
	literal struct{ jsonstream.Value }
	// A path is the sequence of names of a member of the context.
	path []string
	// A comparison compares two values.
	comparison struct {
		operator    string
		left, right expression
	}
	// A junction is an "and" or an "or".
	junction struct {
		and         bool
		left, right expression
	}
	negation struct{ of expression }
)

func (l literal) value(jsonstream.Value) jsonstream.Value { return l.Value }

func (p path) value(context jsonstream.Value) jsonstream.Value {
	v := context
	for _, name := range p {
		v = v.Get(name)
	}
	if !v.Exists() {
		return constants["null"]
	}
	return v
}

func (n negation) value(context jsonstream.Value) jsonstream.Value {
	return truth(!isTrue(n.of.value(context)))
}

func (j junction) value(context jsonstream.Value) jsonstream.Value {
	left := isTrue(j.left.value(context))
	if left != j.and {
		return truth(left)
	}
	return truth(isTrue(j.right.value(context)))
}

func (c comparison) value(context jsonstream.Value) jsonstream.Value {
	left, right := c.left.value(context), c.right.value(context)
	switch c.operator {
	case "==":
		return truth(equal.Values(left, right))
	case "!=":
		return truth(!equal.Values(left, right))
	}
	order, ok := compare(left, right)
	switch {
	case !ok:
		return truth(false)
	case c.operator == "<":
		return truth(order < 0)
	case c.operator == "<=":
		return truth(order <= 0)
	case c.operator == ">":
		return truth(order > 0)
	default:
		return truth(order >= 0)
	}
}

// compare orders two numbers or two strings.
func compare(a, b jsonstream.Value) (order int, ok bool) {
	switch {
	case a.Kind() == jsonstream.Number && b.Kind() == jsonstream.Number:
		left, right := jsonstream.ParseDecimal(a.Raw()), jsonstream.ParseDecimal(b.Raw())
		return left.Compare(&right), true
	case a.Kind() == jsonstream.String && b.Kind() == jsonstream.String:
		return strings.Compare(a.Text(), b.Text()), true
	default:
		return 0, false
	}
}

// isTrue reports whether a value is true in Python.
func isTrue(v jsonstream.Value) bool {
	switch v.Kind() {
	case jsonstream.True:
		return true
	case jsonstream.Number:
		number := jsonstream.ParseDecimal(v.Raw())
		return number.Sign() != 0
	case jsonstream.String:
		return v.Text() != ""
	default:
		return v.Len() > 0
	}
}

// constants are the named values.
var constants = map[string]jsonstream.Value{"true": constant("true"), "false": constant("false"), "null": constant("null")}

func constant(text string) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		panic(err) // impossible: the texts are constants
	}
	return doc.Root()
}

func truth(b bool) jsonstream.Value { return constants[fmt.Sprint(b)] }
