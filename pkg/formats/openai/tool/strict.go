package tool

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// The bounds of [Strict].
const (
	// MaxNodes is the maximum number of schemas in a strict schema, including merged and
	// expanded ones.
	MaxNodes = 100_000
	// MaxLevels is the maximum depth of nested schemas, including the outermost, and of
	// nested reference expansions.
	MaxLevels = 100
	// maxExpanded is the maximum total size of expanded references, in bytes.
	maxExpanded = jsonstream.DefaultMaxBytes
)

// A SchemaError reports a schema that cannot be made strict. Its text is for people and does
// not include the place.
type SchemaError struct {
	jsonstream.Position        // of the problem, in the schema's text
	Pointer             string // JSON Pointer to it
	Problem             string // the problem, the value found, and the remedy
}

func (e *SchemaError) Error() string { return e.Problem }

func problem(v jsonstream.Value, format string, args ...any) error {
	return &SchemaError{v.Position(), v.Pointer(), fmt.Sprintf(format, args...)}
}

func notASchema(v jsonstream.Value) error {
	return problem(v, "a strict schema must be an object: found %s; describe the valid values here", finding.QuoteValue(v))
}

// Strict appends the strict form of a schema, compact. Only references within the schema,
// "#" and "#/…", are resolved. A strict schema stays as it is. The error is a
// [*SchemaError].
//
// Time and memory are bounded by the size of the schema, [MaxNodes] and 64 MiB of expanded
// references.
func Strict(dst []byte, schema jsonstream.Value) ([]byte, error) {
	if schema.Kind() != jsonstream.Object {
		return nil, notASchema(schema)
	}
	if schema.Len() == 0 {
		return append(dst, noInput...), nil
	}
	c := conversion{root: schema, places: places{}}
	root, err := c.load(schema, nil)
	if err == nil {
		err = checkRoot(root, schema)
	}
	if err != nil {
		return nil, err
	}
	start := len(dst)
	if dst, err = c.append(dst, root, 1); err != nil {
		return nil, err
	}
	if err := c.checkReferences(dst[start:]); err != nil {
		return nil, err
	}
	return dst, nil
}

// checkRoot reports a root that the API rejects: its type must be object, and only that.
func checkRoot(root *keywords, at jsonstream.Value) error {
	for _, name := range []string{"anyOf", "oneOf"} {
		if k, ok := root.get(name); ok {
			return problem(k.value, "the root of a strict schema must not use %s: move it into a property", name)
		}
	}
	if k, ok := root.get("nullable"); ok && k.value.Kind() == jsonstream.True {
		return problem(k.value, "the root of a strict schema must not be nullable: remove nullable")
	}
	kind, ok := root.get("type")
	switch {
	case !ok && root.has("properties"):
		return nil
	case !ok:
		return problem(at, `the root has no type: the input of a tool must be an object; add "type": "object"`)
	case hasType(kind.value, "null"):
		return problem(kind.value, `the root of a strict schema must not be nullable: use "type": "object"`)
	case !hasType(kind.value, "object") || kind.value.Len() > 1:
		return problem(kind.value, `the root must have only the type object: found %s; use "type": "object"`, finding.QuoteValue(kind.value))
	}
	return nil
}

// hasType reports whether the value of a type keyword is or lists a type.
func hasType(types jsonstream.Value, name string) bool {
	for _, t := range types.Elements() {
		if t.Text() == name {
			return true
		}
	}
	return types.Text() == name
}

// A conversion converts one schema to strict form.
type conversion struct {
	root     jsonstream.Value
	places   places
	nodes    int
	expanded int                       // bytes
	kept     []jsonstream.Value        // the unexpanded references
	foreign  map[jsonstream.Value]bool // the references below an $id, nil until needed
}

// schema appends the strict form of a nested schema.
func (c *conversion) schema(dst []byte, v jsonstream.Value, from *expansion, level int) ([]byte, error) {
	if level > MaxLevels {
		return nil, problem(v, "schemas are nested deeper than %d levels", MaxLevels)
	}
	s, err := c.load(v, from)
	if err != nil {
		return nil, err
	}
	return c.append(dst, s, level)
}

