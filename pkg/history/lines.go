package history

import (
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Line is a turn of an edited conversation: see [History.WithTurns].
type Line struct {
	// Of is the index of the turn in [History.Turns], -1 for a new turn.
	Of    int
	Value jsonstream.Value
}

// WithTurns returns the text of a message that is JSON Lines with another conversation, in the order of
// turns. A missing turn is removed with its line. A new turn, or one in a different order, becomes a line
// after that of the turn before it. All other lines stay unchanged, except for references to removed and
// new lines: the error is that of [format.Elements.Relink].
func (h *History) WithTurns(turns []Line) ([]byte, error) {
	lines := h.place(turns)
	if relink := h.Layout().Known.Relink; relink != nil {
		if err := relink(lines); err != nil {
			return nil, err
		}
	}
	root := jsonstream.NewDraft(h.Root)
	for root.Len() > 0 {
		root.Take("0")
	}
	for _, line := range lines {
		if !line.Value.Exists() {
			continue
		}
		d := jsonstream.NewDraft(line.Value)
		if line.Was.Exists() && line.Was != line.Value { // keep the white space around it
			d = jsonstream.NewDraft(line.Was)
			d.Replace(jsonstream.NewDraft(line.Value))
		}
		root.Insert("-", d)
	}
	return root.Bytes(), nil
}

// place returns all lines, including the lines of the new turns, and the removed lines without a value.
func (h *History) place(turns []Line) []format.Line {
	stay := inOrder(turns)
	added := map[int][]format.Line{} // by the index of the line before them
	at := map[int]format.Line{}      // by the index of the line
	moved := map[int]bool{}
	after := -1
	if len(h.Turns) > 0 {
		after = h.Turns[0].Index - 1
	}
	for n, t := range turns {
		line := format.Line{Value: t.Value, Turn: n}
		if t.Of >= 0 {
			line.Was = h.Turns[t.Of].Value
		}
		if stay[n] {
			after = h.Turns[t.Of].Index
			at[after] = line
			continue
		}
		if t.Of >= 0 {
			moved[h.Turns[t.Of].Index] = true
		}
		added[after] = append(added[after], line)
	}
	for _, t := range h.Turns {
		if _, stays := at[t.Index]; !stays {
			at[t.Index] = format.Line{Was: t.Value, Turn: -1}
		}
	}
	lines := slices.Clone(added[-1])
	for i, v := range h.Root.Elements() {
		line, isTurn := at[i]
		if !isTurn {
			line = format.Line{Was: v, Value: v, Turn: -1}
		}
		if !moved[i] {
			lines = append(lines, line)
		}
		lines = append(lines, added[i]...)
	}
	return lines
}

// inOrder reports which turns keep their order: as many as possible.
func inOrder(turns []Line) []bool {
	var ends []int // the last turns of the best sequences of each length
	before := make([]int, len(turns))
	for n, t := range turns {
		if t.Of < 0 {
			continue
		}
		length, _ := slices.BinarySearchFunc(ends, t.Of, func(end, of int) int { return turns[end].Of - of })
		before[n] = -1
		if length > 0 {
			before[n] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, n)
		} else {
			ends[length] = n
		}
	}
	stay := make([]bool, len(turns))
	if len(ends) > 0 {
		for n := ends[len(ends)-1]; n >= 0; n = before[n] {
			stay[n] = true
		}
	}
	return stay
}
