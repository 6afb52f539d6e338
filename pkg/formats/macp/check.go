package macp

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Check replays a transcript and returns the violations, in message order; nil if the
// transcript conforms. A message that breaks a rule has no effect, and the replay continues.
// Violations that only follow from an earlier one are omitted ([Violation].Follows). For a
// fixture, use [CheckFixture].
func Check(doc *jsonstream.Document, o Options) []Violation {
	t, found := Read(doc)
	s := NewSession(t, o)
	for e := range t.Messages() {
		if v := s.Accept(e); v != nil && !v.Follows {
			found = append(found, *v)
		}
	}
	if t.messages.Kind() == jsonstream.Array && t.Len() == 0 {
		v := violation("macp/1", SessionAlreadyExists, "the first message of the session to be SessionStart", "no message",
			"start the session").at(t.messages)
		v.Index = -1
		found = append(found, *v)
	}
	return found
}
