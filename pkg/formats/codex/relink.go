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
	took, _ := rollbacks(before, func(line format.Line) jsonstream.Value { return line.Was })
	takes, at := rollbacks(lines, func(line format.Line) jsonstream.Value { return line.Value })
	if slices.Equal(took, takes) {
		return nil
	}
	for i, index := range at {
		lines[index].Value = format.Edited(lines[index].Value, func(d *jsonstream.Draft) error {
			return d.Set("/payload/num_turns", strconv.AppendInt(nil, int64(took[i]), 10))
		})
	}
	return nil
}

// rollbacks returns how many turns of the user each rollback takes back, and the indices of their lines.
func rollbacks(lines []format.Line, value func(format.Line) jsonstream.Value) (takes, at []int) {
	var thread Thread
	for i, line := range lines {
		if l, ok := lineAt(i, value(line)); ok {
			thread.Add(l)
			if l.effect == rollsBack {
				at = append(at, i)
			}
		}
	}
	if at == nil {
		return nil, nil
	}
	thread.replay(func(Line, []threadTurn) {}, func(taken []threadTurn) {
		n := 0
		for _, turn := range taken {
			if turn.nature == request {
				n++
			}
		}
		takes = append(takes, n)
	})
	return takes, at
}
