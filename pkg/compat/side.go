package compat

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/validate"
)

// A side is one of the two schemas that are compared, with what decides about documents.
type side struct {
	isNew    bool
	root     jsonstream.Value
	whole    *validate.Schema
	parts    map[jsonstream.Value]*validate.Schema
	anchors  map[string]jsonstream.Value
	patterns map[string]*regexp.Regexp
}

func newSide(isNew bool, doc *jsonstream.Document) (*side, error) {
	values, anchors := 0, map[string]jsonstream.Value{}
	for v := range doc.Root().All() {
		values++
		if name := v.Get("$anchor").Text(); name != "" {
			anchors[name] = v
		}
	}
	if values > MaxValues {
		return nil, fmt.Errorf("more than %d values: compare the parts that have changed", MaxValues)
	}
	whole, err := validate.CompileSchema("file:///schema.json", doc.Raw().Bytes, nil)
	if err != nil {
		return nil, err
	}
	s := &side{isNew, doc.Root(), whole, map[jsonstream.Value]*validate.Schema{}, anchors, map[string]*regexp.Regexp{}}
	s.parts[s.root] = whole
	return s, nil
}

// target returns what a reference leads to, absent if that is not known.
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

// resolve follows a schema that says nothing but $ref.
func (s *side) resolve(schema jsonstream.Value) jsonstream.Value {
	for range maxDepth {
		ref := schema.Get("$ref")
		if ref.Kind() != jsonstream.String {
			return schema
		}
		for keyword := range schema.Members() {
			if keyword != "$ref" && !isAnnotation(keyword) {
				return schema
			}
		}
		to := s.target(ref.Text())
		if !to.Exists() {
			return schema
		}
		schema = to
	}
	return schema
}

// findings reports how a value breaks a schema; ok is false where that cannot be told.
func (s *side) findings(schema, v jsonstream.Value) (list []finding.Finding, ok bool) {
	part, known := s.parts[schema]
	if !known {
		part, _ = s.whole.Part(schema.Pointer())
		s.parts[schema] = part
	}
	if part == nil {
		return nil, false
	}
	return part.Check(v), true
}

// matches reports whether a name matches a regular expression; ok is false if it is none.
func (s *side) matches(expr, name string) (matched, ok bool) {
	re, known := s.patterns[expr]
	if !known {
		re, _ = regexp.Compile(expr)
		s.patterns[expr] = re
	}
	return re != nil && re.MatchString(name), re != nil
}

// isAnnotation reports whether a keyword says nothing about which values are valid.
func isAnnotation(keyword string) bool {
	switch keyword {
	case "$id", "$schema", "$comment", "$anchor", "$dynamicAnchor", "$defs", "definitions", "title", "description", "default",
		"examples", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema":
		return true
	case "$ref", "$dynamicRef", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "uniqueKeys", "prefixItems", "items",
		"contains", "minContains", "maxContains", "required", "minProperties", "maxProperties", "properties", "patternProperties",
		"additionalProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedItems",
		"unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$recursiveRef", "$vocabulary", "regexProperties":
		return false
	default:
		return true // unknown keywords are annotations
	}
}
