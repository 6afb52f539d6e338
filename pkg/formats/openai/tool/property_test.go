package tool

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// drawSchema draws a schema of up to n levels, with references to the definitions D0 to D2.
func drawSchema(t *rapid.T, levels int) string {
	var members []string
	add := func(name, value string) { members = append(members, fmt.Sprintf("%q:%s", name, value)) }
	some := func(maxLength int) []string {
		var list []string
		for range rapid.IntRange(0, maxLength).Draw(t, "schemas") {
			list = append(list, drawSchema(t, levels-1))
		}
		return list
	}
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"type", "title", "default", "$ref", "properties", "items", "anyOf", "oneOf", "allOf", "required", "additionalProperties", "enum",
	}), 0, 5, rapid.ID).Draw(t, "keywords")
	for _, name := range chosen {
		switch name {
		case "type":
			add(name, rapid.SampledFrom([]string{`"object"`, `"string"`, `["object","null"]`}).Draw(t, name))
		case "title", "enum":
			add(name, rapid.SampledFrom([]string{`"a"`, `[1.0,null]`, `"\u0062"`}).Draw(t, name))
		case "default":
			add(name, rapid.SampledFrom([]string{"null", "1e2"}).Draw(t, name))
		case "$ref":
			add(name, fmt.Sprintf(`"#/$defs/D%d"`, rapid.IntRange(0, 2).Draw(t, name)))
		case "required":
			add(name, `["a","zz"]`)
		case "additionalProperties":
			add(name, "false")
		default:
			if levels == 0 {
				continue
			}
			schemas := some(2)
			switch name {
			case "properties":
				for i := range schemas {
					schemas[i] = fmt.Sprintf("%q:%s", string(rune('a'+i)), schemas[i])
				}
				add(name, "{"+strings.Join(schemas, ",")+"}")
			case "items":
				add(name, append(schemas, "{}")[0])
			default:
				add(name, "["+strings.Join(schemas, ",")+"]")
			}
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestStrictProperty(t *testing.T) {
	done := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range 3 {
			fmt.Fprintf(&b, `"D%d":%s,`, i, drawSchema(t, 1))
		}
		text := fmt.Sprintf(`{"$defs":{%s"D":{}},"type":"object","properties":{"a":%s,"b":%s}}`, b.String(), drawSchema(t, 3), drawSchema(t, 2))
		if checkStrict(t, text) {
			done++
		}
	})
	if done == 0 {
		t.Error("no schema could be made strict")
	}
}

// checkStrict makes a schema strict, if that is possible, and checks the result.
func checkStrict(t interface{ Fatalf(string, ...any) }, text string) bool {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		return false
	}
	first, err := Strict(nil, doc.Root())
	if problem := (*SchemaError)(nil); err != nil {
		if !errors.As(err, &problem) || problem.Line < 1 || problem.Problem == "" || doc.Root().At(problem.Pointer).Position() != problem.Position {
			t.Fatalf("%s: error without a place: %v", text, err)
		}
		return false
	}
	strict, err := jsonstream.Parse(jsonstream.NewRaw(first), jsonstream.Unlimited())
	if err != nil {
		t.Fatalf("%s: no JSON: %v\n%s", text, err, first)
	}
	again, err := Strict(nil, strict.Root())
	if err != nil || !bytes.Equal(first, again) {
		t.Fatalf("%s: twice is not once: %v\n%s\n%s", text, err, first, again)
	}
	checkObject(t, strict.Root())
	return true
}

// checkObject checks the API's requirements on every schema.
func checkObject(t interface{ Fatalf(string, ...any) }, s jsonstream.Value) {
	if s.Get("oneOf").Exists() || s.Get("default").Kind() == jsonstream.Null || s.Get("$ref").Exists() && s.Len() > 1 ||
		s.Get("allOf").Kind() == jsonstream.Array && s.Get("allOf").Len() == 1 {
		t.Fatalf("not strict: %s", s.Raw())
	}
	if hasType(s.Get("type"), "object") || s.Get("properties").Exists() && !s.Get("type").Exists() {
		var names, required []string
		for name := range s.Get("properties").Members() {
			names = append(names, name)
		}
		for _, name := range s.Get("required").Elements() {
			required = append(required, name.Text())
		}
		if s.Get("additionalProperties").Kind() != jsonstream.False || !s.Get("type").Exists() || s.Get("properties").Exists() && (!s.Get("required").Exists() || !slices.Equal(names, required)) {
			t.Fatalf("not a strict object: %s", s.Raw())
		}
	}
	for _, name := range []string{"properties", "$defs", "definitions", "anyOf", "allOf"} {
		for _, below := range s.Get(name).Members() {
			checkObject(t, below)
		}
		for _, below := range s.Get(name).Elements() {
			checkObject(t, below)
		}
	}
	if items := s.Get("items"); items.Kind() == jsonstream.Object {
		checkObject(t, items)
	}
}

func FuzzStrict(f *testing.F) {
	for _, tt := range strictTests {
		f.Add(tt.in)
	}
	f.Add(`{"$ref":"#","type":"object"}`)
	f.Add(doubling(8))
	f.Add(linked(3))
	f.Fuzz(func(t *testing.T, text string) { checkStrict(t, text) })
}
