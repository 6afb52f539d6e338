package rulebook

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// IDs remember where each identifier was first.
type IDs map[string]jsonstream.Value

// Add reports an identifier that is there already, as that of a thing of a kind. What is no
// text, or an empty one, is none.
func (ids IDs) Add(id jsonstream.Value, kind string, report Report) {
	text := id.Text()
	if text == "" {
		return
	}
	if first, ok := ids[text]; ok {
		report(id, "two %s have the id %s: the other is at %s; give each its own", kind, finding.Quote(text), first.Pointer())
		return
	}
	ids[text] = id
}
