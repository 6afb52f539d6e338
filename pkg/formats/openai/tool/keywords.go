package tool

import (
	"slices"

	"github.com/eaapl/handoff/internal/equal"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A keyword is a member of a schema.
type keyword struct {
	name  string
	value jsonstream.Value // absent if the keyword was removed
	from  *expansion       // its origin; nil for none
}

// keywords are the members of a schema, in order.
type keywords struct {
	list  []keyword
	index map[string]int // into list, by name
}

func (s *keywords) get(name string) (keyword, bool) {
	i, ok := s.index[name]
	if !ok {
		return keyword{}, false
	}
	return s.list[i], true
}

func (s *keywords) has(name string) bool {
	_, ok := s.index[name]
	return ok
}

func (s *keywords) remove(name string) {
	s.list[s.index[name]].value = jsonstream.Value{}
	delete(s.index, name)
}

// load returns the keywords of a schema, merged and expanded.
func (c *conversion) load(v jsonstream.Value, from *expansion) (*keywords, error) {
	return c.loadPart(v, from, false)
}

// loadPart loads a schema. If inline is set, even a lone reference is expanded.
func (c *conversion) loadPart(v jsonstream.Value, from *expansion, inline bool) (*keywords, error) {
	s := &keywords{index: make(map[string]int, v.Len())}
	if err := c.merge(s, v, from); err != nil {
		return nil, err
	}
	merged := []jsonstream.Value{v}
	for {
		ref, ok := s.get("$ref")
		if !ok {
			break
		}
		s.dropNullDefault()
		if err := c.checkReference(s, v, ref); err != nil {
			return nil, err
		}
		if len(s.index) == 1 && !inline {
			c.kept = append(c.kept, ref.value)
			return s, nil
		}
		if target, ok := c.places.resolve(c.root, ref.value.Text()); ok && !inline && slices.Contains(merged, target) {
			s.remove("$ref") // redundant: its target is already merged
			continue
		}
		next, err := c.expand(ref)
		if err != nil {
			return nil, err
		}
		s.remove("$ref")
		if err := c.merge(s, next.target, next); err != nil {
			return nil, err
		}
		merged = append(merged, next.target)
	}
	err := c.mergeOnly(s)
	s.dropNullDefault()
	return s, err
}

// dropNullDefault removes a default of null. Before that, a default next to an allOf has
// overridden the inner one.
func (s *keywords) dropNullDefault() {
	if d, ok := s.get("default"); ok && d.value.Kind() == jsonstream.Null {
		s.remove("default")
	}
}

// annotations are the keywords that do not constrain. If there are two values, the one next
// to the reference or the allOf wins.
var annotations = []string{
	"$anchor", "$comment", "$defs", "$schema", "contentEncoding", "contentMediaType", "contentSchema",
	"default", "definitions", "deprecated", "description", "examples", "readOnly", "title", "writeOnly",
}

// checkReference reports a reference whose expansion would change the set of values that the
// schema v accepts.
func (c *conversion) checkReference(s *keywords, v jsonstream.Value, ref keyword) error {
	if ref.value.Kind() != jsonstream.String {
		return problem(ref.value, "$ref must be a string: found %s", finding.QuoteValue(ref.value))
	}
	if c.isForeign(ref.value) {
		return problem(ref.value, "the reference is below an $id, so it does not start at the root of the schema: remove the $id, or replace the reference by the schema at %s", finding.QuoteValue(ref.value))
	}
	for _, k := range s.list {
		if k.value.Exists() && k.name != "$ref" && !slices.Contains(annotations, k.name) && (k.name != "$id" || v != c.root) {
			return problem(k.value, "%s is next to a $ref, and both apply: they cannot be merged without changing the set of valid inputs; remove the other keyword, or replace the reference by its schema", finding.Quote(k.name))
		}
	}
	return nil
}

// mergeOnly merges an allOf of one schema into the schema around it.
func (c *conversion) mergeOnly(s *keywords) error {
	all, ok := s.get("allOf")
	if !ok || all.value.Kind() != jsonstream.Array || all.value.Len() != 1 {
		return nil
	}
	s.remove("allOf")
	for _, only := range all.value.Elements() {
		inner, err := c.loadPart(only, all.from, true)
		if err != nil {
			return err
		}
		// All properties will be required, whichever schema has them.
		properties, outer := s.get("properties")
		oneHasProperties := inner.has("properties") != (outer && properties.value.Len() > 0)
		for _, k := range inner.list {
			if !k.value.Exists() {
				continue
			}
			i, both := s.index[k.name]
			switch {
			case !both:
				s.index[k.name] = len(s.list)
				s.list = append(s.list, k)
			case slices.Contains(annotations, k.name), k.name == "required" && oneHasProperties:
			case equal.Values(s.list[i].value, k.value):
			case k.name == "properties" && s.list[i].value.Kind() == jsonstream.Object && s.list[i].value.Len() == 0:
				s.list[i] = k
			default:
				return problem(s.list[i].value, "%s is next to an allOf that also has it, and both apply: they cannot be merged without changing the set of valid inputs; combine them into one schema", finding.Quote(k.name))
			}
		}
	}
	return nil
}

// merge counts a schema and adds its keywords, except those already present.
func (c *conversion) merge(s *keywords, v jsonstream.Value, from *expansion) error {
	if v.Kind() != jsonstream.Object {
		return notASchema(v)
	}
	if c.nodes++; c.nodes > MaxNodes {
		return problem(v, "the schema has more than %d subschemas after the expansion of its references", MaxNodes)
	}
	if more := v.Get("additionalProperties"); more.Exists() && more.Kind() != jsonstream.False {
		return problem(more, "additionalProperties is %s, but a strict schema allows no additional members: use false, or name the members under properties", finding.QuoteValue(more))
	}
	for name, member := range v.Members() {
		if _, ok := s.index[name]; !ok {
			s.index[name] = len(s.list)
			s.list = append(s.list, keyword{name, member, from})
		}
	}
	return nil
}
