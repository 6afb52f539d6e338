package compat_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/compat"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

var keywordNames = []string{
	"type", "enum", "const", "minimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems",
	"prefixItems", "items", "contains", "maxContains", "minContains", "required", "minProperties", "maxProperties", "properties", "patternProperties", "additionalProperties",
	"propertyNames", "dependentRequired", "dependentSchemas", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "unevaluatedProperties", "unevaluatedItems",
}

// schemaText draws a schema of few names, types and limits, so that documents often meet them.
func schemaText(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if depth == 0 {
			return rapid.SampledFrom([]string{`true`, `false`, `{}`, `{"type":"string"}`, `{"type":"integer"}`, `{"const":1}`, `{"enum":["a",1,null]}`, `{"minimum":1}`, `{"$ref":"#/$defs/a"}`}).Draw(t, "leaf")
		}
		keywords := rapid.SliceOfNDistinct(rapid.SampledFrom(keywordNames), 0, 4, rapid.ID).Draw(t, "keywords")
		var parts []string
		for _, keyword := range keywords {
			parts = append(parts, `"`+keyword+`":`+keywordText(keyword, depth).Draw(t, keyword))
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
}

func keywordText(keyword string, depth int) *rapid.Generator[string] {
	of := func(list ...string) *rapid.Generator[string] { return rapid.SampledFrom(list) }
	inner := schemaText(depth - 1)
	list := rapid.Map(rapid.SliceOfN(inner, 1, 3), func(l []string) string { return "[" + strings.Join(l, ",") + "]" })
	switch keyword {
	case "type":
		return of(`"string"`, `"object"`, `"array"`, `"integer"`, `"number"`, `["string","null"]`, `["object","array","boolean"]`)
	case "enum":
		return of(`["a"]`, `["a","b"]`, `[1,2,{"a":1}]`, `[null,true,[1]]`)
	case "const":
		return of(`1`, `"a"`, `{"a":1}`, `[1,1]`, `null`)
	case "minimum", "exclusiveMaximum":
		return of(`0`, `1`, `1.5`, `2`)
	case "multipleOf":
		return of(`1`, `2`, `0.5`)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return of(`0`, `1`, `2`)
	case "pattern":
		return of(`"^a"`, `"b$"`, `"^[ab]*$"`)
	case "uniqueItems":
		return of(`true`, `false`)
	case "required":
		return of(`["a"]`, `["b"]`, `["a","b"]`)
	case "properties", "dependentSchemas", "patternProperties":
		names := of(`"a"`, `"b"`, `"ab"`)
		if keyword == "patternProperties" {
			names = of(`"^a"`, `"b$"`, `"^a$"`)
		}
		return rapid.Custom(func(t *rapid.T) string {
			var parts []string
			for _, name := range rapid.SliceOfNDistinct(names, 1, 2, rapid.ID).Draw(t, "names") {
				parts = append(parts, name+":"+inner.Draw(t, "member"))
			}
			return "{" + strings.Join(parts, ",") + "}"
		})
	case "dependentRequired":
		return of(`{"a":["b"]}`, `{"b":["a"]}`)
	case "prefixItems", "allOf", "anyOf", "oneOf":
		return list
	case "$ref":
		return of(`"#/$defs/a"`, `"#/$defs/b"`)
	default:
		return inner
	}
}

// edit draws a small change of a schema or one of its subschemas: a keyword is removed, added or replaced.
func edit(t *rapid.T, v any) any {
	decoded := func(text string) (v any) {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			panic(err)
		}
		return v
	}
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			list, i := slices.Clone(v), rapid.IntRange(0, len(v)-1).Draw(t, "index")
			list[i] = edit(t, v[i])
			return list
		}
	case map[string]any:
		object, names := maps.Clone(v), slices.Sorted(maps.Keys(v))
		what := rapid.IntRange(0, 4).Draw(t, "what")
		if what == 0 || len(names) == 0 {
			keyword := rapid.SampledFrom(keywordNames).Draw(t, "keyword")
			object[keyword] = decoded(keywordText(keyword, 1).Draw(t, "value"))
			return object
		}
		name := rapid.SampledFrom(names).Draw(t, "name")
		if _, isKeyword := object["type"]; what == 1 || !isKeyword && what == 2 {
			delete(object, name)
		} else {
			object[name] = edit(t, object[name])
		}
		return object
	case float64:
		return float64(rapid.IntRange(0, 3).Draw(t, "number"))
	}
	return decoded(schemaText(1).Draw(t, "schema"))
}

