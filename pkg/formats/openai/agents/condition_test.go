package agents

import (
	"errors"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

func parse(t testing.TB, text string) *jsonstream.Document {
	t.Helper()
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return doc
}

func TestCondition(t *testing.T) {
	context := parse(t, `{"tier": "premium", "age": 41.50, "big": 9007199254740993, "trial": false, "roles": ["a"], "none": [], "user": {"name": "O'Hara", "a b": 1}}`).Root()
	for text, want := range map[string]bool{
		`true`:                      true,
		`false`:                     false,
		`context.tier == "premium"`: true,
		`context.tier=='premium'`:   true,
		`context.tier != "premium"`: false,
		`context.trial`:             false,
		`not context.trial`:         true,
		`context.missing`:           false,
		`context.missing == null`:   true,
		`context.missing.deeper == null and context.user.missing == null`: true,
		`context.age == 41.5`:                        true,
		`context.age > 41`:                           true,
		`context.age <= 41.49`:                       false,
		`context.age == "41.5"`:                      false,
		`context.age < "zzz"`:                        false,
		`context.age >= "zzz"`:                       false,
		`context.big > 9007199254740992`:             true,
		`context.tier < "q"`:                         true,
		`context.roles`:                              true,
		`context.none or context.missing or 0 or ""`: false,
		`context.user.name == 'O\'Hara'`:             true,
		`context.user["a b"] == 1`:                   true,
		`true or false and false`:                    true,
		`(true or false) and false`:                  false,
		`not true or true`:                           true,
		`not (true or true)`:                         false,
		`not not true`:                               true,
		`(context.age > 18) == true`:                 true,
		`"caf\u00e9" == 'café'`:                      true,
		`-1e2 < 0`:                                   true,
		"\n context.tier\t==\r\n\"premium\" ":        true,
	} {
		c, err := parseCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := c.Holds(context); got != want {
			t.Errorf("%s is %t, want %t", text, got, want)
		}
		if c.String() != text {
			t.Errorf("%s is written as %s", text, c)
		}
	}
	c, err := parseCondition("context.a == null")
	if err != nil || !c.Holds(jsonstream.Value{}) {
		t.Errorf("a context that is not there has members, or %v", err)
	}
}

func TestConditionErrors(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		offset     int
	}{
		{"", "expected a member of the context", 0},
		{"context", "expected a member of the context, such as context.user_tier, found the end", 7},
		{"tier == 1", `found "tier"`, 0},
		{"context.tier = 1", `expected and, or, or the end, found "="`, 13},
		{"context.a == 1 == 1", `found "=="`, 15},
		{"context.a and", "found the end", 13},
		{"(context.a", `expected ")", found the end`, 10},
		{"context.a)", `found ")"`, 9},
		{"context.1", "expected the name of a member", 8},
		{`context["a"`, `expected "]"`, 11},
		{`context[1]`, "in quotes", 8},
		{`"open`, `found "\"open"`, 0},
		{`"\x"`, `found "\"\\x\""`, 0},
		{"01 == 1", "a number in JSON syntax", 0},
		{"1e999999999 == 1", "a number in JSON syntax", 0},
		{"context.a & context.b", `found "&"`, 10},
		{"f(1)", `found "f"`, 0},
		{strings.Repeat("(", 100), "nested deeper than 50 levels", 51},
		{strings.Repeat("not ", 100), "nested deeper than 50 levels", 204},
		{"context" + strings.Repeat(".a", 100), "more than 50 names", 109},
		{strings.Repeat(" ", 3000), "longer than 2000 bytes", 2000},
	} {
		_, err := parseCondition(tt.text)
		var e *ConditionError
		if !errors.As(err, &e) || !strings.Contains(e.Problem, tt.want) || e.Offset != tt.offset {
			t.Errorf("%q: got %+v, want %q at %d", tt.text, err, tt.want, tt.offset)
		}
	}
}

// FuzzCondition checks that every text is a condition or an error with a place, and that a condition,
// the condition in parentheses and its double negation have the same value.
func FuzzCondition(f *testing.F) {
	for _, seed := range []string{`context.a == "x" and not context.b["c d"]`, `(1 <= 2.5e3) or null != 'it\'s'`, `not not (true)`, `"\u00e9"`, `context..a`} {
		f.Add(seed, `{"a": "x", "b": {"c d": [1]}}`)
	}
	f.Fuzz(func(t *testing.T, text, context string) {
		c, err := parseCondition(text)
		var e *ConditionError
		if (c == nil) == (err == nil) || err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) || e.Problem == "") {
			t.Fatalf("condition %v, error %+v", c, err)
		}
		doc, syntax := jsonstream.Parse(jsonstream.NewRaw([]byte(context)), jsonstream.Limits{})
		if err != nil || syntax != nil {
			return
		}
		for _, same := range []string{"(" + text + ")", "not not (" + text + ")"} {
			other, err := parseCondition(same)
			if err != nil {
				return // now too long or too deep
			}
			if other.Holds(doc.Root()) != c.Holds(doc.Root()) {
				t.Fatalf("%q is %t, and %q is not", text, c.Holds(doc.Root()), same)
			}
		}
	})
}
