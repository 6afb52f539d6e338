package history

import (
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Line is a turn of an edited conversation: see [History.WithTurns].
type Line struct {
	// Of is the index of the turn in [History.Turns], -1 for a new turn.
	Of    int
	Value jsonstream.Value
}

// errTurns reports lines that take back or replace some of the new turns.
var errTurns = errors.New("the session cannot be rewritten: other lines of it take turns back, or replace them")

// WithTurns returns the text of a message that is JSON Lines with another conversation, in the order of
// turns. A missing turn is removed with its line. A new turn, or a turn in a different order, becomes a
// line after the line of the turn before it. If turns within a line change, the line then also holds all
// turns before them. All other lines stay unchanged, except for references to removed and new lines: the
// error is that of [format.Elements.Relink], or about lines that would take turns back.
func (h *History) WithTurns(turns []Line) ([]byte, error) {
	lines := h.place(turns)
	if relink := h.Layout().Known.Relink; relink != nil {
		linked, err := relink(lines)
		if err != nil {
			return nil, err
		}
		lines = linked
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
	text := root.Bytes()
	if h.inside() == 0 {
		return text, nil
	}
	doc, err := jsonstream.Parse(h.context.Raw().With(text), jsonstream.Unlimited())
	if err != nil {
		return nil, err
	}
	var all []jsonstream.Value
	for _, v := range doc.Root().Elements() {
		all = append(all, v)
	}
	known := h.Layout().Known
	read := known.At(known.Path(doc.Root().Elements()), func(index int) jsonstream.Value { return all[index] })
	if !slices.EqualFunc(read, turns, func(v jsonstream.Value, t Line) bool { return gist(v) == gist(t.Value) }) {
		return nil, errTurns
	}
	return text, nil
}

// gist returns the text of a turn and its calls and results, which rewriting keeps.
func gist(turn jsonstream.Value) string {
	t := conversation.Turn{Value: turn}
	text := t.Text()
	for p := range conversation.ToolEvents(turn) {
		text += "\x00" + p.ID.Text()
	}
	return text
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
	known, inside := h.Layout().Known, h.inside()
	var holder jsonstream.Value // the last line with turns within it
	first := 0                  // of the turns that become lines
	if inside > 0 {
		for holder = h.Turns[inside-1].Value; holder.Parent() != h.Root; holder = holder.Parent() {
		}
	}
	if inside > 0 && !h.keepsInside(turns, inside) {
		var held []jsonstream.Value
		for slices.ContainsFunc(turns[first:], func(t Line) bool { return t.Of >= 0 && t.Of < inside }) {
			held = append(held, turns[first].Value)
			first++
		}
		after = holder.Index()
		count := 0
		for _, t := range h.Turns[:inside] {
			if t.Index == after && h.isWithin(t) {
				count++
			}
		}
		at[after] = format.Line{Was: holder, Value: parsed(known.Hold(holder, count, held)), Turn: -1}
	}
	for n, t := range turns {
		if n < first {
			continue
		}
		if t.Of >= 0 && t.Of < inside && h.isWithin(h.Turns[t.Of]) {
			after = h.Turns[t.Of].Index
			continue
		}
		line := format.Line{Value: t.Value, Turn: n}
		if holder.Exists() && t.Of < 0 {
			line.Value = parsed(known.Lift(holder, t.Value))
		}
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
		if _, stays := at[t.Index]; !stays && !h.isWithin(t) {
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

// inside returns the number of turns up to the last one within a line.
func (h *History) inside() int {
	for i := len(h.Turns) - 1; i >= 0; i-- {
		if h.isWithin(h.Turns[i]) {
			return i + 1
		}
	}
	return 0
}

// keepsInside reports whether the turns within lines stay unchanged, and no turn before the last of them is
// new or changed. inside is the number of turns up to it.
func (h *History) keepsInside(turns []Line, inside int) bool {
	next := 0
	for _, t := range turns {
		if next == inside {
			return true
		}
		if t.Of < next || t.Of >= inside || t.Value != h.Turns[t.Of].Value {
			return false
		}
		for ; next < t.Of; next++ {
			if h.isWithin(h.Turns[next]) {
				return false
			}
		}
		next = t.Of + 1
	}
	return next == inside
}

// parsed returns the value of a text that is JSON.
func parsed(text []byte) jsonstream.Value {
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(err) // impossible: made of values
	}
	return doc.Root()
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
