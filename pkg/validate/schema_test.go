package validate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Numbers over the limit are errors with their place, in any keyword and any text.
func TestSchemaNumbers(t *testing.T) {
	long := strings.Repeat("9", 1001)
	for _, number := range []string{"1e5000000", "-1e5000000", "1e-5000000", "1E+1001", "1e99999999999999999999", long, "0." + long} {
		for _, keyword := range []string{
			"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
			"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const", "default", "x-unknown",
		} {
			schema := fmt.Sprintf("{\"properties\":{\n\"a/b\":{%q:%s}}}", keyword, number)
			main := fmt.Sprintf(`{"$ref":"other.json#/properties/a~1b","%[1]s":1}`, keyword)
			load := func(string) ([]byte, error) { return []byte(schema), nil }
			for name, compile := range map[string]func() (*Schema, error){
				"own":      func() (*Schema, error) { return CompileSchema("file:///schema.json", []byte(schema), nil) },
				"referred": func() (*Schema, error) { return CompileSchema("file:///schema.json", []byte(main), load) },
			} {
				_, err := compile()
				var e *jsonstream.NumberError
				if !errors.As(err, &e) || !errors.Is(err, jsonstream.ErrUnsafe) || e.Pointer != "/properties/a~1b/"+keyword || e.Line != 2 || len(e.Error()) > 200 {
					t.Errorf("%s, %s %.20s: %v", name, keyword, number, err)
				}
			}
		}
	}
	_, err := CompileSchema("file:///schema.json", []byte(`{"enum":[1,{"a":[1e1001]}]}`), nil)
	if e := (*jsonstream.NumberError)(nil); !errors.As(err, &e) || e.Pointer != "/enum/1/a/0" || e.Column != 18 {
		t.Errorf("enum: %v", err)
	}
}

// Numbers within the bounds are exact, even if they are neither ints nor doubles.
func TestSchemaNumbersWithinBounds(t *testing.T) {
	long := strings.Repeat("9", 1000)
	for _, tt := range []struct{ schema, document, want string }{
		{`{"minimum":1e400}`, `1`, `minimum`},
		{`{"minimum":1e400}`, `1e401`, ``},
		{`{"maximum":` + long + `}`, long, ``},
		{`{"exclusiveMaximum":` + long + `}`, long, `exclusiveMaximum`},
		{`{"multipleOf":1e-400}`, `3e-400`, ``},
		{`{"multipleOf":1e-400}`, `3e-401`, `multipleOf`},
		{`{"const":1e400}`, `10e399`, ``},
		{`{"enum":[1e400,2]}`, `1e399`, `enum`},
		{`{"minLength":1e20}`, `"x"`, `minLength`},
		{`{"maxLength":1e20}`, `"x"`, ``},
		{`{"minItems":99999999999999999999}`, `[]`, `minItems`},
		{`{"maxItems":99999999999999999999}`, `[1]`, ``},
		{`{"minProperties":9223372036854775808}`, `{}`, `minProperties`},
		{`{"maxProperties":9223372036854775808}`, `{"a":1}`, ``},
		{`{"contains":{},"minContains":4294967296}`, `[1]`, `minContains`},
		{`{"contains":{},"maxContains":4294967297}`, `[1]`, ``},
		{`{"maxItems":1.0e0}`, `[1]`, ``},
		{`{"properties":{"const":{"maxLength":1e20}}}`, `{"const":"x"}`, ``},
		{`{"anyOf":[{"maxLength":1e20}],"x":{"maxLength":1e20},"$ref":"#/x"}`, `"x"`, ``},
		{`{"const":{"maxLength":1e20}}`, `{"maxLength":1e20}`, ``},
		{`{"enum":[{"maxLength":1e20}]}`, `{"maxLength":2147483647}`, `enum`},
		{" \n{\"properties\":{\"maxLength\":{\"maxLength\":1e20,\"title\":\"é\"},\"b\":{\"minItems\":1e99}}}", `{"maxLength":"x","b":[]}`, `minItems`},
	} {
		for _, slow := range []bool{false, true} {
			schema := tt.schema
			if slow {
				schema = strings.Replace(schema, "{", `{"unevaluatedProperties":true,`, 1)
			}
			s, err := CompileSchema("file:///schema.json", []byte(schema), nil)
			if err != nil {
				t.Errorf("%s: %v", schema, err)
				continue
			}
			var got []string
			for _, f := range s.Check(parseMessage(t, tt.document).Root()) {
				got = append(got, ruleName(f))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%.80s, %.80s: found %q, want %q", schema, tt.document, got, tt.want)
			}
		}
	}
}

