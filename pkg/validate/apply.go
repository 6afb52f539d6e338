package validate

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// longArray is how many elements of an array the library gets to see at once.
// It makes an error for each bad one before it returns, a kilobyte and more, so
// that a hostile array would cost gigabytes.
const longArray = 100

// A remainder is the part of a long array that the library has not seen: its
// elements from longArray on, each of which is to follow items.
type remainder struct {
	array  jsonstream.Value
	schema *jsonschema.Schema // of the array
	items  *jsonschema.Schema
}

// Check returns what in v breaks the schema, one finding per cause, ordered by
// place, at most a thousand.
func (s *Schema) Check(v jsonstream.Value) []Finding {
	if unsafe := numbersOverLimit(v); len(unsafe) > 0 {
		// The library fails on such numbers (a nil dereference, or seconds of
		// arithmetic), so it does not get to see them.
		return unsafe
	}
	findings, open := s.apply(s.compiled, v)
	for len(open) > 0 && len(findings) < mostFindings {
		r := open[0]
		open = open[1:]
		if keys := s.locate(r.schema.Location + "/uniqueKeys"); keys.Exists() {
			w := wording{schema: s, root: r.array}
			w.repeated(r.array, keys)
			findings = append(findings, w.findings...)
		}
		for i, element := range r.array.Elements() {
			if i < longArray {
				continue
			}
			more, inner := s.apply(r.items, element)
			findings, open = append(findings, more...), append(open, inner...)
			if len(findings) >= mostFindings {
				break
			}
		}
	}
	findings = withoutEchoes(findings)
	sortByPlace(findings)
	return findings[:min(len(findings), mostFindings)]
}

// apply asks the library about v, but for what it returns as remainders.
func (s *Schema) apply(schema *jsonschema.Schema, v jsonstream.Value) ([]Finding, []remainder) {
	var c conversion
	value := c.plain(v, schema, 0)
	if most := max(leastPaths, pathsPerByte*len(v.Raw())); c.paths > most && !s.ours {
		return cannotApply(v, fmt.Errorf("the places of all values, written as JSON Pointers, take more than %d MiB: shorten the member names or nest less", most>>20)), nil
	}
	err := validate(schema, value)
	if err == nil {
		return nil, c.remainders
	}
	var tree *jsonschema.ValidationError
	if !errors.As(err, &tree) {
		return cannotApply(v, err), nil
	}
	w := wording{schema: s, root: v}
	return w.explain(tree), c.remainders
}

func cannotApply(v jsonstream.Value, err error) []Finding {
	return []Finding{schemaFinding("schema", "the schema cannot be applied: "+err.Error()).on(v)}
}

// validate turns a panic of the library into an error: one bad document must
// not end a run.
func validate(schema *jsonschema.Schema, value any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the schema library failed: %v", r)
		}
	}()
	return schema.Validate(value)
}

// The library makes the pointer of every value that a schema reaches: a long
// name above many values must not cost their product.
const (
	leastPaths   = 64 << 20
	pathsPerByte = 16
)

// A conversion turns values into the types that the schema library takes.
type conversion struct {
	paths      int // the lengths of the pointers of all values, added up
	remainders []remainder
}

// plain converts v, whose pointer is path bytes long and to which schema
// applies, nil if that cannot be told. Of a long array it converts the
// beginning, if what the schema says of its elements it says of each alone.
func (c *conversion) plain(v jsonstream.Value, schema *jsonschema.Schema, path int) any {
	c.paths += path
	switch v.Kind() {
	case jsonstream.Object:
		properties := memberSchemas(schema)
		object := make(map[string]any, v.Len())
		for name, member := range v.Members() {
			object[name] = c.plain(member, properties[name], path+1+len(name))
		}
		return object
	case jsonstream.Array:
		items := elementSchema(schema)
		array := []any{}
		for i, element := range v.Elements() {
			if i == longArray && items != nil {
				c.remainders = append(c.remainders, remainder{v, transparent(schema), items})
				break
			}
			array = append(array, c.plain(element, items, path+2))
		}
		return array
	case jsonstream.String:
		return v.Text()
	case jsonstream.Number:
		return json.Number(v.Raw())
	case jsonstream.True:
		return true
	case jsonstream.False:
		return false
	default:
		return nil
	}
}

// transparent returns the schema that s stands for, if what it says of a value
// is said of the value itself and of each of its children alone; nil otherwise.
func transparent(s *jsonschema.Schema) *jsonschema.Schema {
	const mostReferences = 32
	for range mostReferences {
		if s == nil || s.Not != nil || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil || s.If != nil ||
			s.DynamicRef != nil || s.RecursiveRef != nil || s.Constant != nil || s.Enum != nil ||
			s.PatternProperties != nil || s.Dependencies != nil || s.DependentSchemas != nil || s.UnevaluatedProperties != nil ||
			s.Items != nil || s.PrefixItems != nil || s.Contains != nil || s.UnevaluatedItems != nil || s.UniqueItems {
			return nil
		}
		if s.Ref == nil {
			return s
		}
		if s.Properties != nil || s.Items2020 != nil || s.MinItems > longArray || s.MaxItems >= 0 {
			return nil
		}
		s = s.Ref
	}
	return nil
}

// memberSchemas returns the schemas of an object's members.
func memberSchemas(s *jsonschema.Schema) map[string]*jsonschema.Schema {
	if s = transparent(s); s == nil {
		return nil
	}
	return s.Properties
}

// elementSchema returns the schema that each element of an array has to follow,
// nil where the array has to be looked at as a whole.
func elementSchema(s *jsonschema.Schema) *jsonschema.Schema {
	if s = transparent(s); s == nil || s.MinItems > longArray || s.MaxItems >= 0 {
		return nil
	}
	return s.Items2020
}
