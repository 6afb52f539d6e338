package geminicli

import (
	"errors"
	"slices"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// errOrder reports that other lines would change the conversation.
var errOrder = errors.New("the session cannot be rewritten: other lines of it replace messages, or take them back")

// relink gives new messages ids of their own, and removes the earlier versions of removed messages, which would
// take their place. If the conversation still differs, because turns were moved or a message stands at the place
// of its earlier version, it removes all messages that are not turns, all rewinds and all earlier versions.
func relink(lines []format.Line) ([]format.Line, error) {
	taken, gone := map[string]bool{}, map[string]bool{}
	for _, line := range lines {
		id := line.Was.Get("id").Text()
		taken[id] = true
		if line.Was.Exists() && !line.Value.Exists() && isMessage(line.Was) {
			gone[id] = true
		}
	}
	for i, line := range lines {
		switch id := line.Value.Get("id").Text(); {
		case line.Turn < 0:
			if gone[id] && isMessage(line.Value) {
				lines[i].Value = jsonstream.Value{}
			}
		case line.Was.Exists():
		default:
			unused := id
			for taken[unused] {
				unused = format.MadeID(unused)
			}
			if taken[unused] = true; unused != id {
				lines[i].Value = format.Edited(line.Value, func(d *jsonstream.Draft) error { return d.Set("/id", format.Fill("%", unused)) })
			}
		}
	}
	if holds(lines) {
		return lines, nil
	}
	flatten(lines)
	if !holds(lines) {
		return nil, errOrder
	}
	return lines, nil
}

// holds reports whether the conversation of lines has exactly their turns, in order, and before each of them as many
// turns within lines as its number says. Those within lines have no number.
func holds(lines []format.Line) bool {
	log := NewLog(nil)
	want := 0
	for i, line := range lines {
		if line.Turn >= 0 {
			want++
		}
		if effect, ok := log.LineOf(line.Value); ok && line.Value.Exists() {
			log.Add(i, effect)
		}
	}
	position := 0
	for _, m := range log.messages {
		if !m.Turn {
			continue
		}
		if m.Nth == 0 {
			if lines[m.Index].Turn != position {
				return false
			}
			want--
		}
		position++
	}
	return want == 0
}

// flatten removes all messages that are not turns, and all rewinds, and writes the turns in order. If no turn is
// expected within a line, it removes the messages within lines, too: a rewind had removed them.
func flatten(lines []format.Line) {
	for i, line := range lines {
		if line.Turn < 0 && (isMessage(line.Value) || line.Value.Get("$rewindTo").Exists()) {
			lines[i].Value = jsonstream.Value{}
		}
	}
	format.SortTurns(lines)
	if !slices.ContainsFunc(lines, func(line format.Line) bool { return line.Turn == 0 }) {
		return
	}
	for i, line := range lines {
		if line.Turn < 0 && line.Value.Get("$set").Get("messages").Exists() {
			lines[i].Value = format.Edited(line.Value, func(d *jsonstream.Draft) error { return d.Remove("/$set/messages") })
		}
	}
}
