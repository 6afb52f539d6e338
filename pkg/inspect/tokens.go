package inspect

import (
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// CountTokens adds the sizes in tokens to the facts of m. What is in none of the
// formats that package history knows has no turns.
func (f *Facts) CountTokens(m *message.Message, meter history.Meter) {
	h, err := history.Of(m.Document(), jsonstream.Unlimited())
	if err != nil {
		h = &history.History{Root: m.Root()}
	}
	tally := h.Measure(meter)
	f.SizeTokens = tally.Total
	sizes := map[string]int{}
	for _, member := range tally.Members {
		sizes[member.Name] = member.Size
	}
	for i, member := range f.Members {
		f.Members[i].Tokens = sizes[member.Name]
	}
	spoken := map[string]int{}
	for i, t := range h.Turns {
		spoken[t.Value.Get("role").Text()] += tally.Turns[i]
	}
	for i, r := range f.Roles {
		f.Roles[i].Tokens = spoken[r.Role]
	}
}