// A hostile schema gives an error.
func TestSchemaHostile(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		others       map[string]string
		want         string
	}{
		{name: "negative count", schema: `{"minLength":-1}`, want: "/minLength: must be at least 0"},
		{name: "count with a fraction", schema: `{"minLength":1.5}`, want: "/minLength: expected integer"},
		{name: "huge count with a fraction", schema: `{"minLength":3000000000.5}`, want: "/minLength: expected integer"},
		{name: "huge negative count", schema: `{"minLength":-1e20}`, want: "/minLength: must be at least 0"},
		{name: "multiple of 0", schema: `{"multipleOf":0e-1000}`, want: "/multipleOf: must be more than 0"},
		{name: "deep", schema: strings.Repeat(`{"not":`, 600) + "{}" + strings.Repeat("}", 600), want: "nested more than 512 levels deep"},
		{name: "loop", schema: `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, want: "infinite loop"},
		{name: "its own draft", schema: `{"$schema":"file:///schema.json#"}`, want: "$schema: leads back to itself"},
		{name: "loop of drafts", schema: `{"$schema":"file:///a.json"}`,
			others: map[string]string{"file:///a.json": `{"$schema":"file:///b.json#"}`, "file:///b.json": `{"$schema":"file:///a.json#x"}`}, want: "$schema: leads back to itself"},
		{name: "draft without rules", schema: `{"$schema":"file:///a.json","minLength":"x"}`, others: map[string]string{"file:///a.json": `{}`}, want: "/minLength: expected integer"},
		{name: "many", schema: `{"enum":[{}` + strings.Repeat(",{}", MaxSchemas) + `]}`, want: "more than 32768 objects"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := CompileSchema("file:///schema.json", []byte(tt.schema), func(url string) ([]byte, error) {
				if text, ok := tt.others[url]; ok {
					return []byte(text), nil
				}
				return nil, errors.New("no such file")
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want …%s…", err, tt.want)
			}
		})
	}
}

// A loop through several documents is an error.
func TestSchemaLoopOfDocuments(t *testing.T) {
	_, err := CompileSchema("file:///schema.json", []byte(`{"$ref":"a.json"}`), func(string) ([]byte, error) {
		return []byte(`{"allOf":[{"$ref":"schema.json"}]}`), nil
	})
	if err == nil || !strings.Contains(err.Error(), "infinite loop") {
		t.Errorf("got %v, want an infinite loop", err)
	}
}

// Schemas with any value in any keyword compile and can be applied, or give errors.
func FuzzCompileSchema(f *testing.F) {
	values := []string{`1e5000000`, `1e20`, `-1`, `1.5`, `1e-400`, `"("`, `"#"`, `"a"`, `true`, `null`, `[]`, `[1e400,{}]`, `["a","a"]`, `{}`, `{"a":{"$ref":"#"}}`, `{"(":true}`, `[{"$ref":"#/x"}]`, `{"a":["b"]}`, `"other.json#a"`, `"file:///other.json"`, `"https://json-schema.org/draft/2019-09/schema"`}
	for _, keyword := range []string{
		"$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "$defs", "definitions",
		"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "format",
		"items", "prefixItems", "additionalItems", "contains", "maxContains", "minContains", "maxItems", "minItems", "uniqueItems", "uniqueKeys", "unevaluatedItems",
		"properties", "patternProperties", "additionalProperties", "propertyNames", "required", "maxProperties", "minProperties", "dependentRequired", "dependentSchemas",
		"dependencies", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contentEncoding", "contentMediaType", "contentSchema",
		"regexProperties", "default", "x",
	} {
		for i, value := range values {
			f.Add(fmt.Sprintf(`{%q:%s,"x":{"$anchor":"a","properties":{"a":{"$ref":"#"}}}}`, keyword, value), fmt.Sprintf(`{%q:%s}`, "minLength", value), values[len(values)-1-i])
		}
	}
	f.Fuzz(func(t *testing.T, text, other, document string) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(document)), jsonstream.Limits{})
		if err != nil {
			return
		}
		s, err := CompileSchema("file:///schema.json", []byte(text), func(string) ([]byte, error) { return []byte(other), nil })
		if err != nil {
			return
		}
		agree(t, text, s, doc.Root())
	})
}
