package macp

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Check replays a transcript and returns what breaks a rule, in the order of the
// messages; nil for a transcript that conforms. A message that breaks a rule has no
// effect and the replay goes on. What only follows from a violation before it is left
// out ([Violation].Follows). A fixture is for CheckFixture.
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
