package inspect

import (
	"cmp"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/history"
)

// A Breakdown is the distribution of a message's tokens. No slice is nil. Entries of the same
// size are in the order of the message.
type Breakdown struct {
	Members    []Part      `json:"members"`    // largest first
	Roles      []Part      `json:"roles"`      // largest first
	Turns      []TurnSize  `json:"turns"`      // largest first
	Duplicates []Duplicate `json:"duplicates"` // in order
}

// A Part is the tokens of a member, or of the turns of a role.
type Part struct {
	Name   string `json:"name"`
	Turns  int    `json:"turns,omitzero"`
	Tokens int    `json:"tokens"`
}

// A TurnSize is the tokens of a turn.
type TurnSize struct {
	Pointer string `json:"pointer"` // in the context, where a message carries one
	Role    string `json:"role"`
	Tokens  int    `json:"tokens"`
	Turn    int    `json:"-"` // its index in the history
}

// A Duplicate is a turn that repeats an earlier one.
type Duplicate struct {
	Pointer string `json:"pointer"`
	Of      string `json:"of"`
	Tokens  int    `json:"tokens"`
}

// BreakDown measures the parts of a message and returns their sizes and the total. If the
// message carries a context, it measures the context.
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
