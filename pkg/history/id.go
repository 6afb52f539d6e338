package history

import (
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ids are the members that tell a message from others, and the formats that have them.
var ids = []struct {
	member  string
	formats []format.Format
}{
	{"handoffId", []format.Format{format.EAAPL}},
	{"handoff_id", []format.Format{format.SW4RMRequest, format.SW4RMResponse}},
	{"request_id", []format.Format{format.SW4RMRequest, format.SW4RMResponse}},
	{"session_id", []format.Format{format.MACP}},
	{"sessionId", []format.Format{format.MACP}},
}

// ID returns what tells a message in a format, or in any if f is "", from others: the
// first that is there of handoffId, handoff_id, request_id and session_id. It is "" for
// a message without.
func ID(root jsonstream.Value, f format.Format) string {
	for _, id := range ids {
		if f != "" && !slices.Contains(id.formats, f) {
			continue
		}
		if text := root.Get(id.member).Text(); text != "" {
			return text
		}
	}
	return ""
}

// ID returns what tells the message from others: see [ID].
func (h *History) ID() string { return ID(h.doc.Root(), h.Format) }

// HasID reports whether id is the [ID] of a message in some format, "" among them, since
// there is always one that has none: the id that an index has need not be of the format
// that the message looks like.
func HasID(root jsonstream.Value, id string) bool {
	if id == ID(root, "") {
		return true
	}
	return slices.ContainsFunc(format.All(), func(f format.Format) bool { return id == ID(root, f) })
}
