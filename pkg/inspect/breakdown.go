package inspect

import (
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
)

// A Breakdown says where the tokens of a message go. No slice is nil. Of what is as large, the
// order is that of the message.
type Breakdown struct {
	Members    []Part      `json:"members"`    // largest first
	Roles      []Part      `json:"roles"`      // largest first
	Turns      []TurnSize  `json:"turns"`      // largest first
	Duplicates []Duplicate `json:"duplicates"` // in order
}

// A Part are the tokens of a member, or of the turns of a role.
type Part struct {
	Name   string `json:"name"`
	Turns  int    `json:"turns,omitzero"`
	Tokens int    `json:"tokens"`
}

// A TurnSize are the tokens of a turn.
type TurnSize struct {
	Pointer string `json:"pointer"` // in the context, where a message carries one
	Role    string `json:"role"`
	Tokens  int    `json:"tokens"`
	Turn    int    `json:"-"` // its index in the history
}

// A Duplicate is a turn that says what an earlier one said.
type Duplicate struct {
	Pointer string `json:"pointer"`
	Of      string `json:"of"`
	Tokens  int    `json:"tokens"`
}

// BreakDown measures a message's parts, and returns their sizes and that of all of it. Where
// the message carries a context, that is measured.
func BreakDown(h *history.History, meter history.Meter) (b Breakdown, total int) {
	sizes := h.Measure(meter)
	b = Breakdown{Members: []Part{}, Turns: []TurnSize{}, Duplicates: []Duplicate{}}
	for _, m := range sizes.Members {
		b.Members = append(b.Members, Part{Name: m.Name, Tokens: m.Size})
	}
	same, pointers, roles := conversation.Duplicates(h.Turns), h.Pointers(), newTally[Part]()
	for i, t := range h.Turns {
		role := cmp.Or(t.Role, t.Item().Get("type").Text(), "(none)")
		of := roles.of(role, Part{Name: role})
		of.Turns++
		of.Tokens += sizes.Turns[i]
		b.Turns = append(b.Turns, TurnSize{pointers[i], role, sizes.Turns[i], i})
		if same[i] != i {
			b.Duplicates = append(b.Duplicates, Duplicate{pointers[i], pointers[same[i]], sizes.Turns[i]})
		}
	}
	b.Roles = roles.all
	largestFirst := func(x, y Part) int { return y.Tokens - x.Tokens }
	slices.SortStableFunc(b.Members, largestFirst)
	slices.SortStableFunc(b.Roles, largestFirst)
	slices.SortStableFunc(b.Turns, func(x, y TurnSize) int { return y.Tokens - x.Tokens })
	return b, sizes.Total
}
