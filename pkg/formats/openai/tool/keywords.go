package tool

import (
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

// put adds the members of a schema. Existing ones are replaced in place, or kept.
func (s *keywords) put(schema jsonstream.Value, from *expansion, replace bool) {
	for name, v := range schema.Members() {
		i, ok := s.index[name]
		switch {
		case !ok:
			s.index[name] = len(s.list)
			s.list = append(s.list, keyword{name, v, from})
		case replace:
			s.list[i] = keyword{name, v, from}
		}
	}
}

// load returns the keywords of a schema, merged and expanded.
func (c *conversion) load(v jsonstream.Value, from *expansion) (*keywords, error) {
	s := &keywords{index: make(map[string]int, v.Len())}
	if err := c.merge(s, v, from, false); err != nil {
		return nil, err
	}
	for {
		if all, ok := s.get("allOf"); ok && all.value.Kind() == jsonstream.Array && all.value.Len() == 1 {
			s.remove("allOf")
			for _, only := range all.value.Elements() {
				if err := c.merge(s, only, all.from, true); err != nil {
					return nil, err
				}
			}
			continue
		}
		if d, ok := s.get("default"); ok && d.value.Kind() == jsonstream.Null {
			s.remove("default")
		}
		ref, ok := s.get("$ref")
		if !ok {
			return s, nil
		}
		if ref.value.Kind() != jsonstream.String {
			return nil, problem(ref.value, "$ref is a string: found %s", finding.QuoteValue(ref.value))
		}
		if len(s.index) == 1 {
			c.kept = append(c.kept, ref.value)
			return s, nil
		}
		next, err := c.expand(ref)
		if err != nil {
			return nil, err
		}
		s.remove("$ref")
		if err := c.merge(s, next.target, next, false); err != nil {
			return nil, err
		}
	}
}

// merge counts a schema and adds its keywords.
func (c *conversion) merge(s *keywords, v jsonstream.Value, from *expansion, replace bool) error {
	if v.Kind() != jsonstream.Object {
		return notASchema(v)
	}
	if c.nodes++; c.nodes > MaxNodes {
		return problem(v, "the schema comes to more than %d schemas, with its references expanded", MaxNodes)
	}
	if more := v.Get("additionalProperties"); more.Exists() && more.Kind() != jsonstream.False {
		return problem(more, "additionalProperties is %s, and a strict schema allows no further members: use false, or name the members under properties", finding.QuoteValue(more))
	}
	s.put(v, from, replace)
	return nil
}
