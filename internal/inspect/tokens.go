package inspect

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// CountTokens adds the sizes in tokens to f, the facts of m. If m
// carries a context, it counts the context. A message of a format unknown to package history
// has no turns.
func (f *Facts) CountTokens(m *message.Message, meter history.Meter) {
	h, err := history.Of(m.Document(), f.Format, jsonstream.Unlimited())
	if err != nil {
		h = &history.History{Root: m.Root()}
	}
	tally := h.Measure(meter)
	f.SizeTokens = tally.Total
	sizes := map[string]int{}
	for _, member := range tally.Members {
		sizes[member.Name] = member.Size
	}
	counted := f.Members
	if f.Context != nil {
		counted = f.Context.Members
	}
	for i, member := range counted {
		counted[i].Tokens = sizes[member.Name]
	}
	name := speaker
	if h.Format == format.EAAPL {
		name = roleOf
	}
	spoken := map[string]int{}
	for i, t := range h.Turns {
		spoken[name(t.Value)] += tally.Turns[i]
	}
	for i, r := range f.Roles {
		f.Roles[i].Tokens = spoken[r.Role]
	}
}