func documentText(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := 0
		if depth > 0 {
			kind = rapid.IntRange(0, 3).Draw(t, "kind")
		}
		switch kind {
		case 1, 2:
			var parts []string
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "ab", "x", "ba"}), 0, 3, rapid.ID).Draw(t, "names") {
				parts = append(parts, fmt.Sprintf("%q:%s", name, documentText(depth-1).Draw(t, "member")))
			}
			return "{" + strings.Join(parts, ",") + "}"
		case 3:
			return "[" + strings.Join(rapid.SliceOfN(documentText(depth-1), 0, 3).Draw(t, "elements"), ",") + "]"
		default:
			return rapid.SampledFrom([]string{`1`, `"a"`, `null`, `true`, `2`, `1.5`, `0`, `3`, `"b"`, `"ab"`, `""`, `"aab"`, `-1`}).Draw(t, "scalar")
		}
	})
}

// whole adds definitions, some of which refer to themselves.
func whole(body, a, b string) string {
	if body == "true" || body == "false" {
		body = `{"allOf":[` + body + `]}`
	}
	body = strings.TrimSuffix(body, "}")
	if body != "{" {
		body += ","
	}
	return body + `"$defs":{"a":` + a + `,"b":` + b + `}}`
}

func document(text string) *jsonstream.Document {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{})
	if err != nil {
		panic(text + ": " + err.Error())
	}
	return doc
}

func compile(t interface {
	Skip(...any)
	Helper()
}, text string) *validate.Schema {
	t.Helper()
	s, err := validate.CompileSchema("file:///a.json", []byte(text), nil)
	if err != nil {
		t.Skip(err)
	}
	return s
}

// No change is called compatible if a document shows otherwise, and each reported document shows
// the reported change.
func TestRandomPairs(t *testing.T) {
	definitions := []string{`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"additionalProperties":{"type":"string"}}`, `{"type":"array","items":{"$ref":"#/$defs/b"},"maxItems":2}`}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string, otherwise string) string {
			if rapid.Bool().Draw(t, label+" is as before") {
				return otherwise
			}
			return schemaText(2).Draw(t, label)
		}
		a, b := draw("a", definitions[0]), draw("b", definitions[1])
		body := schemaText(2).Draw(t, "old")
		before := whole(body, a, b)
		after := whole(draw("new", body), draw("new a", a), draw("new b", b))
		if rapid.Bool().Draw(t, "edited") {
			var schema any
			if err := json.Unmarshal([]byte(before), &schema); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(edit(t, schema))
			if err != nil {
				t.Fatal(err)
			}
			after = string(text)
		}
		older, newer := compile(t, before), compile(t, after)
		r, err := compat.Compare(document(before), document(after))
		if err != nil {
			t.Skip(err)
		}
		valid := func(s *validate.Schema, text string) bool { return len(s.Check(document(text).Root())) == 0 }
		shows := func(what string, w *compat.Witness, from, to *validate.Schema) {
			if w != nil && (!valid(from, string(w.Document)) || valid(to, string(w.Document))) {
				t.Fatalf("%s\n%s\n%s is no document that is %s", before, after, w.Document, what)
			}
		}
		for _, c := range r.Changes {
			shows("refused", c.Refused, older, newer)
			shows("unread", c.Unread, newer, older)
			if (c.Backward == compat.No) != (c.Refused != nil) || (c.Forward == compat.No) != (c.Unread != nil) {
				t.Fatalf("%s\n%s\n%+v", before, after, c)
			}
		}
		isCompatible := func(change func(compat.Change) compat.Verdict) bool {
			return !slices.ContainsFunc(r.Changes, func(c compat.Change) bool { return change(c) != compat.Yes })
		}
		if (r.Backward == compat.Yes) != isCompatible(func(c compat.Change) compat.Verdict { return c.Backward }) ||
			(r.Forward == compat.Yes) != isCompatible(func(c compat.Change) compat.Verdict { return c.Forward }) {
			t.Fatalf("%s\n%s\n%+v", before, after, r)
		}
		hasNewMember := slices.ContainsFunc(r.Changes, func(c compat.Change) bool { return c.Kind == compat.MemberAdded })
		for range 30 {
			text := documentText(3).Draw(t, "document")
			was, is := valid(older, text), valid(newer, text)
			if was && !is && r.Backward == compat.Yes || is && !was && r.Forward == compat.Yes {
				t.Fatalf("%s\n%s\n%s: old %v, new %v, %+v", before, after, text, was, is, r)
			}
			if was != is && r.Bump == compat.None {
				t.Fatalf("%s\n%s\n%s: no change", before, after, text)
			}
			// A new optional member of an open object is exempt: section 14.3 calls it a minor change.
			if was && !is && r.Bump == compat.Minor && !hasNewMember {
				t.Fatalf("%s\n%s\n%s: a minor change, and it is refused", before, after, text)
			}
		}
	})
}
