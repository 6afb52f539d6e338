package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each cause names the value, the keyword and the keyword's place; a reference to another schema is
// not a cause. The library's errors are equivalent.
func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		name, schema, document string
		want                   []string // keyword, value, rule, and further details
	}{
		{"references", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"b":{"type":"null"}}}}}`, `{"b":1}`, []string{`type /b #/$defs/a/properties/b/type`}},
		{"what is for other types", `{"type":"string","allOf":[false]}`, `1`, []string{`type  #/type`}},
		{"false by its keyword", `{"properties":{"a":false},"items":false}`, `{"a":1}`, []string{`properties /a #/properties/a`}},
		{"false alone", `false`, `1`, []string{`  #`}},
		{"required", `{"required":["a","b","c"]}`, `{"b":1}`, []string{`required  #/required/0`, `required  #/required/2`}},
		{"dependentRequired", `{"dependentRequired":{"a":["b","c"]}}`, `{"a":1,"b":1}`, []string{`dependentRequired  #/dependentRequired/a/1`}},
		{"additionalProperties", `{"patternProperties":{"^x":true},"additionalProperties":false}`, `{"x":1,"y":{}}`, []string{`additionalProperties  #/additionalProperties at /y`}},
		{"names", `{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, []string{`maxLength name of /ab #/propertyNames/maxLength`}},
		{"uniqueItems", `{"uniqueItems":true}`, `[{"a":1,"b":2},[],{"b":2.0,"a":1}]`, []string{`uniqueItems  #/uniqueItems at /2 as /0`}},
		{"uniqueKeys", `{"uniqueKeys":["/id"]}`, `[{"id":"a"},{"id":1},{"id":1},{"id":"a"}]`, []string{`uniqueKeys  #/uniqueKeys at /3/id as /0`}},
		{"contains", `{"contains":{"const":1}}`, `[2]`, []string{`contains  #/contains found 0`}},
		{"minContains", `{"contains":{"const":1},"minContains":2}`, `[1,3]`, []string{`minContains  #/minContains found 1`}},
		{"if", `{"if":{"type":"object"},"then":{"required":["a"]},"else":{"type":"null"}}`, `{}`, []string{`required  #/then/required/0`}},
		{"else", `{"if":{"type":"object"},"then":{"required":["a"]},"else":{"type":"null"}}`, `1`, []string{`type  #/else/type`}},
		{"not", `{"not":{"type":"null"}}`, `null`, []string{`not  #/not`}},
		{"the branch of the type", `{"anyOf":[{"type":"null"},{"type":"string","minLength":2}]}`, `"a"`, []string{`minLength  #/anyOf/1/minLength`}},
		{"the branch of the constant", `{"oneOf":[{"properties":{"t":{"const":"a"},"n":{"type":"null"}}},{"properties":{"t":{"const":"b"},"n":{"type":"string"}}}]}`, `{"t":"b","n":1}`, []string{`type /n #/oneOf/1/properties/n/type`}},
		{"no branch", `{"anyOf":[{"type":"null"},{"enum":["a"]}]}`, `1`, []string{`anyOf  #/anyOf (rejected by [type  #/anyOf/0/type]) (rejected by [enum  #/anyOf/1/enum])`}},
		{"a member in each branch", `{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{`anyOf  #/anyOf (lacks #/anyOf/0/required/0) (lacks #/anyOf/1/required/0)`}},
		{"two branches", `{"oneOf":[true,{}]}`, `1`, []string{`oneOf  #/oneOf`}},
		{"by place, then by rule", `{"type":"array","maxItems":1,"allOf":[{"items":{"type":"null"}}],"items":{"const":1}}`, `[1,2]`,
			[]string{`maxItems  #/maxItems`, `type /0 #/allOf/0/items/type`, `type /1 #/allOf/0/items/type`, `const /1 #/items/const`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(schemaURL, parse(t, []byte(tt.schema)), options())
			if err != nil {
				t.Fatal(err)
			}
			ref, err := newReference(schemaURL, []byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			v := parse(t, []byte(tt.document)).Root()
			if diff := cmp.Diff(tt.want, texts(p.Explain(v, allCauses))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			explainAlike(t, p, ref, v)
		})
	}
}

// texts returns the causes in a short form.
func texts(causes []Cause) []string {
	var list []string
	for _, c := range causes {
		var b strings.Builder
		b.WriteString(c.Keyword + " ")
		if c.OfName {
			b.WriteString("name of ")
		}
		b.WriteString(c.Value.Pointer() + " #" + c.Rule.Pointer())
		if c.Place.Exists() {
			b.WriteString(" at " + c.Place.Pointer())
		}
		if c.Earlier.Exists() {
			b.WriteString(" as " + c.Earlier.Pointer())
		}
		if strings.HasSuffix(strings.ToLower(c.Keyword), "contains") {
			b.WriteString(" found " + string(rune('0'+c.Found)))
		}
		for _, branch := range c.Branches {
			if branch.Lacks.Exists() {
				b.WriteString(" (lacks #" + branch.Lacks.Pointer() + ")")
			} else {
				b.WriteString(" (rejected by [" + strings.Join(texts(branch.Rejections), ", ") + "])")
			}
		}
		list = append(list, b.String())
	}
	return list
}

// If there are many causes, the first ones are returned.
func TestCausesAreBounded(t *testing.T) {
	const schema = `{"items":{"type":"string"},"anyOf":[{"items":{"type":"null"}},{"items":{"type":"object"}}]}`
	p, err := Compile(schemaURL, parse(t, []byte(schema)), options())
	if err != nil {
		t.Fatal(err)
	}
	v := parse(t, []byte("["+strings.Repeat("1,", 10_000)+"1]")).Root()
	causes := p.Explain(v, 10)
	if len(causes) != 10 || causes[9].Value.Index() > 9 {
		t.Errorf("got %d, the last at %s", len(causes), causes[len(causes)-1].Value.Pointer())
	}
}
