package agentcard

import (
	"strings"
	"testing"
)

// TestFields checks that the table has every message of a card, that each field occurs once and has a
// known type, and that the default values match the specification.
func TestFields(t *testing.T) {
	seen := map[*messageType]bool{}
	fields := 0
	var visit func(m *messageType)
	visit = func(m *messageType) {
		if seen[m] {
			return
		}
		seen[m] = true
		if len(m.fields) == 0 || len(m.fields) != len(m.byName) {
			t.Errorf("%s has %d fields with %d names", m.name, len(m.fields), len(m.byName))
		}
		for _, f := range m.fields {
			fields++
			if f.oneof && (f.required || f.optional || f.list || f.dict || f.of == nil) || f.optional && (f.required || f.list || f.dict) {
				t.Errorf("%s.%s is two things that protobuf keeps apart", m.name, f.name)
			}
			if f.name != m.misspelled(f.name) || f.name != m.misspelled(strings.ToUpper(f.name)) {
				t.Errorf("%s.%s is not known by its name", m.name, f.name)
			}
			if zero, ok := f.zero(); ok && !f.isZero(parse(t, zero).Root()) {
				t.Errorf("%s.%s: %s is not its default", m.name, f.name, zero)
			}
			if f.of != nil {
				visit(f.of)
			}
		}
	}
	visit(cardType())
	if lines := strings.Count(fieldList, "\n") - strings.Count(fieldList, "# "); fields != lines || len(seen) != 21 {
		t.Errorf("%d messages with %d fields can be reached, of 21 with %d", len(seen), fields, lines)
	}
}
