package history

import (
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Meter measures text, in tokens or another unit of Count.
type Meter struct {
	Count func(text string) int
	// PerTurn is the cost of a turn in addition to its text, PerName the cost of a turn's name, and
	// PerReply the cost of a conversation, for the reply that it primes.
	PerTurn, PerName, PerReply int
}

// A Tally is the size of a message by its parts, in the units of a [Meter].
type Tally struct {
	Total   int
	Members []MemberSize // of the History's Root, in their order
	Turns   []int        // of the History's Turns
}

// A MemberSize is the size of one member.
type MemberSize struct {
	Name string
	Size int
}

// Measure returns the sizes of the turns and of the other members of the message, or of the context that it
// carries. Strings count as their characters, all else as compact JSON. A turn counts the values of its
// members, as providers document it, plus the overhead of the meter. Names of members do not count.
func (h *History) Measure(m Meter) Tally {
	t := Tally{Turns: make([]int, len(h.Turns))}
	sizes := make([]int, len(h.Lists))
	for i, turn := range h.Turns {
		t.Turns[i] = m.Turn(turn.Item())
		sizes[turn.List] += t.Turns[i]
	}
	if len(h.Turns) > 0 {
		t.Total = m.PerReply
	}
	for i, list := range h.Lists {
		switch {
		case list.Alone: // counted with the members around it
			t.Total += m.PerTurn
		case list.Value == h.Root:
			t.Total += sizes[i]
		}
	}
	for name, v := range h.Root.Members() {
		size := -1
		for i, list := range h.Lists {
			if list.Name == name && list.HasTurns() {
				size = sizes[i]
			}
		}
		if size < 0 {
			size = m.Value(v)
		}
		t.Members = append(t.Members, MemberSize{name, size})
		t.Total += size
	}
	return t
}

// Value returns the size of a value that is not a turn.
func (m Meter) Value(v jsonstream.Value) int {
	if v.Kind() == jsonstream.String {
		return m.Count(v.Text())
	}
	return m.Count(string(jsonstream.AppendCompact(nil, v.Raw())))
}

// Turn returns the size of a turn.
func (m Meter) Turn(turn jsonstream.Value) int {
	if turn.Kind() == jsonstream.String { // see OpenAI's input_history
		return m.PerTurn + m.Count("user") + m.Count(turn.Text())
	}
	size := m.PerTurn
	for name, v := range turn.Members() {
		switch {
		case name == "content" && v.Kind() == jsonstream.Array:
			size += m.parts(v)
		case name == "name":
			size += m.PerName + m.Value(v)
		default:
			size += m.Value(v)
		}
	}
	return size
}

// parts returns the size of a turn's content. Of parts with a text, only the text counts.
func (m Meter) parts(content jsonstream.Value) int {
	size := 0
	for _, part := range content.Elements() {
		if text := part.Get("text"); text.Kind() == jsonstream.String {
			part = text
		}
		size += m.Value(part)
	}
	return size
}
