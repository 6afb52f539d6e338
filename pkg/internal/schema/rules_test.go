package schema

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Every rule, with accepted and rejected documents. The library must agree.
func TestRules(t *testing.T) {
	tests := []struct {
		name, schema   string
		valid, invalid []string
	}{
		{name: "true", schema: `true`, valid: []string{`1`, `{"a":[1e2]}`}},
		{name: "false", schema: `false`, invalid: []string{`1`, `{"a":[]}`}},
		{name: "one type", schema: `{"type":"integer"}`, valid: []string{`1`, `1.0`, `1e2`, `-0`, `100e-2`}, invalid: []string{`1.5`, `1e-1`, `"1"`, `null`, `[1]`}},
		{name: "types", schema: `{"type":["object","null"]}`, valid: []string{`{}`, `null`}, invalid: []string{`[]`, `false`}},
		{name: "enum", schema: `{"enum":["a",1,null,{"a":[1]},[2,"b"]]}`,
			valid: []string{`"\u0061"`, `1.0`, `10e-1`, `null`, `{"a":[1.0]}`, `[2,"b"]`}, invalid: []string{`"b"`, `2`, `true`, `{"a":[2]}`, `{"a":[1],"b":1}`, `[2]`, `{}`}},
		{name: "long enum", schema: `{"enum":["a","b","c","d","e","f","g","h","i","j",5,4,3]}`, valid: []string{`"j"`, `3`, `4e0`}, invalid: []string{`"k"`, `6`}},
		{name: "const", schema: `{"const":false}`, valid: []string{`false`}, invalid: []string{`true`, `0`, `null`}},
		{name: "bounds", schema: `{"minimum":-1.5,"exclusiveMaximum":2}`, valid: []string{`-1.5`, `1.999`, `0`, `"3"`}, invalid: []string{`-1.51`, `2`, `2.0`, `1e1`}},
		{name: "large bounds", schema: `{"maximum":9223372036854775807}`, valid: []string{`9223372036854775807`, `-1e30`}, invalid: []string{`9223372036854775807.5`, `9223372036854775808`}},
		{name: "multiple", schema: `{"multipleOf":0.01}`, valid: []string{`19.99`, `0`, `-1e3`}, invalid: []string{`0.001`, `19.995`}},
		{name: "multiple of a power of two", schema: `{"multipleOf":512}`, valid: []string{`1e12`, `5.12e2`}, invalid: []string{`1e8`, `256`}},
		{name: "multiple of many digits", schema: `{"multipleOf":12345678901234567890123}`, valid: []string{`24691357802469135780246`, `1234567890123456789012300`}, invalid: []string{`1`, `24691357802469135780247`}},
		{name: "length", schema: `{"minLength":2,"maxLength":3}`, valid: []string{`"ab"`, `"\u0061\ud83d\ude00"`, `"ééé"`, `1`}, invalid: []string{`"a"`, `"\ud83d\ude00"`, `"abcd"`, `""`}},
		{name: "not empty", schema: `{"minLength":1}`, valid: []string{`"\n"`}, invalid: []string{`""`}},
		{name: "pattern", schema: `{"pattern":"^a+$"}`, valid: []string{`"aa"`, `"\u0061"`, `7`}, invalid: []string{`"b"`, `""`}},
		{name: "own format", schema: `{"format":"semver-range"}`, valid: []string{`">=1.5.0"`, `">=1.5.0"`, `1`}, invalid: []string{`"latest!"`, `""`}},
		{name: "format of the library", schema: `{"format":"ipv4"}`, valid: []string{`"10.0.0.1"`, `"10.0.0.1"`}, invalid: []string{`"10.0.0.256"`}},
		{name: "unknown format", schema: `{"format":"colour"}`, valid: []string{`"?"`}},
		{name: "items", schema: `{"items":{"type":"string"},"minItems":1,"maxItems":2}`, valid: []string{`["a"]`, `["a","b"]`, `{}`}, invalid: []string{`[]`, `["a",1]`, `["a","b","c"]`}},
		{name: "prefix", schema: `{"prefixItems":[true,{"type":"string"}],"items":{"type":"null"}}`, valid: []string{`[]`, `[{}]`, `[{},"a"]`, `[[1],"a",null,null]`}, invalid: []string{`[1,2]`, `[[],"a",null,1]`}},
		{name: "contains", schema: `{"contains":{"type":"object","required":["a"]},"minContains":2,"maxContains":3}`, valid: []string{`[{"a":1},1,{"a":[]}]`}, invalid: []string{`[]`, `[{"a":1}]`, `[{"a":1},{"a":1},{"a":1},{"a":1}]`}},
		{name: "contains anything", schema: `{"contains":{}}`, valid: []string{`[1]`, `[[]]`}, invalid: []string{`[]`}},
		{name: "unique", schema: `{"uniqueItems":true}`, valid: []string{`[1,"1",true,"true",null,{}]`, `[]`, `["a","A"]`, `[1,2,3,4,5,6,7,8,9,10]`}, invalid: []string{`[{},{"a":1},{"a":1.0}]`, `[1,2,1.0]`, `["a","\u0061"]`, `[1,2,3,4,5,6,7,8,9,10,10e0]`, `[null,null]`, `[0,-0]`}},
		{name: "unique keys", schema: `{"uniqueKeys":["/id","/x"]}`, valid: []string{`[{"id":"a"},{"id":"b"},{"id":1},{"id":1},7]`, `[{"id":"a","x":"b"},{"id":"b","x":"a"}]`}, invalid: []string{`[{"id":"a"},{"id":"\u0061"}]`, `[{"x":"","id":"a"},{},{"x":""}]`}},
		{name: "unique keys in unique keys", schema: `{"uniqueKeys":["/id"],"items":{"properties":{"in":{"uniqueKeys":["/id"]}}}}`, valid: []string{`[{"id":"a","in":[{"id":"a"},{"id":"b"}]},{"in":[{"id":"a"}],"id":"b"}]`}, invalid: []string{`[{"id":"a","in":[{"id":"b"}]},{"in":[],"id":"a"}]`, `[{"in":[{"id":"b"},{"id":"b"}]}]`}},
		{name: "required", schema: `{"required":["a","b"]}`, valid: []string{`{"b":1,"\u0061":2}`, `[]`}, invalid: []string{`{}`, `{"a":1,"c":1}`}},
		{name: "members", schema: `{"minProperties":1,"maxProperties":2}`, valid: []string{`{"a":1}`, `{"a":{},"b":[]}`}, invalid: []string{`{}`, `{"a":1,"b":2,"c":3}`}},
		{name: "properties", schema: `{"properties":{"a":{"type":"null"},"b\\n":{"type":"string"}}}`, valid: []string{`{"a":null,"b\\n":"","b\n":1,"c":1}`}, invalid: []string{`{"a":1}`, `{"\u0061":1}`, `{"b\\n":1}`, `{"b\u005cn":1}`}},
		{name: "patterns", schema: `{"properties":{"ab":true},"patternProperties":{"^a":{"type":"string"},"b$":{"maxLength":1}},"additionalProperties":{"type":"null"}}`,
			valid: []string{`{"ab":"a","a":"aa","xb":1,"c":null}`}, invalid: []string{`{"ab":"aa"}`, `{"acb":"aa"}`, `{"a":1}`, `{"c":1}`, `{"ab":1}`}},
		{name: "no others", schema: `{"properties":{"a":true},"additionalProperties":false}`, valid: []string{`{"a":1}`, `{}`}, invalid: []string{`{"b":1}`, `{"b":{}}`, `{"a":1,"b":[1]}`}},
		{name: "names", schema: `{"propertyNames":{"maxLength":1}}`, valid: []string{`{"\u0061":1,"":2}`}, invalid: []string{`{"a":1,"ab":2}`}},
		{name: "dependent members", schema: `{"dependentRequired":{"a":["b","c"]}}`, valid: []string{`{"b":1}`, `{"a":1,"c":1,"b":1}`}, invalid: []string{`{"a":1,"b":1}`}},
		{name: "dependent schemas", schema: `{"dependentSchemas":{"a":{"properties":{"b":{"type":"string"}}},"n":false}}`, valid: []string{`{"b":1}`, `{"a":1,"b":""}`}, invalid: []string{`{"b":1,"a":1}`, `{"n":1}`}},
		{name: "dependencies", schema: `{"dependencies":{"a":["b"],"c":{"maxProperties":1}}}`, valid: []string{`{"c":1}`, `{"a":1,"b":1}`}, invalid: []string{`{"a":1}`, `{"c":1,"d":1}`}},
		{name: "all", schema: `{"allOf":[{"type":"string"},{"maxLength":1}]}`, valid: []string{`"a"`}, invalid: []string{`1`, `"ab"`}},
		{name: "any", schema: `{"anyOf":[{"required":["a"]},{"required":["b"]},{"type":"null"}]}`, valid: []string{`{"a":1}`, `{"b":1}`, `null`, `7`}, invalid: []string{`{}`}},
		{name: "one", schema: `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, valid: []string{`{"a":1}`, `{"b":1}`}, invalid: []string{`{}`, `{"a":1,"b":1}`, `7`}},
		{name: "one of the same", schema: `{"oneOf":[{"$ref":"#/$defs/s"},{"$ref":"#/$defs/s"},{"type":"null"}],"$defs":{"s":{"type":"string"}}}`, valid: []string{`null`}, invalid: []string{`"a"`, `1`}},
		{name: "not", schema: `{"not":{"properties":{"a":{"const":1}},"required":["a"]}}`, valid: []string{`{"a":2}`, `{}`}, invalid: []string{`{"a":1}`, `7`}},
		{name: "if", schema: `{"if":{"properties":{"k":{"const":"x"}}},"then":{"required":["x"]},"else":{"required":["y"]}}`, valid: []string{`{"k":"x","x":1}`, `{"y":1,"k":"z"}`, `{"x":1}`, `7`}, invalid: []string{`{"k":"x","y":1}`, `{"k":"z","x":1}`}},
		{name: "then without if", schema: `{"then":false,"else":false}`, valid: []string{`1`}},
		{name: "a tree", schema: `{"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}}`, valid: []string{`{"next":{"next":{"n":1}}}`}, invalid: []string{`{"next":{"next":{"n":1.5}}}`, `{"next":{"n":"","next":{}}}`}},
		{name: "places", schema: `{"$id":"https://example.com/a/b","properties":{"a":{"$ref":"#it"},"b":{"$ref":"c#/items"},"c":{"$ref":"#/$defs/x~1y%20z"},"d":{"$ref":"https://example.com/a/c"}},
			"$defs":{"s":{"$anchor":"it","type":"string"},"c":{"$id":"c","type":"array","items":{"type":"null"}},"x/y z":{"type":"object"}}}`,
			valid: []string{`{"a":"","b":null,"c":{},"d":[null]}`}, invalid: []string{`{"a":1}`, `{"b":1}`, `{"c":1}`, `{"d":[1]}`}},
		{name: "a pointer to a named place", schema: `{"properties":{"a":{"$ref":"#/$defs/s/items"}},"$defs":{"s":{"items":{"properties":{"b":{"$anchor":"it","type":"string"}}}}}}`, valid: []string{`{"a":{"b":""}}`}, invalid: []string{`{"a":{"b":1}}`}},
		{name: "outside of schemas", schema: `{"properties":{"a":{"$ref":"#/x/y"}},"x":{"y":{"type":"string"}}}`, valid: []string{`{"a":""}`}, invalid: []string{`{"a":1}`}},
		{name: "what follows what is skipped", schema: `{"prefixItems":[true,{"type":"object"},{"type":"string"}],"properties":{"b":{"type":"null"}}}`, valid: []string{`[[[1],{}],{"a":[{}]},""]`, `{"a":[{"b":1}],"b":null}`}, invalid: []string{`[[[1],{}],{"a":[{}]},1]`, `{"a":[{"b":1}],"b":1}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(schemaURL, parse(t, []byte(tt.schema)), options())
			if err != nil {
				t.Fatal(err)
			}
			ref, err := newReference(schemaURL, []byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			r := p.NewRun()
			check := func(text string, want Verdict) {
				v := parse(t, []byte(text)).Root()
				if got := verdict(r, v); got != want || ref.verdict(v) != want {
					t.Errorf("%s: %v, the library says %v, want %v", text, got, ref.verdict(v), want)
				}
				explainAlike(t, p, ref, v)
				if len(r.counts) > 0 || len(r.first) > 0 {
					t.Errorf("%s: the run still holds %v, %v", text, r.counts, r.first)
				}
			}
			for _, text := range tt.valid {
				check(text, Valid)
			}
			for _, text := range tt.invalid {
				check(text, Invalid)
			}
		})
	}
}

// A schema that is invalid or cannot be decided is an error with its place.
func TestRejected(t *testing.T) {
	for _, tt := range []struct{ name, schema, keyword, location string }{
		{"another document", `{"$ref":"other.json"}`, "", ""},
		{"an unknown draft", `{"$schema":"https://example.com/draft"}`, "", ""},
		{"nowhere", `{"$ref":"#/$defs/a"}`, "$ref", "#"},
		{"no anchor", `{"items":{"$ref":"#a"}}`, "$ref", "#/items"},
		{"itself", `{"$ref":"#"}`, "$ref", "#"},
		{"itself in a branch", `{"anyOf":[{"type":"null"},{"allOf":[{"$ref":"#"}]}]}`, "$ref", "#"},
		{"itself where nothing leads", `{"enum":[1],"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`, "$ref", "#/$defs/a"},
		{"itself by dynamic references", `{"$dynamicAnchor":"a","not":{"$dynamicRef":"#a"}}`, "$ref", "#"},
		{"a name twice", `{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, "$anchor", "#/$defs/a"},
		{"a pointer into members", `{"uniqueKeys":["/a/b"]}`, "uniqueKeys", "#"},
		{"a place without a schema", `{"$ref":"#/x","x":1}`, "", "#/x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile(schemaURL, parse(t, []byte(tt.schema)), options())
			if tt.location == "" {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			var e *KeywordError
			if !errors.As(err, &e) || e.Keyword != tt.keyword || e.Location != schemaURL+tt.location || e.Error() == "" {
				t.Errorf("%v, want %s at %s", err, tt.keyword, tt.location)
			}
		})
	}
}

// The metaschema of its draft decides whether a document is a schema.
func TestInvalidSchema(t *testing.T) {
	const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#"`
	for schema, place := range map[string]string{
		`1`:                                     "",
		`{"type":"text"}`:                       "/type",
		`{"properties":{"a":{"minLength":-1}}}`: "/properties/a/minLength",
		`{"items":[true]}`:                      "/items",
		`{"pattern":"("}`:                       "/pattern",
		`{` + draft7 + `,"exclusiveMinimum":true}`:                                                          "/exclusiveMinimum",
		`{"$schema":"http://json-schema.org/draft-04/schema#","exclusiveMinimum":true}`:                     "",
		`{"$schema":"http://json-schema.org/draft-06/schema#","propertyNames":[]}`:                          "/propertyNames",
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":1}`:                   "/$recursiveAnchor",
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"a":{"dependentRequired":[]}}}`: "/$defs/a/dependentRequired",
	} {
		_, err := Compile(schemaURL, parse(t, []byte(schema)), options())
		var e *InvalidError
		if !errors.As(err, &e) || e.Cause.Value.Pointer() != place {
			t.Errorf("%s: %v, want an error at %s", schema, err, place)
		}
	}
}

// A regular expression that takes too many steps on a text is a cause, and never an answer.
func TestUndecided(t *testing.T) {
	long := strings.Repeat("a", 60)
	for _, tt := range []struct{ schema, document string }{
		{`{"pattern":"^(?=((a|a)*)*b)"}`, `"` + long + `"`},
		{`{"patternProperties":{"^(?=((a|a)*)*b)":{"type":"string"}}}`, `{"` + long + `":1}`},
		{`{"patternProperties":{"^(?=((a|a)*)*b)":true},"unevaluatedProperties":false}`, `{"` + long + `":1}`},
		{`{"not":{"pattern":"^(?=((a|a)*)*b)"}}`, `"` + long + `"`},
		{`{"if":{"pattern":"^(?=((a|a)*)*b)"},"then":false}`, `"` + long + `"`},
		{`{"not":{"patternProperties":{"^(?=((a|a)*)*b)":{"type":"string"}}}}`, `{"` + long + `":""}`},
	} {
		p, err := Compile(schemaURL, parse(t, []byte(tt.schema)), options())
		if err != nil {
			t.Fatal(err)
		}
		v := parse(t, []byte(tt.document)).Root()
		causes := p.Explain(v, allCauses)
		if p.NewRun().Valid(v) || len(causes) == 0 || !causes[0].Undecided {
			t.Errorf("%s: valid, or causes %v", tt.schema, causes)
		}
	}
}

// Schemas that share the schemas that they refer to are evaluated once each: 40 levels of two references
// would otherwise be evaluated 2 to the 40th times.
func TestSharedReferences(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"unevaluatedProperties":false,"$ref":"#/$defs/0","$defs":{`)
	const levels = 40
	for i := range levels {
		fmt.Fprintf(&b, `"%d":{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"%d":{"properties":{"a":true}}}}`, levels)
	p, err := Compile(schemaURL, parse(t, []byte(b.String())), options())
	if err != nil {
		t.Fatal(err)
	}
	for document, want := range map[string]int{`{"a":1}`: 0, `{"a":1,"b":2}`: 1} {
		if causes := p.Explain(parse(t, []byte(document)).Root(), allCauses); len(causes) != want {
			t.Errorf("%s: %d causes, want %d", document, len(causes), want)
		}
	}
}

// Keywords that depend on others, and very large schemas, are evaluated one by one.
func TestStreams(t *testing.T) {
	many := func(each string) string { return "[" + strings.Repeat(each+",", maxBits) + each + "]" }
	for _, tt := range []struct{ name, schema, keyword, location string }{
		{"dynamic reference", `{"items":{"$dynamicRef":"#a"},"$dynamicAnchor":"a"}`, "$dynamicRef", "#/items"},
		{"recursive reference", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}`, "$recursiveRef", "#/items"},
		{"unevaluated members", `{"unevaluatedProperties":false}`, "unevaluatedProperties", "#"},
		{"unevaluated elements", `{"unevaluatedItems":false}`, "unevaluatedItems", "#"},
		{"a long chain where nothing leads", `{"enum":[1],"items":` + strings.Repeat(`{"not":`, maxBits+1) + `{}` + strings.Repeat("}", maxBits+1) + `}`, "", "#/items/not"},
		{"many branches", `{"anyOf":` + many(`{"minimum":1}`) + `}`, "", "#/anyOf/255"},
		{"many schemas at once", `{"allOf":` + many(`{"minimum":1}`) + `}`, "", "#/allOf/255"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(schemaURL, parse(t, []byte(tt.schema)), options())
			if err != nil {
				t.Fatal(err)
			}
			var e *KeywordError
			if !errors.As(p.Streams(), &e) || e.Keyword != tt.keyword || e.Location != schemaURL+tt.location {
				t.Errorf("%v, want %s at %s", p.Streams(), tt.keyword, tt.location)
			}
			ref, err := newReference(schemaURL, []byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{`1`, `0`, `[1]`, `{"a":1}`, `{}`, `[[{"a":[]}]]`} {
				v := parse(t, []byte(text)).Root()
				if got, want := verdict(p.NewRun(), v), ref.verdict(v); got != want {
					t.Errorf("%s: %v, the library says %v", text, got, want)
				}
			}
		})
	}
}

// A schema whose states would be the subsets of its definitions does not stream.
func TestLargeProgram(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/0","$defs":{`)
	const n = 24
	for i := range n {
		// From each definition, a leads to the next one and b to the first and the next.
		next := string(rune('a' + (i+1)%n))
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + string(rune('a'+i)) + `":{"properties":{"a":{"$ref":"#/$defs/` + next + `"},"b":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/` + next + `"}]}}}`)
	}
	b.WriteString(`,"0":{"$ref":"#/$defs/a"}}}`)
	p, err := Compile(schemaURL, parse(t, []byte(b.String())), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var e *KeywordError
	if !errors.As(p.Streams(), &e) || e.Keyword != "" {
		t.Errorf("error %v", p.Streams())
	}
}

func TestOtherDocuments(t *testing.T) {
	load := func(url string) (*jsonstream.Document, error) {
		if url != "https://example.com/other.json" {
			return nil, errors.New("not asked for: " + url)
		}
		return parse(t, []byte(`{"$defs":{"a":{"$anchor":"it","type":"string"}},"items":{"$ref":"#it"},"properties":{"back":{"$ref":"schema.json"}}}`)), nil
	}
	p, err := Compile(schemaURL, parse(t, []byte(`{"properties":{"a":{"$ref":"other.json"},"b":{"$ref":"other.json#it"}}}`)), Options{Load: load})
	if err != nil {
		t.Fatal(err)
	}
	r := p.NewRun()
	for text, want := range map[string]Verdict{
		`{"a":["x"],"b":"y"}`:       Valid,
		`{"a":[1]}`:                 Invalid,
		`{"b":1}`:                   Invalid,
		`{"a":{"back":{"b":1}}}`:    Invalid,
		`{"a":{"back":{"a":[""]}}}`: Valid,
	} {
		if got := verdict(r, parse(t, []byte(text)).Root()); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// A program allows many concurrent runs.
func TestConcurrentRuns(t *testing.T) {
	p, err := Compile(schemaURL, parse(t, []byte(`{"items":{"pattern":"^a+$"}}`)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := parse(t, []byte(`["a","aa"]`)).Root()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := verdict(p.NewRun(), v); got != Valid {
				t.Error(got)
			}
		})
	}
	wg.Wait()
}

// The deepest possible document is checked to its end.
func TestDeep(t *testing.T) {
	p, err := Compile(schemaURL, parse(t, []byte(`{"items":{"$ref":"#"},"type":"array"}`)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("[", jsonstream.MaxDepth) + "null" + strings.Repeat("]", jsonstream.MaxDepth)
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	if p.NewRun().Valid(doc.Root()) {
		t.Error("valid, and the innermost element is not an array")
	}
}
