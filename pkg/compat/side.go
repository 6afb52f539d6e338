package compat

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A side is one of the two schemas to compare, with its validators.
type side struct {
	root    jsonstream.Value
	anchors map[string]jsonstream.Value
	dialect string // its $schema
	known   bool   // keywords and references have the meaning that this package assumes
	types   map[jsonstream.Value]types
	parts   map[jsonstream.Value]*validate.Schema
	named   map[string]*validate.Schema // by patterns of names: schemas of objects without a matching name
}

func newSide(doc *jsonstream.Document) (*side, error) {
	s := &side{
		root: doc.Root(), anchors: map[string]jsonstream.Value{}, dialect: strings.TrimSuffix(doc.Root().Get("$schema").Text(), "#"), known: true,
		types: map[jsonstream.Value]types{}, parts: map[jsonstream.Value]*validate.Schema{}, named: map[string]*validate.Schema{},
	}
	if s.dialect == "" {
		s.dialect = "https://json-schema.org/draft/2020-12/schema"
	}
	s.known = s.isLegacy() || strings.HasSuffix(s.dialect, "/draft/2020-12/schema") || strings.HasSuffix(s.dialect, "/draft/2019-09/schema")
	values := 0
	for v := range doc.Root().All() {
		values++
		if name := v.Get("$anchor").Text(); name != "" {
			s.anchors[name] = v
		}
		if v != s.root && (v.Get("$id").Text() != "" || v.Get("$schema").Text() != "") {
			s.known = false
		}
	}
	if values > MaxValues {
		return nil, fmt.Errorf("more than %d values: compare the parts that have changed", MaxValues)
	}
	whole, err := validate.CompileSchema("file:///schema.json", doc.Raw().Bytes, nil)
	s.parts[s.root] = whole
	return s, err
}

// isLegacy reports whether $ref hides the keywords beside it.
func (s *side) isLegacy() bool {
	return strings.HasSuffix(s.dialect, "/draft-07/schema") || strings.HasSuffix(s.dialect, "/draft-06/schema")
}

// target returns the schema that a reference leads to, absent if it is unknown.
func (s *side) target(ref string) jsonstream.Value {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return jsonstream.Value{}
	}
	if fragment == "" {
		return s.root
	}
	if !strings.HasPrefix(fragment, "/") {
		return s.anchors[fragment]
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return jsonstream.Value{}
	}
	return s.root.At(pointer)
}

// resolve follows the reference of a schema whose only keyword is $ref.
func (s *side) resolve(schema jsonstream.Value) jsonstream.Value {
	for range 64 {
		to := s.target(schema.Get("$ref").Text())
		for name := range schema.Members() {
			if name != "$ref" && isKeyword(name) && !s.isLegacy() {
				return schema
			}
		}
		if !to.Exists() {
			return schema
		}
		schema = to
	}
	return schema
}

func isKeyword(name string) bool {
	_, ok := keywords[name]
	return ok
}

// accepts reports whether a value is valid under a schema; ok is false if that is unknown.
func (p part) accepts(v jsonstream.Value) (valid, ok bool) {
	s, known := p.side.parts[p.schema]
	if !known {
		s, _ = p.side.parts[p.side.root].Part(p.schema.Pointer())
		p.side.parts[p.schema] = s
	}
	return s != nil && len(s.Check(v)) == 0, s != nil
}

// matches reports whether a name matches a pattern, by the validator's rules.
func (s *side) matches(pattern, name string) bool {
	without, known := s.named[pattern]
	if !known {
		text := `{"patternProperties":{` + encode(pattern) + `:false}}`
		without, _ = validate.CompileSchema("file:///names.json", []byte(text), nil)
		s.named[pattern] = without
	}
	return without != nil && len(without.Check(parse("{"+encode(name)+":null}"))) > 0
}

// rest returns the schema of the members in neither properties nor patternProperties, absent if there is
// none, and its keyword: unevaluatedProperties is equivalent if no other schema applies to members.
func (p part) rest() (rest part, name string) {
	if p.schema.Get("additionalProperties").Exists() || p.side.isLegacy() {
		return p.get("additionalProperties"), "additionalProperties"
	}
	for _, other := range []string{"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"} {
		if p.schema.Get(other).Exists() {
			return part{p.side, jsonstream.Value{}}, ""
		}
	}
	return p.get("unevaluatedProperties"), "unevaluatedProperties"
}

// member returns the schemas of p itself for the member with a name.
func (p part) member(name string) []part {
	var list []part
	if own := p.get("properties").get(name); own.schema.Exists() {
		list = append(list, own)
	}
	for pattern, schema := range p.schema.Get("patternProperties").Members() {
		if p.side.matches(pattern, name) {
			list = append(list, part{p.side, schema})
		}
	}
	if rest, _ := p.rest(); list == nil && rest.schema.Exists() {
		list = append(list, rest)
	}
	return list
}

// element returns the schema of an element, absent if there is none.
func (p part) element(i int) part {
	v := p.schema.Get("prefixItems").First()
	for range i {
		v = v.Next()
	}
	if i < p.schema.Get("prefixItems").Len() {
		return part{p.side, v}
	}
	return p.get("items")
}
