package tool

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var strictTests = []struct{ name, in, want string }{
	{"empty", `{}`, noInput},
	{"object", `{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{}},"additionalProperties":false,"required":["a","b"]}`},
	{"kept in place", `{"additionalProperties":false,"required":["b"],"title":"T","properties":{"a":{},"b":{}},"type":"object"}`,
		`{"additionalProperties":false,"required":["a","b"],"title":"T","properties":{"a":{},"b":{}},"type":"object"}`},
	{"object without properties", `{"type":"object"}`,
		`{"type":"object","additionalProperties":false}`},
	{"properties without type", `{"properties":{}}`,
		`{"properties":{},"type":"object","additionalProperties":false,"required":[]}`},
	{"root in a list", `{"type":["object"]}`,
		`{"type":"object","additionalProperties":false}`},
	{"nullable inside", `{"properties":{"a":{"type":["object","null"],"properties":{"x":{}}}}}`,
		`{"properties":{"a":{"type":["object","null"],"properties":{"x":{}},"additionalProperties":false,"required":["x"]}},"type":"object","additionalProperties":false,"required":["a"]}`},
	{"arrays", `{"type":"object","properties":{"a":{"items":{"type":"object"},"prefixItems":[{"type":"object"}]},"b":{"items":[{"type":"object"}]},"c":{"items":false}}}`,
		`{"type":"object","properties":{"a":{"items":{"type":"object","additionalProperties":false},"prefixItems":[{"type":"object"}]},` +
			`"b":{"items":[{"type":"object"}]},"c":{"items":false}},"additionalProperties":false,"required":["a","b","c"]}`},
	{"text kept", `{"type":"object","properties":{"\u0061\/":{"type":"number","maximum":1.0e+400,"multipleOf":0.10,"enum":[ 9007199254740993 ]}}}`,
		`{"type":"object","properties":{"\u0061\/":{"type":"number","maximum":1.0e+400,"multipleOf":0.10,"enum":[9007199254740993]}},"additionalProperties":false,"required":["\u0061\/"]}`},
	{"data is no schema", `{"type":"object","properties":{"a":{"const":{"type":"object","default":null},"enum":[{"oneOf":[]}],"default":{"properties":{}}}}}`,
		`{"type":"object","properties":{"a":{"const":{"type":"object","default":null},"enum":[{"oneOf":[]}],"default":{"properties":{}}}},"additionalProperties":false,"required":["a"]}`},
	{"properties named like keywords", `{"type":"object","properties":{"$ref":{"type":"object"},"default":{},"oneOf":{"default":null},"required":{}}}`,
		`{"type":"object","properties":{"$ref":{"type":"object","additionalProperties":false},"default":{},"oneOf":{},"required":{}},"additionalProperties":false,"required":["$ref","default","oneOf","required"]}`},

	{"oneOf", `{"type":"object","properties":{"a":{"oneOf":[{"type":"object"},{"type":"null"}],"title":"A"}}}`,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"object","additionalProperties":false},{"type":"null"}],"title":"A"}},"additionalProperties":false,"required":["a"]}`},
	{"oneOf and anyOf", `{"type":"object","properties":{"a":{"oneOf":[{"const":1}],"title":"A","anyOf":[{"const":2}]}}}`,
		`{"type":"object","properties":{"a":{"title":"A","anyOf":[{"const":2},{"const":1}]}},"additionalProperties":false,"required":["a"]}`},

	{"allOf of one", `{"type":"object","properties":{"a":{"title":"outer","allOf":[{"title":"inner","type":"string"}],"x":1}}}`,
		`{"type":"object","properties":{"a":{"title":"outer","x":1,"type":"string"}},"additionalProperties":false,"required":["a"]}`},
	{"allOf of one of two", `{"type":"object","properties":{"a":{"allOf":[{"allOf":[{"title":"1"},{"type":"object"}]}]}}}`,
		`{"type":"object","properties":{"a":{"allOf":[{"title":"1"},{"type":"object","additionalProperties":false}]}},"additionalProperties":false,"required":["a"]}`},
	{"allOf at the root", `{"allOf":[{"type":"object"}],"properties":{"a":{}}}`,
		`{"properties":{"a":{}},"type":"object","additionalProperties":false,"required":["a"]}`},

	{"default null", `{"type":"object","default":null,"properties":{"a":{"default":null},"b":{"default":0}}}`,
		`{"type":"object","properties":{"a":{},"b":{"default":0}},"additionalProperties":false,"required":["a","b"]}`},

	{"reference alone", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A","default":null},"c":{"$ref":"#"}},"$defs":{"A":{"type":"object"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"},"c":{"$ref":"#"}},"$defs":{"A":{"type":"object","additionalProperties":false}},"additionalProperties":false,"required":["a","b","c"]}`},
	{"reference with siblings", `{"type":"object","properties":{"a":{"description":"d","$ref":"#/definitions/A%20~1~0"}},"definitions":{"A /~":{"title":"T","description":"of A","type":"object","properties":{"n":{}}}}}`,
		`{"type":"object","properties":{"a":{"description":"d","title":"T","type":"object","properties":{"n":{}},"additionalProperties":false,"required":["n"]}},` +
			`"definitions":{"A /~":{"title":"T","description":"of A","type":"object","properties":{"n":{}},"additionalProperties":false,"required":["n"]}},"additionalProperties":false,"required":["a"]}`},
	{"references to references", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A","title":"x"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/C/anyOf/0","description":"y"},"C":{"anyOf":[{"z":3}]}}}`,
		`{"type":"object","properties":{"a":{"title":"x","description":"y","z":3}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"description":"y","z":3},"C":{"anyOf":[{"z":3}]}},"additionalProperties":false,"required":["a"]}`},
	{"allOf of a reference", `{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/A"}],"default":null,"title":"t"}},"$defs":{"A":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"title":"t","type":"string"}},"$defs":{"A":{"type":"string"}},"additionalProperties":false,"required":["a"]}`},
	{"allOf of a lone reference", `{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/B"}]}},"$defs":{"B":{"$ref":"#/$defs/A"},"A":{"type":"string","description":"A"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","description":"A"}},"$defs":{"B":{"$ref":"#/$defs/A"},"A":{"type":"string","description":"A"}},"additionalProperties":false,"required":["a"]}`},
	{"allOf that says the same", `{"type":"object","required":["a"],"properties":{},"allOf":[{"type":"object","properties":{"a":{},"b":{}},"required":["b"]}]}`,
		`{"type":"object","required":["a","b"],"properties":{"a":{},"b":{}},"additionalProperties":false}`},
	// A reference to itself has no meaning.
	{"circle of aliases", `{"type":"object","$defs":{"A":{"$ref":"#/$defs/B","title":"x"},"B":{"$ref":"#/$defs/A","description":"y"}},"properties":{"a":{"$ref":"#/$defs/A","title":"z"}}}`,
		`{"type":"object","$defs":{"A":{"title":"x","description":"y"},"B":{"description":"y","title":"x"}},"properties":{"a":{"title":"z","description":"y"}},"additionalProperties":false,"required":["a"]}`},
	{"null default around allOf", `{"type":"object","properties":{"a":{"default":null,"allOf":[{"default":1,"type":"string"}]}}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false,"required":["a"]}`},
	{"properties of what is not an object", `{"type":"object","properties":{"a":{"type":"string","properties":{"b":{}}}}}`,
		`{"type":"object","properties":{"a":{"type":"string","properties":{"b":{}},"required":["b"]}},"additionalProperties":false,"required":["a"]}`},
	{"recursive root", `{"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}},"$ref":"#/$defs/N"}`,
		`{"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}},"additionalProperties":false,"required":["next"]}},"type":"object","properties":{"next":{"$ref":"#/$defs/N"}},"additionalProperties":false,"required":["next"]}`},
	// Keywords next to a reference are not part of the referenced schema.
	{"no circle", `{"$ref":"#/$defs/N","$defs":{"N":{"type":"object"},"M":{"$ref":"#/$defs/N","title":"M"}}}`,
		`{"$defs":{"N":{"type":"object","additionalProperties":false},"M":{"title":"M","type":"object","additionalProperties":false}},"type":"object","additionalProperties":false}`},
	{"not changed", `{"type":"object","properties":{"a":{"not":{"type":"object"},"patternProperties":{"x":{"oneOf":[{}]}}}}}`,
		`{"type":"object","properties":{"a":{"not":{"type":"object"},"patternProperties":{"x":{"oneOf":[{}]}}}},"additionalProperties":false,"required":["a"]}`},
}

