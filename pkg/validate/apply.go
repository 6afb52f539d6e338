package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/internal/schema"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// longArray is how many elements of an array the library gets to see at once.
// It makes an error for each bad one before it returns, a kilobyte and more, so
// that a hostile array would cost gigabytes.
const longArray = 100

// A remainder is the part of a long array or object that the library has not seen: what
// comes after the first longArray of its elements, or of its members that the schema
// does not name. Each is to follow each.
type remainder struct {
	holder jsonstream.Value
	schema *jsonschema.Schema // of the holder
	each   *jsonschema.Schema
}

// children yields what the library has not seen.
func (r remainder) children(yield func(jsonstream.Value) bool) {
	for i, element := range r.holder.Elements() {
		if i >= longArray && !yield(element) {
			return
		}
	}
	unnamed := 0
	for name, member := range r.holder.Members() {
		if r.schema.Properties[name] != nil {
			continue
		}
		if unnamed++; unnamed > longArray && !yield(member) {
			return
		}
	}
}

// Check returns what in v breaks the schema, one finding per cause, ordered by
// place, at most a thousand.
func (s *Schema) Check(v jsonstream.Value) []finding.Finding { return s.check(v, nil) }

// check is Check of what run has followed already, unless that is nil.
func (s *Schema) check(v jsonstream.Value, run *schema.Run) []finding.Finding {
	if run == nil && s.accepts(v) || run != nil && run.Verdict() == schema.Valid {
		return nil
	}
	return s.explain(v)
}

// explain is Check by the schema library.
func (s *Schema) explain(v jsonstream.Value) []finding.Finding {
	if unsafe := numbersOverLimit(v); len(unsafe) > 0 {
		// The library fails on such numbers (a nil dereference, or seconds of
		// arithmetic), so it does not get to see them.
		return unsafe
	}
	findings, open := s.apply(s.library(), v)
	for len(open) > 0 && len(findings) < mostFindings {
		r := open[0]
		open = open[1:]
		w := wording{schema: s, root: r.holder}
		if keys := s.locate(r.schema.Location + "/uniqueKeys"); keys.Exists() {
			w.repeated(r.holder, keys)
		}
		if r.schema.UniqueItems {
			w.repeatedText(r.holder)
		}
		findings = append(findings, w.findings...)
		for child := range r.children {
			more, inner := s.apply(r.each, child)
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
func (s *Schema) apply(schema *jsonschema.Schema, v jsonstream.Value) ([]finding.Finding, []remainder) {
	var c conversion
	value := c.plain(v, schema, 0)
	if most := max(leastPaths, pathsPerByte*len(v.Raw())); c.paths > most && !s.ours {
		return cannotApply(v, fmt.Errorf("the places of all values, written as JSON Pointers, take more than %d MiB: shorten the member names or nest less", most>>20)), nil
	}
	err := guard(func() error { return schema.Validate(value) })
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

func cannotApply(v jsonstream.Value, err error) []finding.Finding {
	return []finding.Finding{schemaFinding("schema", "the schema cannot be applied: "+strings.TrimPrefix(err.Error(), "jsonschema: ")).On(v)}
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

// plain converts v, whose pointer is path bytes long and to which schema applies, nil
// if that cannot be told. Of a long array it converts the beginning, if what the schema
// says of its elements it says of each alone, and of an object with many members that
// the schema does not name likewise.
func (c *conversion) plain(v jsonstream.Value, schema *jsonschema.Schema, path int) any {
	c.paths += path
	switch v.Kind() {
	case jsonstream.Object:
		return c.object(v, schema, path)
	case jsonstream.Array:
		holder := elementSchema(schema, v)
		var items *jsonschema.Schema
		if holder != nil {
			items = holder.Items2020
		}
		array := []any{}
		for i, element := range v.Elements() {
			if i == longArray && items != nil {
				c.remainders = append(c.remainders, remainder{v, holder, items})
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

func (c *conversion) object(v jsonstream.Value, schema *jsonschema.Schema, path int) any {
	var buffer [8]*jsonschema.Schema
	list := buffer[:0]
	if schema != nil {
		list, _ = applicable(list, schema, v, 0)
	}
	holder := namingSchema(list)
	object := make(map[string]any, v.Len())
	unnamed := 0
	for name, member := range v.Members() {
		if holder != nil && holder.Properties[name] == nil {
			if unnamed++; unnamed > longArray {
				continue
			}
		}
		object[name] = c.plain(member, memberSchema(list, name), path+1+len(name))
	}
	if unnamed > longArray {
		c.remainders = append(c.remainders, remainder{v, holder, holder.AdditionalProperties.(*jsonschema.Schema)})
	}
	return object
}

// memberSchema returns the one of the schemas of a member that may say something about
// what the member holds, nil if there are several or none.
func memberSchema(list []*jsonschema.Schema, name string) *jsonschema.Schema {
	var only *jsonschema.Schema
	for _, s := range list {
		member := s.Properties[name]
		if member == nil {
			member, _ = s.AdditionalProperties.(*jsonschema.Schema)
		}
		if member == nil || !ofChildren(member) {
			continue
		}
		if only != nil {
			return nil
		}
		only = member
	}
	return only
}

// namingSchema returns the one of the schemas of an object that has a rule for the
// members that it does not name, if that is the only one to say anything about them.
func namingSchema(list []*jsonschema.Schema) *jsonschema.Schema {
	var holder *jsonschema.Schema
	for _, s := range list {
		if _, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && holder == nil {
			holder = s
		} else if s.AdditionalProperties != nil || s.Properties != nil || s.Required != nil {
			return nil
		}
		if s.MinProperties > longArray || s.MaxProperties >= 0 || s.PropertyNames != nil || s.DependentRequired != nil || s.Extensions != nil ||
			slices.ContainsFunc(s.Required, func(name string) bool { return s.Properties[name] == nil }) {
			return nil
		}
	}
	return holder
}

// elementSchema returns the one of the schemas of an array that has a rule for each
// element, nil where the array has to be looked at as a whole.
func elementSchema(schema *jsonschema.Schema, v jsonstream.Value) *jsonschema.Schema {
	if schema == nil {
		return nil
	}
	var buffer [8]*jsonschema.Schema
	list, ok := applicable(buffer[:0], schema, v, 0)
	if !ok {
		return nil
	}
	var holder *jsonschema.Schema
	for _, s := range list {
		if s.MinItems > longArray || s.MaxItems >= 0 || s.UniqueItems && (s.Items2020 == nil || !slices.Equal(typesOf(s.Items2020), []string{"string"})) {
			return nil
		}
		if s.Items2020 == nil {
			continue
		}
		if holder != nil {
			return nil
		}
		holder = s
	}
	return holder
}
