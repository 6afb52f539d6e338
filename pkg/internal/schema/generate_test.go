package schema

import (
	"strconv"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A source makes schemas and documents from bytes: each byte is a choice. After its end, all
// choices are the first.
type source struct{ choices []byte }

func (s *source) choose(n int) int {
	if len(s.choices) == 0 {
		return 0
	}
	c := int(s.choices[0]) % n
	s.choices = s.choices[1:]
	return c
}

func (s *source) of(list ...string) string { return list[s.choose(len(list))] }

func (s *source) list(maxLength int, open, end string, each func() string) string {
	parts := make([]string, 1+s.choose(maxLength))
	for i := range parts {
		parts[i] = each()
	}
	return open + strings.Join(parts, ",") + end
}

// name returns the name of a member; some names have an escape.
func (s *source) name() string {
	if s.choose(4) > 0 {
		return s.of(`"a"`, `"b"`, `"c"`)
	}
	return s.of(`"ab"`, `"\u0061"`, `"a\\b"`, `"a\b"`, `"abcdefghij"`, `"é"`, `"\ud83d\ude00"`, `""`)
}

func (s *source) scalar() string {
	if s.choose(3) > 0 {
		return s.of(`1`, `"a"`, `null`, `1.5`, `true`, `"ab"`)
	}
	return s.of(`false`, `0`, `-1`, `1.0`, `1.5`, `2`, `3`, `10`, `1e1`, `-0.0`, `0.1`, `100e-1`, `12345678901234567890`, `12345678901234567891`,
		`"a"`, `"b"`, `"ab"`, `"\u0061"`, `"aé😀"`, `"\ud83d\ude00"`, `""`, `"1"`, `"2026-06-12T09:30:00Z"`, `"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"`, `">=1.5.0"`, `"10.0.0.1"`, `"a\\b\"/\n"`)
}

// object writes members with different names.
func (s *source) object(maxLength int, each func() string) string {
	seen := map[string]bool{}
	var b strings.Builder
	b.WriteByte('{')
	for range s.choose(maxLength + 1) {
		name, value := s.name(), each()
		text, _ := jsonstream.Unquote([]byte(name), nil)
		if seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(name + ":" + value)
	}
	b.WriteByte('}')
	return b.String()
}

func (s *source) document(depth int) string {
	if depth > 0 {
		switch s.choose(5) {
		case 1, 2:
			return s.object(4, func() string { return s.document(depth - 1) })
		case 3:
			return s.list(4, "[", "]", func() string { return s.document(depth - 1) })
		}
	}
	return s.scalar()
}

func (s *source) count() string { return strconv.Itoa(s.choose(4)) }

func (s *source) expression() string {
	return s.of(`"a"`, `"^a$"`, `"^[a-b]+$"`, `"^.$"`, `"\\p{L}"`, `"^$"`, `"b$"`)
}

func (s *source) schema(depth int) string {
	if depth == 0 {
		return s.of(`true`, `{"type":"string"}`, `false`, `{}`, `{"const":1}`, `{"$ref":"#/$defs/a"}`, `{"minimum":1}`, `{"type":"object","required":["a"]}`, `{"maxLength":1}`)
	}
	seen := map[string]bool{}
	var parts []string
	for range s.choose(6) {
		keyword, value := s.keyword(depth - 1)
		if !seen[keyword] {
			seen[keyword] = true
			parts = append(parts, `"`+keyword+`":`+value)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (s *source) keyword(depth int) (keyword, value string) {
	sub := func() string { return s.schema(depth) }
	subs := func() string { return s.list(3, "[", "]", sub) }
	keyword = s.of("type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "uniqueKeys", "prefixItems", "items",
		"contains", "minContains", "maxContains", "required", "minProperties", "maxProperties", "properties", "patternProperties",
		"additionalProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies",
		"allOf", "anyOf", "oneOf", "not", "if", "$ref", "x", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "properties", "items", "anyOf", "oneOf", "if", "$ref", "properties", "items")
	switch keyword {
	case "type":
		types := []string{`"string"`, `"object"`, `"array"`, `"integer"`, `"number"`, `"null"`, `"boolean"`}
		if i := s.choose(9); i < 7 {
			return keyword, types[i]
		}
		return keyword, s.of(`["string","object"]`, `["array","integer","null"]`)
	case "enum":
		return keyword, s.list(4, "[", "]", func() string { return s.document(1) })
	case "const":
		return keyword, s.document(2)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return keyword, s.of("1", "1.5", "-1", "0", "2e0", "12345678901234567890.5")
	case "multipleOf":
		return keyword, s.of("1", "0.1", "0.5", "3", "1e1", "12345678901234567890", "1e-9")
	case "pattern":
		return keyword, s.expression()
	case "format":
		return keyword, s.of(`"date-time"`, `"uuid"`, `"semver-range"`, `"ipv4"`, `"nobody-knows"`, `"date"`, `"time"`, `"regex"`)
	case "uniqueItems":
		return keyword, s.of("true", "false")
	case "uniqueKeys":
		return keyword, s.of(`["/a"]`, `["/a","/b"]`, `["/a~1"]`)
	case "required":
		return keyword, s.of(`["a"]`, `["a","b"]`, `["abcdefghij"]`, `[]`, `["a\\b"]`)
	case "properties", "dependentSchemas":
		return keyword, s.object(3, sub)
	case "patternProperties":
		return keyword, "{" + s.expression() + ":" + sub() + s.of("", `,"^[b-z]":`+s.schema(0)) + "}"
	case "dependentRequired":
		return keyword, s.of(`{"a":["b"]}`, `{"b":["a","c"],"c":[]}`)
	case "dependencies":
		return keyword, `{` + s.name() + `:` + s.of(`["b"]`, sub()) + `}`
	case "prefixItems", "allOf", "anyOf", "oneOf":
		return keyword, subs()
	case "$ref":
		return keyword, s.of(`"#/$defs/a"`, `"#/$defs/b"`, `"#"`, `"#named"`, `"inner"`, `"inner#/$defs/a"`, `"#/$defs/a/not"`)
	case "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties":
		return keyword, s.count()
	case "if":
		return keyword, sub() + `,"then":` + sub() + s.of("", `,"else":`+sub())
	default:
		return keyword, sub()
	}
}

// root writes a whole schema, with definitions as targets of references.
func (s *source) root() string {
	body := strings.TrimSuffix(s.schema(3), "}")
	if body != "{" {
		body += ","
	}
	body = "{" + s.of("", "", "", `"$schema":"https://json-schema.org/draft/2019-09/schema",`, `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"http://json-schema.org/draft-06/schema",`) + body[1:]
	return body + `"$defs":{"a":` + s.schema(2) + `,"b":` + s.schema(2) +
		`,"c":{"$anchor":"named","type":` + s.of(`"string"`, `"object"`) + `}` +
		`,"d":{"$id":"inner","$defs":{"a":` + s.schema(1) + `},"items":` + s.schema(1) + `}}}`
}