// append appends a schema merged by load.
func (c *conversion) append(dst []byte, s *keywords, level int) ([]byte, error) {
	kind, _ := s.get("type")
	properties, hasProperties := s.get("properties")
	isObject := hasProperties && !s.has("type") || hasType(kind.value, "object")
	dst = append(dst, '{')
	begin := func(name []byte) { dst = append(append(jsonstream.AppendComma(dst), name...), ':') }
	for _, k := range s.list {
		name := k.value.RawName()
		switch {
		case !k.value.Exists() || k.name == "oneOf" && s.has("anyOf"):
			continue
		case k.name == "oneOf":
			name = []byte(`"anyOf"`)
		}
		begin(name)
		var err error
		switch {
		case k.name == "required" && hasProperties:
			dst = appendNames(dst, properties.value)
		case k.name == "type" && level == 1: // checkRoot has checked it
			dst = append(dst, `"object"`...)
		default:
			dst, err = c.keyword(dst, s, k, level+1)
		}
		if err != nil {
			return nil, err
		}
	}
	if isObject && !s.has("type") {
		begin([]byte(`"type"`))
		dst = append(dst, `"object"`...)
	}
	if isObject && !s.has("additionalProperties") {
		begin([]byte(`"additionalProperties"`))
		dst = append(dst, "false"...)
	}
	if hasProperties && !s.has("required") {
		begin([]byte(`"required"`))
		dst = appendNames(dst, properties.value)
	}
	return append(dst, '}'), nil
}

// keyword appends the value of a keyword. level is the level of its schemas.
func (c *conversion) keyword(dst []byte, s *keywords, k keyword, level int) ([]byte, error) {
	switch k.name {
	case "properties", "$defs", "definitions":
		return c.named(dst, k, level)
	case "anyOf", "oneOf":
		lists := []keyword{k}
		if other, ok := s.get("oneOf"); ok && k.name == "anyOf" {
			lists = append(lists, other)
		}
		return c.list(dst, lists, level)
	case "allOf":
		return c.list(dst, []keyword{k}, level)
	case "items":
		switch k.value.Kind() {
		case jsonstream.Array, jsonstream.False: // a tuple, which stays unchanged like prefixItems
		default:
			return c.schema(dst, k.value, k.from, level)
		}
	}
	return jsonstream.AppendCompact(dst, k.value.Raw()), nil
}

// named appends an object whose members are schemas.
func (c *conversion) named(dst []byte, k keyword, level int) ([]byte, error) {
	if k.value.Kind() != jsonstream.Object {
		return nil, problem(k.value, "%s must be an object of schemas: found %s", k.name, finding.QuoteValue(k.value))
	}
	dst = append(dst, '{')
	for _, v := range k.value.Members() {
		dst = append(append(jsonstream.AppendComma(dst), v.RawName()...), ':')
		var err error
		if dst, err = c.schema(dst, v, k.from, level); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// list appends the schemas of several arrays as one array.
func (c *conversion) list(dst []byte, lists []keyword, level int) ([]byte, error) {
	dst = append(dst, '[')
	for _, k := range lists {
		if k.value.Kind() != jsonstream.Array {
			return nil, problem(k.value, "%s must be an array of schemas: found %s", k.name, finding.QuoteValue(k.value))
		}
		for _, v := range k.value.Elements() {
			var err error
			if dst, err = c.schema(jsonstream.AppendComma(dst), v, k.from, level); err != nil {
				return nil, err
			}
		}
	}
	return append(dst, ']'), nil
}

// appendNames appends the names of an object's members as an array.
func appendNames(dst []byte, object jsonstream.Value) []byte {
	dst = append(dst, '[')
	for _, v := range object.Members() {
		dst = append(jsonstream.AppendComma(dst), v.RawName()...)
	}
	return append(dst, ']')
}
