package codex

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// relink keeps new turns from rollbacks. A rollback may take back more turns of the user than there were before it:
// it would then take a new one, too. Its number becomes the number of turns that it took back before.
func relink(lines []format.Line) error {
	before := slices.DeleteFunc(slices.Clone(lines), func(line format.Line) bool { return !line.Was.Exists() })
	slices.SortFunc(before, func(a, b format.Line) int { return cmp.Compare(a.Was.Index(), b.Was.Index()) })
	took := map[int]int{} // by the index of the line before
	for at, count := range rollbacks(before, func(line format.Line) jsonstream.Value { return line.Was }) {
		took[before[at].Was.Index()] = count
	}
	if len(took) == 0 {
		return nil
	}
	takes := rollbacks(lines, func(line format.Line) jsonstream.Value { return line.Value })
	differ := false
	for at, count := range takes {
		differ = differ || took[lines[at].Was.Index()] != count
	}
	if !differ {
		return nil
	}
	for at := range takes { // all: a changed one changes what the others take
		count := strconv.Itoa(took[lines[at].Was.Index()])
		lines[at].Value = format.Edited(lines[at].Value, func(d *jsonstream.Draft) error {
			return d.Set("/payload/num_turns", []byte(count))
		})
	}
	return nil
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
			if turn.nature == request {
				count++
			}
		}
		counts[int(l.Index)] = count
	})
	return counts
}
