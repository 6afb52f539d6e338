package copilotcli

import (
	"errors"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// errOrder reports that other events would change the conversation.
var errOrder = errors.New("the session cannot be rewritten: a compaction in it would remove turns")

// relink gives new events ids of their own, and links each event after a removed or new one to the event before it.
// If the conversation would differ, because turns were moved, or because a compaction or a rewind was removed, it
// removes all events that change the conversation and are not turns.
func relink(lines []format.Line) ([]format.Line, error) {
	taken := map[string]bool{}
	for _, line := range lines {
		taken[line.Was.Get("id").Text()] = true
	}
	for i, line := range lines {
		if line.Was.Exists() || !IsEvent(line.Value) {
			continue
		}
		id := line.Value.Get("id").Text()
		for taken[id] {
			id = format.MadeID(id)
		}
		taken[id] = true
		lines[i].Value = with(line.Value, "/id", format.Fill("%", id))
	}
	flat := !holds(lines)
	if flat {
		if flatten(lines); !holds(lines) {
			return nil, errOrder
		}
	}
	link(lines, flat)
	return lines, nil
}

// with returns an event with another member.
func with(event jsonstream.Value, pointer string, value []byte) jsonstream.Value {
	return format.Edited(event, func(d *jsonstream.Draft) error { return d.Set(pointer, value) })
}

// holds reports whether the conversation of lines has exactly their turns, in order.
func holds(lines []format.Line) bool {
	log := NewLog(nil)
	want := 0
	for i, line := range lines {
		if line.Turn >= 0 {
			want++
		}
		if e, ok := log.EventOf(line.Value); ok {
			log.Add(i, e)
		}
	}
	position := 0
	for _, e := range log.events {
		if !e.Turn {
			continue
		}
		if lines[e.Index].Turn != position {
			return false
		}
		position++
	}
	return position == want
}

// flatten removes all events that change the conversation and are not turns, except the starts of compactions, and
// writes the turns in order.
func flatten(lines []format.Line) {
	log := NewLog(nil)
	for i, line := range lines {
		if line.Turn >= 0 {
			continue
		}
		switch e, _ := log.EventOf(line.Value); e.kind {
		case turn, compacts, rewinds, clears:
			lines[i].Value = jsonstream.Value{}
		}
	}
	format.SortTurns(lines)
}

// link links each event after a removed, new or moved one to the event before it, or all events.
func link(lines []format.Line, all bool) {
	seen := map[string]bool{"": true}
	before, isNew := "", false
	for i, line := range lines {
		if !IsEvent(line.Value) {
			continue
		}
		id, parent := line.Value.Get("id").Text(), line.Value.Get("parentId").Text()
		if parent != before && (all || isNew || !line.Was.Exists() || !seen[parent]) {
			to := []byte("null")
			if before != "" {
				to = format.Fill("%", before)
			}
			lines[i].Value = with(line.Value, "/parentId", to)
		}
		before, isNew, seen[id] = id, !line.Was.Exists(), true
	}
}
