package safety

import (
	"maps"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Provenance is the member of a canonical message's extensions with the origins of its values: an
// object of pointers and origins, such as {"/relevantContext/0": "document"}.
const Provenance = "provenance"

// origins are the fields of a message's values by their stated origins.
type origins map[jsonstream.Value]Field

// A mark is the stated origin of the value at a pointer, with the marks below it.
type mark struct {
	field Field // "" if the value itself has no stated origin
	below map[string]*mark
}

// readOrigins reads the origins in a canonical message. Dangling pointers and unknown origins are
// ignored.
func readOrigins(root jsonstream.Value) origins {
	var top mark
	for pointer, origin := range root.Get("extensions").Get(Provenance).Members() {
		tokens, ok := jsonstream.SplitPointer(pointer)
		if !ok {
			continue
		}
		switch origin.Text() {
		case "tool", "document":
			top.at(tokens).field = Tool
		case "agent":
			top.at(tokens).field = Data
		}
	}
	if top.below == nil && top.field == "" {
		return nil
	}
	found := make(origins)
	top.read(found, root)
	return found
}

// ofHandoffs returns the origins of canonical messages inside a message of another format: the
// messages are data, and their values have the origins stated in them.
func ofHandoffs(handoffs []jsonstream.Value) origins {
	if len(handoffs) == 0 {
		return nil
	}
	found := origins{}
	for _, handoff := range handoffs {
		maps.Copy(found, readOrigins(handoff))
		found[handoff] = Data
	}
	return found
}

// at returns the mark for the value at tokens below m.
func (m *mark) at(tokens []string) *mark {
	for _, token := range tokens {
		if m.below == nil {
			m.below = make(map[string]*mark)
		}
		if m.below[token] == nil {
			m.below[token] = new(mark)
		}
		m = m.below[token]
	}
	return m
}

// read resolves all marked values in one pass.
func (m *mark) read(found origins, v jsonstream.Value) {
	if m.field != "" {
		found[v] = m.field
	}
	if m.below == nil {
		return
	}
	for name, member := range v.Members() {
		if next := m.below[name]; next != nil {
			next.read(found, member)
		}
	}
	for i, element := range v.Elements() {
		if next := m.below[strconv.Itoa(i)]; next != nil {
			next.read(found, element)
		}
	}
}

// within returns the stricter of the fields of v's place and of its origin, since the sender of a
// message must not make the scanner more lenient.
func (o origins) within(v jsonstream.Value, field Field) Field {
	if origin, ok := o[v]; ok && fieldFactor(origin) > fieldFactor(field) {
		return origin
	}
	return field
}