func TestStrict(t *testing.T) {
	for _, tt := range strictTests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Strict([]byte("before "), parse(t, tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("before "+tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			again, err := Strict(nil, parse(t, tt.want))
			if err != nil || string(again) != tt.want {
				t.Errorf("a second time: %v\n%s", err, again)
			}
		})
	}
}

// wrapped returns a schema with n levels, each in a property of the outer level.
func wrapped(n int) string {
	return strings.Repeat(`{"properties":{"a":`, n-1) + "{}" + strings.Repeat("}}", n-1)
}

// wide returns an object with n properties: n+1 schemas.
func wide(n int, schema string) string {
	var b strings.Builder
	b.WriteString(`"properties":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%d":%s`, i, schema)
	}
	return b.String() + "}"
}

// doubling returns a schema whose references expand to 2^n schemas.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"D%d":{%s},`, i, wide(2, fmt.Sprintf(`{"$ref":"#/$defs/D%d","title":"t"}`, i+1)))
	}
	return fmt.Sprintf(`{"type":"object","$defs":{%s"D%d":{}}}`, b.String(), n)
}

// linked returns a schema with nested references, n levels deep.
func linked(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"D%d":{"$ref":"#/$defs/D%d","title":"t"},`, i, i+1)
	}
	return fmt.Sprintf(`{"type":"object","$defs":{%s"D%d":{}}}`, b.String(), n)
}

func TestStrictErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, pointer, want string }{
		{"no schema", `[]`, "", "a strict schema must be an object: found an array; describe the valid values here"},
		{"boolean schema", `{"properties":{"a":true}}`, "/properties/a", "a strict schema must be an object: found true; describe the valid values here"},
		{"boolean items", `{"properties":{"a":{"items":true}}}`, "/properties/a/items", "found true"},
		{"properties", `{"properties":[]}`, "/properties", "properties must be an object of schemas: found an array"},
		{"anyOf", `{"properties":{"a":{"anyOf":{}}}}`, "/properties/a/anyOf", "anyOf must be an array of schemas: found an object"},
		{"oneOf beside anyOf", `{"properties":{"a":{"anyOf":[],"oneOf":1}}}`, "/properties/a/oneOf", "oneOf must be an array of schemas: found the number 1"},
		{"allOf", `{"properties":{"a":{"allOf":["x"]}}}`, "/properties/a/allOf/0", `found "x"`},
		{"more members", `{"type":"object","additionalProperties":true}`, "/additionalProperties", "additionalProperties is true, but a strict schema allows no additional members: use false, or name the members under properties"},
		{"members by schema", `{"properties":{"a":{"type":"object","additionalProperties":{}}}}`, "/properties/a/additionalProperties", "additionalProperties is an object"},
		{"more members beside a reference", `{"type":"object","$defs":{"A":{"type":"object"},"B":{"$ref":"#/$defs/A","additionalProperties":null}}}`, "/$defs/B/additionalProperties", "additionalProperties is null"},
		{"more members around allOf", `{"additionalProperties":true,"allOf":[{"type":"object","additionalProperties":false}]}`, "/additionalProperties", "additionalProperties is true"},
		{"root anyOf", `{"anyOf":[{"type":"object"}]}`, "/anyOf", "the root of a strict schema must not use anyOf: move it into a property"},
		{"root oneOf", `{"type":"object","oneOf":[]}`, "/oneOf", "the root of a strict schema must not use oneOf"},
		{"root anyOf by reference", `{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[]}}}`, "/$defs/A/anyOf", "the root of a strict schema must not use anyOf"},
		{"root nullable", `{"type":["object","null"]}`, "/type", `the root of a strict schema must not be nullable: use "type": "object"`},
		{"root null", `{"type":"null"}`, "/type", "the root of a strict schema must not be nullable"},
		{"root nullable by OpenAPI", `{"type":"object","nullable":true}`, "/nullable", "the root of a strict schema must not be nullable"},
		{"root no object", `{"type":"string"}`, "/type", `the root must have only the type object: found "string"; use "type": "object"`},
		{"root of two types", `{"type":["object","string"]}`, "/type", `the root must have only the type object: found an array`},
		{"root without type", `{"title":"T"}`, "", `the root has no type: the input of a tool must be an object; add "type": "object"`},
		{"reference no string", `{"properties":{"a":{"$ref":1}}}`, "/properties/a/$ref", "$ref must be a string: found the number 1"},
		{"reference to nothing", `{"properties":{"a":{"$ref":"#/$defs/A"}}}`, "/properties/a/$ref", `the reference leads to no schema: found "#/$defs/A"; put the schema under $defs, and refer to it as "#/$defs/NAME"`},
		{"expanded reference to nothing", `{"properties":{"a":{"$ref":"#/$defs/A","title":"x"}}}`, "/properties/a/$ref", "the reference leads to no schema"},
		{"reference to no schema", `{"properties":{"a":{"$ref":"#/title"}},"title":"T"}`, "/properties/a/$ref", "the reference leads to no schema"},
		{"anchor", `{"properties":{"a":{"$ref":"#A"}}}`, "/properties/a/$ref", "the reference leads to no schema"},
		{"bad escape", `{"properties":{"a":{"$ref":"#/%zz"}}}`, "/properties/a/$ref", "the reference leads to no schema"},
		{"reference elsewhere", `{"properties":{"a":{"$ref":"https://example.com/a.json"}}}`, "/properties/a/$ref", "the reference leads out of the schema"},
		{"reference to what becomes anyOf", `{"properties":{"a":{"$ref":"#/properties/b/oneOf/0"},"b":{"oneOf":[{}]}}}`, "/properties/a/$ref", "the reference leads to no schema"},
		{"allOf beside properties", `{"properties":{"a":{}},"allOf":[{"properties":{"b":{}}}]}`, "/properties", `"properties" is next to an allOf that also has it, and both apply`},
		{"allOf beside another bound", `{"properties":{"a":{"minLength":1,"allOf":[{"minLength":2}]}}}`, "/properties/a/minLength", `"minLength" is next to an allOf`},
		{"two required", `{"properties":{"a":{"type":"object","required":["b"],"allOf":[{"required":["c"]}]}}}`, "/properties/a/required", `"required" is next to an allOf`},
		{"reference beside properties", `{"$ref":"#/$defs/A","properties":{"b":{}},"$defs":{"A":{"properties":{"a":{}}}}}`, "/properties", `"properties" is next to a $ref, and both apply`},
		{"reference beside allOf", `{"properties":{"a":{"$ref":"#/$defs/A","allOf":[{"minLength":1}]}},"$defs":{"A":{"type":"string"}}}`, "/properties/a/allOf", `"allOf" is next to a $ref`},
		{"reference below an $id", `{"properties":{"a":{"$id":"a","properties":{"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{}}}},"$defs":{"A":{}}}`, "/properties/a/properties/b/$ref", "the reference is below an $id"},
		{"reference into an $id", `{"properties":{"a":{"$ref":"#/$defs/A/$defs/B","title":"a"}},"$defs":{"A":{"$id":"a","$defs":{"B":{}}}}}`, "/properties/a/$ref", "the reference leads into a schema with its own $id"},
		{"circle by allOf", `{"type":"object","$defs":{"A":{"properties":{"next":{"allOf":[{"$ref":"#/$defs/A"}]}}}}}`, "/$defs/A/properties/next/allOf/0/$ref", "the reference leads back to itself"},
		{"circle", `{"type":"object","$defs":{"A":{"properties":{"next":{"$ref":"#/$defs/A","title":"t"}}}}}`, "/$defs/A/properties/next/$ref", `the reference leads back to itself, so it cannot be expanded: write "#/$defs/A" without other keywords next to it`},
		{"circle of a schema and its allOf", `{"type":"object","$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"}],"title":"x"}}}`, "/$defs/A/allOf/0/$ref", "the reference leads back to itself"},
		{"circle at the root", `{"$ref":"#","title":"a"}`, "", "the root has no type"},
		{"levels", wrapped(MaxLevels + 1), strings.Repeat("/properties/a", MaxLevels), "schemas are nested deeper than 100 levels"},
		{"nodes", "{" + wide(MaxNodes, "{}") + "}", "/properties/p99999", "the schema has more than 100000 subschemas"},
		{"expansion bomb", doubling(40), "/$defs/D37/properties/p0", "the schema has more than 100000 subschemas"},
		{"chain of references", linked(MaxLevels + 1), "/$defs/D100/$ref", "references are nested deeper than 100 levels"},
		{"bytes", `{` + wide(100, `{"$ref":"#/$defs/A","title":"x"}`) + `,"$defs":{"A":{"title":"` + strings.Repeat("long", 1<<18) + `"}}}`, "/properties/p63/$ref", "the references expand to more than 67108864 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Strict(nil, parse(t, tt.in))
			got := (*SchemaError)(nil)
			if !errors.As(err, &got) {
				t.Fatalf("error %v, want a SchemaError", err)
			}
			if got.Line != 1 || got.Column < 1 || !strings.Contains(got.Error(), tt.want) {
				t.Errorf("%d:%d: %s: %v, want %s", got.Line, got.Column, got.Pointer, got, tt.want)
			}
			if got.Pointer != tt.pointer {
				t.Errorf("pointer %q, want %q", got.Pointer, tt.pointer)
			}
		})
	}
}

func TestStrictBounds(t *testing.T) {
	for name, schema := range map[string]string{
		"levels":     wrapped(MaxLevels),
		"nodes":      "{" + wide(MaxNodes-1, "{}") + "}",
		"references": linked(MaxLevels),
	} {
		if _, err := Strict(nil, parse(t, schema)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
