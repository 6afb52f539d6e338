package safety

import (
	"maps"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Provenance is the member of a canonical message's extensions that says where its values
// came from: an object of pointers and origins, such as
// {"/relevantContext/0": "document"}.
const Provenance = "provenance"

// origins are the fields that values of a message have by what it says of where they came
// from.
type origins map[jsonstream.Value]Field

// A mark is what a message says of the value at a pointer, and below it.
type mark struct {
	field Field // "" if nothing is said of the value itself
	below map[string]*mark
}

// readOrigins reads what a canonical message says of its values' origins. Pointers that
// lead nowhere and unknown origins mean nothing.
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

// ofHandoffs returns the origins of canonical messages in a message of another format, which
// themselves are data, and what they say of their own values.
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

// at returns the mark for the value at the tokens below m.
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

// read looks up the marked values in one pass, however many there are.
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

// within returns the stricter of the field of v's place and the field of its origin: the
// sender of a message may not make the scanner milder.
func (o origins) within(v jsonstream.Value, field Field) Field {
	if origin, ok := o[v]; ok && fieldFactor(origin) > fieldFactor(field) {
		return origin
	}
	return field
}
