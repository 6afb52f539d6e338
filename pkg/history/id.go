package history

import (
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ID returns the identifier of a message in a format, or in any format if f is "": the first present member
// of the format's [format.Descriptor].IDs, or "".
func ID(root jsonstream.Value, f format.Format) string {
	for _, d := range formats.All() {
		if f != "" && f != d.Name {
			continue
		}
		for _, name := range d.IDs {
			if text := root.Get(name).Text(); text != "" {
				return text
			}
		}
	}
	return ""
}

// ID returns the identifier of the message: see [ID].
func (h *History) ID() string { return ID(h.doc.Root(), h.Format) }

// HasID reports whether id is the [ID] of a message in some format. An id from an index may belong to a
// format other than the detected one. HasID is true for "", since the message has no ID in at least one
// format.
func HasID(root jsonstream.Value, id string) bool {
	return id == ID(root, "") || slices.ContainsFunc(formats.Names(), func(f format.Format) bool { return id == ID(root, f) })
}
