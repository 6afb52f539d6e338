package rulebook

import (
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// IDs maps each identifier to its first occurrence.
type IDs map[string]jsonstream.Value

// Add records an identifier of a kind and reports it if it is a duplicate. Values other than
// non-empty strings are ignored.
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
