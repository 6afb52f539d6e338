package compat_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/compat"
)

// A pair is a line of testdata/compat/pairs.jsonl: two schemas, and the expected result.
type pair struct {
	Name              string
	Old, New          json.RawMessage
	Bump              compat.Bump
	Backward, Forward compat.Verdict
	Changes           []string // nil to ignore the texts
}

func pairs(t *testing.T) []pair {
	t.Helper()
	text, err := os.ReadFile("../../testdata/compat/pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var list []pair
	for line := range strings.Lines(string(text)) {
		var p pair
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 120 {
		t.Fatalf("%d pairs", len(list))
	}
	return list
}

// Section 14.3 of EAAPL-MAG006, on handmade pairs of schemas.
func TestSpec14_3SchemaEvolution(t *testing.T) {
	for _, p := range pairs(t) {
		t.Run(p.Name, func(t *testing.T) {
			r, err := compat.Compare(document(string(p.Old)), document(string(p.New)))
			if err != nil {
				t.Fatal(err)
			}
			if r.Bump != p.Bump || r.Backward != p.Backward || r.Forward != p.Forward {
				t.Errorf("%s, backward %s, forward %s; want %s, %s, %s", r.Bump, r.Backward, r.Forward, p.Bump, p.Backward, p.Forward)
			}
			var changes []string
			for _, c := range r.Changes {
				text := c.Pointer + " " + string(c.Kind)
				if c.Undeprecated {
					text += " undeprecated"
				}
				changes = append(changes, text)
				// Each incompatible change has a document that shows it.
				if c.Backward == compat.No && c.Refused == nil || c.Forward == compat.No && c.Unread == nil ||
					c.Backward == compat.Unknown && p.Backward != compat.Unknown || c.Forward == compat.Unknown && p.Forward != compat.Unknown {
					t.Errorf("%s: backward %s %v, forward %s %v", text, c.Backward, c.Refused, c.Forward, c.Unread)
				}
			}
			if p.Changes != nil && !slices.Equal(changes, p.Changes) {
				t.Errorf("changes %q, want %q", changes, p.Changes)
			}
		})
	}
}

// The time of a comparison is bounded for all schemas.
func TestHostileSchemas(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 400) + "{}" + strings.Repeat("}", 400)
	for name, text := range map[string]string{
		"many elements":          `{"prefixItems":[` + strings.Repeat("true,", 2_000) + `{}]}`,
		"many members":           `{"properties":{` + manyMembers(2_000) + `"x":{}}}`,
		"many choices":           `{"allOf":[` + strings.Repeat(`{"anyOf":[{"minimum":1},{"maximum":2},{"minLength":1}]},`, 100) + `{}]}`,
		"conditions":             `{"allOf":[` + strings.Repeat(`{"if":{"minimum":1},"then":{"maximum":2},"else":{"maximum":0}},`, 100) + `{}]}`,
		"deep":                   deep,
		"it requires itself":     `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"]}}}`,
		"large counts":           `{"minLength":999999999,"minItems":999999999,"minProperties":999999999,"type":["string","array","object"]}`,
		"a pattern that repeats": `{"type":"string","pattern":"^((a{100}){100}){100}$"}`,
	} {
		t.Run(name, func(t *testing.T) {
			other := strings.TrimSuffix(text, "}") + `,"maxLength":3,"maxItems":2,"maxProperties":1,"maximum":7}`
			for _, pair := range [][2]string{{text, other}, {other, text}, {text, text}, {"{}", text}, {text, "{}"}} {
				if _, err := compat.Compare(document(pair[0]), document(pair[1])); err != nil && name != "a pattern that repeats" {
					t.Fatal(err)
				}
			}
		})
	}
	if _, err := compat.Compare(document(`{"enum":[`+strings.Repeat("1,", compat.MaxValues)+`1]}`), document(`{}`)); err == nil || !strings.Contains(err.Error(), "more than 8192 values") {
		t.Error(err)
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"p%d":true,`, i)
	}
	return b.String()
}
