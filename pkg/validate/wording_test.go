package validate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/finding"
)

// The text for each keyword of a user's schema: the fault, the value found, and the place. One
// cause gives one line.
func TestWording(t *testing.T) {
	for _, tt := range []struct {
		name   string
		schema string
		in     string
		want   string // keyword, line:column, pointer and message of each finding, a line each
	}{
		{name: "type", schema: `{"type":"string"}`, in: `1`, want: `type 1:1 : expected string: found the number 1`},
		{name: "types", schema: `{"type":["string","null"]}`, in: `{"a":1}`, want: `type 1:1 : expected string or null: found an object`},
		{name: "integer", schema: `{"type":"integer"}`, in: `1.5`, want: `type 1:1 : expected integer: found the number 1.5`},
		{name: "type false", schema: `{"type":"null"}`, in: `false`, want: `type 1:1 : expected null: found false`},
		{name: "const", schema: `{"const": {"a": [1, 2]}}`, in: `{}`, want: `const 1:1 : must be {"a":[1,2]}: found an object`},
		{name: "enum", schema: `{"enum":["low","medium","high"]}`, in: `"meduim"`, want: `enum 1:1 : must be one of "low", "medium", "high": found "meduim": did you mean "medium"?`},
		{name: "enum, far off", schema: `{"enum":["low",1,null]}`, in: `"x"`, want: `enum 1:1 : must be one of "low", 1, null: found "x"`},
		{name: "enum over several lines", schema: "{\"enum\":[{\n\"a\":1\n}]}", in: `2`, want: `enum 1:1 : must be one of {"a":1}: found the number 2`},
		{name: "pattern", schema: `{"pattern":"^a+$"}`, in: `"b"`, want: `pattern 1:1 : does not match the pattern ^a+$: found "b"`},
		{name: "pattern with a title", schema: `{"pattern":"^[A-Z]{3}$","title":"currency code","examples":["USD"]}`, in: `"usd"`, want: `pattern 1:1 : not a valid currency code: found "usd"; write it like "USD"`},
		{name: "format", schema: `{"format":"email"}`, in: `"x"`, want: `format 1:1 : does not match the format email: found "x"`},
		{name: "format semver-range", schema: `{"format":"semver-range"}`, in: `"new"`, want: `format 1:1 : does not match the format semver-range: found "new"`},
		{name: "minLength", schema: `{"minLength":3}`, in: `"é😀"`, want: `minLength 1:1 : must have at least 3 characters: found "é😀"`},
		{name: "minLength 1", schema: `{"minLength":1}`, in: `""`, want: `minLength 1:1 : must not be empty: found an empty string`},
		{name: "maxLength", schema: `{"maxLength":2}`, in: `"é😀x"`, want: `maxLength 1:1 : must have at most 2 characters: found 3`},
		{name: "minimum", schema: `{"minimum":0.10}`, in: `0.09`, want: `minimum 1:1 : must be at least 0.10: found the number 0.09`},
		{name: "maximum", schema: `{"maximum":9007199254740992}`, in: `9007199254740993`, want: `maximum 1:1 : must be at most 9007199254740992: found the number 9007199254740993`},
		{name: "exclusiveMinimum", schema: `{"exclusiveMinimum":0}`, in: `-0`, want: `exclusiveMinimum 1:1 : must be more than 0: found the number -0`},
		{name: "exclusiveMaximum", schema: `{"exclusiveMaximum":1}`, in: `1.0`, want: `exclusiveMaximum 1:1 : must be less than 1: found the number 1.0`},
		{name: "multipleOf", schema: `{"multipleOf":0.01}`, in: `0.075`, want: `multipleOf 1:1 : must be a multiple of 0.01: found the number 0.075`},
		{name: "multipleOf, exact", schema: `{"multipleOf":0.1}`, in: `0.3`},
		{name: "minItems", schema: `{"minItems":1}`, in: `[]`, want: `minItems 1:1 : must have at least 1 element: found 0`},
		{name: "maxItems", schema: `{"maxItems":2}`, in: `[1,2,3]`, want: `maxItems 1:1 : must have at most 2 elements: found 3`},
		{name: "minProperties", schema: `{"minProperties":2}`, in: `{"a":1}`, want: `minProperties 1:1 : must have at least 2 members: found 1`},
		{name: "maxProperties", schema: `{"maxProperties":1}`, in: `{"a":1,"b":2}`, want: `maxProperties 1:1 : must have at most 1 member: found 2`},
		{name: "uniqueItems", schema: `{"properties":{"a":{"uniqueItems":true}}}`, in: `{"a":[1,2,1.0]}`, want: `uniqueItems 1:11 /a/2: every element must differ from the others: this one equals /a/0`},
		{name: "uniqueKeys", schema: `{"uniqueKeys":["/id"]}`, in: `[{"id":"a"},{"id":"b"},{"id":"a"},{"id":"a"}]`, want: `
			uniqueKeys 1:30 /2/id: id "a" is also used by /0: give each its own
			uniqueKeys 1:41 /3/id: id "a" is also used by /0: give each its own`},
		{name: "contains", schema: `{"contains":{"const":1}}`, in: `[2,3]`, want: `contains 1:1 : must have an element matching contains of the schema: found none`},
		{name: "minContains", schema: `{"contains":{"const":1},"minContains":2}`, in: `[1,3]`, want: `minContains 1:1 : must have at least 2 elements matching contains of the schema: found 1`},
		{name: "maxContains", schema: `{"contains":{"const":1},"maxContains":1}`, in: `[1,1,1]`, want: `maxContains 1:1 : must have at most 1 element matching contains of the schema: found 3`},
		{name: "required", schema: `{"required":["a","b"]}`, in: `{"c":1}`, want: `
			required 1:1 : the required member "a" is missing: add it
			required 1:1 : the required member "b" is missing: add it`},
		{name: "dependentRequired", schema: `{"dependentRequired":{"card":["expiry"]}}`, in: `{"card":1}`, want: `dependentRequired 1:1 : the member "expiry" is missing: "card" requires it; add it`},
		{name: "dependentSchemas", schema: `{"dependentSchemas":{"card":{"properties":{"name":{"type":"string"}}}}}`, in: `{"card":1,"name":2}`, want: `type 1:18 /name: expected string: found the number 2`},
		{name: "additionalProperties", schema: `{"properties":{"colour":{}},"additionalProperties":false}`, in: "{\"color\":1,\n\"x\":2}", want: `
			additionalProperties 1:2 /color: unknown member "color": did you mean "colour"?
			additionalProperties 2:1 /x: unknown member "x"`},
		{name: "additionalProperties and patterns", schema: `{"patternProperties":{"^x-":true},"additionalProperties":false}`, in: `{"x-a":1,"it's":2,"\"":3}`, want: `
			additionalProperties 1:10 /it's: unknown member "it's"
			additionalProperties 1:19 /": unknown member "\""`},
		{name: "additionalProperties with a schema", schema: `{"additionalProperties":{"type":"string"}}`, in: `{"a":1}`, want: `type 1:6 /a: expected string: found the number 1`},
		{name: "unevaluatedProperties", schema: `{"allOf":[{"properties":{"a":true}}],"properties":{"size":true},"unevaluatedProperties":false}`, in: `{"a":1,"sise":2}`, want: `unevaluatedProperties 1:8 /sise: unknown member "sise": did you mean "size"?`},
		{name: "unevaluatedItems", schema: `{"prefixItems":[true],"unevaluatedItems":false}`, in: `[1,2]`, want: `unevaluatedItems 1:4 /1: the schema allows no value here: found the number 2; remove it`},
		{name: "misspelt in a closed object", schema: `{"required":["colour"],"properties":{"colour":{}},"additionalProperties":false}`, in: `{"color":1}`, want: `required 1:2 /color: the required member "colour" is missing; found "color": did you mean "colour"?`},
		{name: "propertyNames", schema: `{"propertyNames":{"pattern":"^[a-z]+$"}}`, in: `{"a":1,"B":{}}`, want: `pattern 1:8 /B: the member's name: does not match the pattern ^[a-z]+$: found "B"`},
		{name: "propertyNames of a length", schema: `{"propertyNames":{"maxLength":2}}`, in: `{"abc":1}`, want: `maxLength 1:2 /abc: the member's name: must have at most 2 characters: found 3`},
		{name: "not", schema: `{"not":{"type":"null"}}`, in: `null`, want: `not 1:1 : the schema forbids this value: found null`},
		{name: "not with a title", schema: `{"title":"no wildcard is allowed","not":{"const":"*"}}`, in: `"*"`, want: `not 1:1 : no wildcard is allowed: found "*"`},
		{name: "if, then", schema: `{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}`, in: `{"a":1}`, want: `required 1:1 : the required member "b" is missing: add it`},
		{name: "if, else", schema: `{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}`, in: `{"a":2}`, want: `required 1:1 : the required member "c" is missing: add it`},
		{name: "true", schema: `true`, in: `{"a":1}`},
		{name: "false", schema: `false`, in: `{"a":1}`, want: `false 1:1 : the schema allows no value here: found an object; remove it`},
		{name: "member false", schema: `{"properties":{"a":false}}`, in: `{"a":1}`, want: `properties 1:6 /a: the schema allows no value here: found the number 1; remove it`},
		{name: "items false", schema: `{"prefixItems":[true],"items":false}`, in: `[1,"x"]`, want: `items 1:4 /1: the schema allows no value here: found "x"; remove it`},

		{name: "no cascade of allOf and $ref", schema: `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"x":{"$ref":"#/$defs/b"}}},"b":{"type":"string"}}}`, in: `{"x":1}`, want: `type 1:6 /x: expected string: found the number 1`},
		{name: "the same twice", schema: `{"allOf":[{"type":"string"},{"type":"string"}]}`, in: `1`, want: `type 1:1 : expected string: found the number 1`},
		{name: "by place", schema: `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["c"]}`, in: "{\n\"b\": 1,\n\"a\": 2\n}", want: `
			required 1:1 : the required member "c" is missing: add it
			type 2:6 /b: expected string: found the number 1
			type 3:6 /a: expected string: found the number 2`},

		// Members whose names are keywords or numbers, or need escapes.
		{name: "a member called required", schema: `{"properties":{"required":false}}`, in: `{"required":1}`, want: `properties 1:13 /required: the schema allows no value here: found the number 1; remove it`},
		{name: "a member called anyOf", schema: `{"properties":{"anyOf":{"type":"string"}}}`, in: `{"anyOf":1}`, want: `type 1:10 /anyOf: expected string: found the number 1`},
		{name: "a member called 0", schema: `{"properties":{"0":{"type":"string"}}}`, in: `{"0":1}`, want: `type 1:6 /0: expected string: found the number 1`},
		{name: "a member called propertyNames", schema: `{"properties":{"propertyNames":{"type":"string"}}}`, in: `{"propertyNames":1}`, want: `type 1:18 /propertyNames: expected string: found the number 1`},
		{name: "a name with spaces, accents and per cent", schema: `{"properties":{"a é%20/~":{"type":"string"}}}`, in: `{"a é%20/~":1}`, want: `type 1:13 /a é%20~1~0: expected string: found the number 1`},
		{name: "schema with an $id", schema: `{"$id":"https://example.com/order","properties":{"a":{"$id":"part","type":"string"}}}`, in: `{"a":1}`, want: `type 1:6 /a: expected string: found the number 1`},
		{name: "an $anchor", schema: `{"properties":{"a":{"$ref":"#x"}},"$defs":{"q":{"$anchor":"x","type":"string"}}}`, in: `{"a":1}`, want: `type 1:6 /a: expected string: found the number 1`},
		{name: "the metaschema", schema: `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, in: `{"minLength":-1}`, want: `minimum 1:14 /minLength: must be at least 0: found the number -1`},
		{name: "an older draft", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]},"items":[{"type":"string"}]}`, in: `{"a":1}`, want: `dependencies 1:1 : the member "b" is missing: "a" requires it; add it`},
		{name: "items of an older draft", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, in: `[1]`, want: `type 1:2 /0: expected string: found the number 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := lines(compile(t, tt.schema).Check(parseMessage(t, tt.in).Root()))
			want := strings.ReplaceAll(strings.TrimSpace(tt.want), "\t", "")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// lines shows findings, one a line.
func lines(findings []finding.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %d:%d %s: %s\n", ruleName(f), f.Line, f.Column, f.Pointer, f.Message)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// The alternatives of anyOf and oneOf do not cascade: the finding is about the intended branch,
// or lists the values that the branches accept.
func TestAlternatives(t *testing.T) {
	const (
		byType = `{"oneOf":[
			{"properties":{"type":{"const":"text"},"text":{"type":"string"}},"required":["text"]},
			{"properties":{"type":{"const":"image"},"url":{"type":"string"},"size":{"type":"integer"}},"required":["url"]}]}`
		stringOrRange = `{"anyOf":[{"type":"string"},{"type":"object","properties":{"from":{"type":"integer"}}}]}`
	)
	for _, tt := range []struct{ name, schema, in, want string }{
		{name: "by a constant", schema: byType, in: `{"type":"image","url":"u","size":"big"}`, want: `type 1:34 /size: expected integer: found "big"`},
		{name: "by a constant, lacking", schema: byType, in: `{"type":"image"}`, want: `required 1:1 : the required member "url" is missing: add it`},
		{name: "constant of no branch", schema: byType, in: `{"type":"txt","text":"x"}`, want: `oneOf 1:1 : the member "type" must be one of "text", "image": found "txt": did you mean "text"?`},
		{name: "by type, inside", schema: stringOrRange, in: `{"from":"x"}`, want: `type 1:9 /from: expected integer: found "x"`},
		{name: "by type, neither", schema: stringOrRange, in: `[1]`, want: `anyOf 1:1 : expected string or object: found an array`},
		{name: "by value", schema: `{"anyOf":[{"const":"auto"},{"enum":["on","off"]}]}`, in: `"of"`, want: `anyOf 1:1 : must be one of "auto", "on", "off": found "of"`},
		{name: "one of several members", schema: `{"anyOf":[{"required":["email"]},{"required":["name","phone"]}]}`, in: `{"name":"x"}`, want: `anyOf 1:1 : one of the members "email", "phone" is required: add it`},
		{name: "furthest inside", schema: `{"anyOf":[{"required":["z"]},{"properties":{"a":{"properties":{"b":{"type":"string"}}}}}]}`, in: `{"a":{"b":1}}`, want: `type 1:11 /a/b: expected string: found the number 1`},
		{name: "nested", schema: `{"anyOf":[{"type":"null"},{"anyOf":[{"type":"string"},{"type":"integer"}]}]}`, in: `[]`, want: `anyOf 1:1 : matches none of the 2 alternatives that the schema allows: found an array`},
		{name: "null or constrained", schema: `{"anyOf":[{"type":"null"},{"type":"string","minLength":1}]}`, in: `""`, want: `minLength 1:1 : must not be empty: found an empty string`},
		{name: "oneOf, two match", schema: `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, in: `3`, want: `oneOf 1:1 : matches more than one alternative, but the schema allows one: found the number 3`},
		{name: "anyOf of false", schema: `{"anyOf":[false,false]}`, in: `1`, want: `anyOf 1:1 : the schema allows no value here: found the number 1; remove it`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := lines(compile(t, tt.schema).Check(parseMessage(t, tt.in).Root()))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// References are resolved by load, relative to the file that contains them, and findings are
// worded from those files.
func TestSchemaReferences(t *testing.T) {
	files := map[string]string{
		"file:///schemas/parts/money.json": `{"$defs":{"code":{"title":"currency code","pattern":"^[A-Z]{3}$","examples":["USD"]}},"properties":{"currency":{"$ref":"#/$defs/code"},"day":{"$ref":"../day.json"}}}`,
		"file:///schemas/day.json":         `{"$id":"https://example.com/day","title":"day","format":"date","examples":["2026-06-12"]}`,
	}
	load := func(url string) ([]byte, error) {
		if text, ok := files[url]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file: " + url)
	}
	s, err := CompileSchema("file:///schemas/order.json", []byte(`{"properties":{"price":{"$ref":"parts/money.json"},"version":{"$ref":"https://github.com/eaapl/handoff/schemas/handoff-message-2.1.schema.json#/$defs/semver"}}}`), load)
	if err != nil {
		t.Fatal(err)
	}
	got := lines(s.Check(parseMessage(t, `{"price":{"currency":"eur","day":"today"},"version":"1"}`).Root()))
	want := `pattern 1:22 /price/currency: not a valid currency code: found "eur"; write it like "USD"
format 1:34 /price/day: not a valid day: found "today"; write it like "2026-06-12"
pattern 1:53 /version: not a valid semantic version: found "1"; write it like "2.1.0"`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A value that is not a schema gives an error with its place and cause.
func TestSchemaErrors(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{name: "not JSON", schema: "{\n\"type\": x}", want: "line 2, column 9: expected a value"},
		{name: "empty", schema: "", want: "empty: expected a JSON document"},
		{name: "not a schema", schema: `"string"`, want: "not a JSON Schema"},
		{name: "unknown type", schema: `{"properties":{"a":{"type":"text"}}}`, want: "not a JSON Schema: /properties/a/type: "},
		{name: "bad pattern", schema: `{"pattern":"("}`, want: "not a JSON Schema: /pattern: "},
		{name: "reference to nowhere", schema: `{"$ref":"#/$defs/nothing"}`, want: "not a usable JSON Schema: "},
		{name: "file that is not there", schema: `{"$ref":"other.json"}`, want: "references to other schemas are not followed here"},
		{name: "unknown draft", schema: `{"$schema":"https://example.com/draft"}`, want: "not a usable JSON Schema: "},
		{name: "uniqueKeys", schema: `{"uniqueKeys":"/id"}`, want: "uniqueKeys: must be an array of JSON Pointers"},
		{name: "uniqueKeys too deep", schema: `{"uniqueKeys":["/a/b"]}`, want: `uniqueKeys: not a JSON Pointer to a member: found "/a/b"`},
		{name: "loop", schema: `{"$ref":"#"}`, want: "loop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := CompileSchema("file:///schema.json", []byte(tt.schema), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "jsonschema:") {
				t.Errorf("got %v, want …%s…", err, tt.want)
			}
		})
	}
}

// A user's schema in place of the message's own is the only layer.
func TestOptionsSchema(t *testing.T) {
	o := Options{Schema: compile(t, `{"required":["id"]}`), All: true}
	if r := check(t, parseMessage(t, `{"id":1}`), o); !r.Valid || len(r.Findings) != 0 {
		t.Errorf("got %+v", r)
	}
	if r := check(t, parseMessage(t, `{}`), o); r.Valid || r.Reason != SchemaInvalid || r.Details != `the required member "id" is missing: add it` {
		t.Errorf("got %+v", r)
	}
	if r := check(t, parseMessage(t, `[1]`), Options{Schema: compile(t, `true`)}); !r.Valid {
		t.Errorf("true: got %+v", r)
	}
}
