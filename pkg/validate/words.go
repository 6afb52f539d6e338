package validate

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eaapl/handoff/internal/nearest"
	"github.com/eaapl/handoff/internal/rfc3339"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// valueProblem describes the failure of a keyword about one value.
func valueProblem(c schema.Cause) string {
	rule := c.Rule
	what, text := finding.QuoteValue(c.Value), c.Value.Text()
	if c.OfName {
		what, text = finding.Quote(c.Value.Name()), c.Value.Name()
	}
	title := rule.Parent().Get("title").Text()
	value := finding.Shorten(compact(rule))
	switch {
	case !rule.Exists():
		return brokenRule(c)
	case c.Undecided && c.Place.Exists():
		return fmt.Sprintf("the name %s takes too many steps to match with the patternProperties %s: shorten the name or simplify the expression", finding.Quote(c.Place.Name()), finding.Quote(rule.Name()))
	case c.Undecided:
		return fmt.Sprintf("takes too many steps to match with the pattern %s: found %s; shorten the text or simplify the expression", rule.Text(), what)
	case c.Keyword == "const":
		return fmt.Sprintf("must be %s: found %s", value, what)
	case c.Keyword == "contains" && rule.Get("enum").Exists():
		return "an element " + mustBeOneOf(rule.Get("enum").Elements(), what, "")
	case c.Keyword == "contains":
		return "must have an element matching contains of the schema: found none"
	case rule.Kind() == jsonstream.False:
		return fmt.Sprintf("the schema allows no value here: found %s; remove it", what)
	}
	switch c.Keyword {
	case "type":
		if hint := epochHint(rule, string(c.Value.Raw())); hint != "" && c.Value.Kind() == jsonstream.Number {
			return fmt.Sprintf("expected a date-time in a string: found %s%s", what, hint)
		}
		return fmt.Sprintf("expected %s: found %s", typeNames(rule), what)
	case "pattern", "format":
		if title == "" {
			return fmt.Sprintf("does not match the %s %s: found %s", c.Keyword, rule.Text(), what)
		}
		like := epochHint(rule, text)
		if example := rule.Parent().At("/examples/0"); like == "" && example.Exists() {
			like = "; write it like " + compact(example)
		}
		return fmt.Sprintf("not a valid %s: found %s%s", title, what, like)
	case "not":
		if title == "" {
			return fmt.Sprintf("the schema forbids this value: found %s", what)
		}
		return fmt.Sprintf("%s: found %s", title, what)
	case "minLength":
		if value == "1" {
			return "must not be empty: found an empty string"
		}
		return fmt.Sprintf("must have at least %s characters: found %s", value, what)
	case "maxLength":
		return fmt.Sprintf("must have at most %s characters: found %d", value, utf8.RuneCountInString(text))
	case "minimum":
		return fmt.Sprintf("must be at least %s: found %s", value, what)
	case "maximum":
		return fmt.Sprintf("must be at most %s: found %s", value, what)
	case "exclusiveMinimum":
		return fmt.Sprintf("must be more than %s: found %s", value, what)
	case "exclusiveMaximum":
		return fmt.Sprintf("must be less than %s: found %s", value, what)
	case "multipleOf":
		return fmt.Sprintf("must be a multiple of %s: found %s", value, what)
	case "minItems":
		return fmt.Sprintf("must have at least %s: found %d", count(value, "element"), c.Value.Len())
	case "maxItems":
		return fmt.Sprintf("must have at most %s: found %d", count(value, "element"), c.Value.Len())
	case "minProperties":
		return fmt.Sprintf("must have at least %s: found %d", count(value, "member"), c.Value.Len())
	case "maxProperties":
		return fmt.Sprintf("must have at most %s: found %d", count(value, "member"), c.Value.Len())
	case "minContains":
		return fmt.Sprintf("must have at least %s matching contains of the schema: found %d",
			count(value, "element"), c.Found)
	case "maxContains":
		more := "more"
		if c.Found >= 0 {
			more = strconv.Itoa(c.Found)
		}
		return fmt.Sprintf("must have at most %s matching contains of the schema: found %s", count(value, "element"), more)
	case "dependentRequired", "dependencies":
		return fmt.Sprintf("the member %s is missing: %s requires it; add it", finding.Quote(rule.Text()), finding.Quote(rule.Parent().Name()))
	case "enum":
		return mustBeOneOf(rule.Elements(), what, text)
	default:
		return brokenRule(c)
	}
}

// epochHint returns the time for a number of seconds or milliseconds, if the schema requires a time; ""
// otherwise. rule is one of the schema's keywords.
func epochHint(rule jsonstream.Value, number string) string {
	switch rule.Parent().Get("format").Text() {
	case "date-time", "iso8601-date-time":
		if dateTime, unit, ok := rfc3339.FromEpoch(number); ok {
			return fmt.Sprintf(", %s since 1970; write it as %q", unit, dateTime)
		}
	}
	return ""
}

// brokenRule describes a failure that has no better description.
func brokenRule(c schema.Cause) string {
	return fmt.Sprintf("breaks the rule %q of the schema: found %s", c.Keyword, finding.QuoteValue(c.Value))
}

// mustBeOneOf describes a choice of values and suggests a similar one.
func mustBeOneOf(values iter.Seq2[int, jsonstream.Value], what, text string) string {
	var allowed, names []string
	for _, v := range values {
		if len(allowed) < maxChoices {
			allowed = append(allowed, finding.Shorten(compact(v)))
		}
		names = append(names, v.Text())
	}
	if more := len(names) - len(allowed); more > 0 {
		allowed = append(allowed, fmt.Sprintf("or %d others", more))
	}
	return fmt.Sprintf("must be one of %s: found %s%s", strings.Join(allowed, ", "), what, nearest.Suggestion(text, names))
}

func count(n, what string) string {
	if n == "1" {
		return n + " " + what
	}
	return n + " " + what + "s"
}

// compact returns a value of the schema on one line.
func compact(v jsonstream.Value) string {
	return string(jsonstream.AppendCompact(nil, v.Raw()))
}

// typeNames describes the value of the keyword type.
func typeNames(rule jsonstream.Value) string {
	if rule.Kind() == jsonstream.String {
		return rule.Text()
	}
	var names []string
	for _, element := range rule.Elements() {
		names = append(names, element.Text())
	}
	return strings.Join(names, " or ")
}

// maxChoices is the maximum number of values listed of a choice.
const maxChoices = 20
