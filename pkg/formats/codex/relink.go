package codex

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// relink keeps turns from rollbacks. A rollback may take back more turns of the user than there were before it:
// it would then take a new one, too. Its number becomes the number of turns that it took back before. And a
// rollback may take back a compaction that now holds turns, if no turn of the agent begins between them: then turns
// begin there.
func relink(lines []format.Line) ([]format.Line, error) {
	before := slices.DeleteFunc(slices.Clone(lines), func(line format.Line) bool { return !line.Was.Exists() })
	slices.SortFunc(before, func(a, b format.Line) int { return cmp.Compare(a.Was.Index(), b.Was.Index()) })
	was := func(line format.Line) jsonstream.Value { return line.Was }
	now := func(line format.Line) jsonstream.Value { return line.Value }
	took := map[int]int{} // by the index of the line before
	for at, count := range rollbacks(before, was) {
		took[before[at].Was.Index()] = count
	}
	takes := rollbacks(lines, now)
	if len(takes) == 0 {
		return lines, nil
	}
	differ := false
	for at, count := range takes {
		differ = differ || took[lines[at].Was.Index()] != count
	}
	if differ {
		for at := range takes { // all: a changed one changes what the others take
			count := strconv.Itoa(took[lines[at].Was.Index()])
			lines[at].Value = format.Edited(lines[at].Value, func(d *jsonstream.Draft) error {
				return d.Set("/payload/num_turns", []byte(count))
			})
		}
	}
	void, again := takenBack(before, was), takenBack(lines, now)
	first := slices.IndexFunc(lines, func(line format.Line) bool { return line.Was.Exists() && again[line.Was] && !void[line.Was] })
	if first >= 0 {
		lines = withBeginnings(lines, first, slices.Max(slices.Collect(maps.Keys(takes))))
	}
	if !maps.Equal(void, takenBack(lines, now)) {
		return nil, errTakenBack
	}
	return lines, nil
}

// errTakenBack reports a rollback that would take back another compaction than before.
var errTakenBack = errors.New("the session cannot be rewritten: rollbacks in it take turns back, and would take back other compactions")

// withBeginnings returns lines with the beginning of a turn of the agent before the compaction at an index, and before
// each message of the user after it and before a last line, unless a turn begins there.
func withBeginnings(lines []format.Line, compaction, last int) []format.Line {
	begins := []int{compaction}
	begun := false
	for i := compaction + 1; i < last; i++ {
		switch l, ok := lineAt(i, lines[i].Value); {
		case !ok:
		case l.effect == beginsTurn:
			begun = true
		case l.effect == isItem && l.nature.begins():
			if !begun {
				begins = append(begins, i)
			}
			begun = false
		}
	}
	for _, i := range slices.Backward(begins) {
		lines = slices.Insert(lines, i, format.Line{Value: beginning(lines[i:]), Turn: -1})
	}
	return lines
}

// takenBack returns the compactions that were taken back, by their old values.
func takenBack(lines []format.Line, value func(format.Line) jsonstream.Value) map[jsonstream.Value]bool {
	var thread Thread
	var of []jsonstream.Value
	for i, line := range lines {
		if l, ok := lineAt(i, value(line)); ok {
			thread.Add(l)
			of = append(of, line.Was)
		}
	}
	void := map[jsonstream.Value]bool{}
	for i := range thread.takenBack() {
		void[of[i]] = true
	}
	return void
}

// beginning returns the line of an event with which a turn of the agent begins before other lines: the one that ends
// in them, or else a turn of its own.
func beginning(lines []format.Line) jsonstream.Value {
	id := "handoff"
	for i, line := range lines {
		l, ok := lineAt(i, line.Value)
		if !ok {
			continue
		}
		if l.effect == beginsTurn {
			break
		}
		if l.agent != 0 {
			id = line.Value.Get("payload").Get("turn_id").Text()
		}
	}
	text := format.Fill(`{"timestamp":%,"type":"event_msg","payload":{"type":"task_started","turn_id":%}}`, lines[0].Value.Get("timestamp").Text(), id)
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		panic(err) // impossible: made of texts
	}
	return doc.Root()
}

// rollbacks returns the number of turns of the user that each rollback takes back, by the index of its line.
func rollbacks(lines []format.Line, value func(format.Line) jsonstream.Value) map[int]int {
	var thread Thread
	for i, line := range lines {
		if l, ok := lineAt(i, value(line)); ok {
			thread.Add(l)
		}
	}
	counts := map[int]int{}
	thread.replay(func(Line, []threadTurn) {}, func(l Line, taken []threadTurn) {
		count := 0
		for _, turn := range taken {
			if turn.nature.begins() {
				count++
			}
		}
		counts[int(l.Index)] = count
	})
	return counts
}
