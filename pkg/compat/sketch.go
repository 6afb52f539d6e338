package compat

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A sketch is a JSON value that is made up. It is immutable.
type sketch struct {
	kind  jsonstream.Kind
	text  string // of a scalar
	names []string
	parts []*sketch
}

func scalar(text string) *sketch {
	return &sketch{kind: jsonstream.Kind(text[0]), text: text}
}

func sketchOf(v jsonstream.Value) *sketch {
	s := &sketch{kind: v.Kind(), text: string(v.Raw())}
	for name, member := range v.Members() {
		s.names, s.parts = append(s.names, name), append(s.parts, sketchOf(member))
	}
	for _, element := range v.Elements() {
		s.parts = append(s.parts, sketchOf(element))
	}
	return s
}

func quote(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // invalid UTF-8 is replaced
	return string(quoted)
}

func (s *sketch) String() string {
	var b strings.Builder
	s.write(&b)
	return b.String()
}

func (s *sketch) write(b *strings.Builder) {
	open, end := "[", "]"
	switch s.kind {
	case jsonstream.Object:
		open, end = "{", "}"
	case jsonstream.Array:
	default:
		b.WriteString(s.text)
		return
	}
	b.WriteString(open)
	for i, part := range s.parts {
		if i > 0 {
			b.WriteByte(',')
		}
		if s.names != nil {
			b.WriteString(quote(s.names[i]) + ":")
		}
		part.write(b)
	}
	b.WriteString(end)
}

// with returns s with a member, in the place of one of that name.
func (s *sketch) with(name string, v *sketch) *sketch {
	c := &sketch{kind: s.kind, names: slices.Clone(s.names), parts: slices.Clone(s.parts)}
	if i := slices.Index(s.names, name); i >= 0 {
		c.parts[i] = v
		return c
	}
	c.names, c.parts = append(c.names, name), append(c.parts, v)
	return c
}

func (s *sketch) without(name string) *sketch {
	i := slices.Index(s.names, name)
	if i < 0 {
		return s
	}
	return &sketch{kind: s.kind, names: slices.Delete(slices.Clone(s.names), i, i+1), parts: slices.Delete(slices.Clone(s.parts), i, i+1)}
}

func object() *sketch { return &sketch{kind: jsonstream.Object} }

func array(parts ...*sketch) *sketch { return &sketch{kind: jsonstream.Array, parts: parts} }
