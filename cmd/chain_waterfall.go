package cmd

import (
	"strings"

	"github.com/eaapl/handoff/cmd/internal/tasktree"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/message"
)

// waterfall draws what each agent spent on a task, each bar from where the one
// above it ends.
func (t *chainText) waterfall(task *chain.Task) {
	total := task.Total
	t.Section("Cost", tasktree.USD(total.SpentUSD)+" spent, "+tasktree.USD(task.Relay.RemainingUSD)+" left; "+
		term.Grouped(total.Prompt)+" prompt and "+term.Grouped(total.Completion)+" completion tokens")
	if !task.Agrees {
		t.Line("  ", t.Yellow(doubt(task)))
	}
	spenders := task.Spenders[:min(len(task.Spenders), term.MaxRows)]
	rows := make([][5]string, len(spenders))
	var columns [5]int
	for i, s := range spenders {
		rows[i] = [...]string{
			term.Clip(s.Agent, tasktree.MaxAgentColumns), term.Plural(s.Handoffs, "handoff"),
			tasktree.USD(s.Cost.SpentUSD), tasktree.Share(s.Cost.SpentUSD, total.SpentUSD), inTokens(s.Cost),
		}
		for j, figure := range rows[i] {
			columns[j] = max(columns[j], term.Width(figure))
		}
	}
	var spent message.Decimal
	for i, s := range spenders {
		line := "  " + term.Left(rows[i][0], columns[0])
		for j, figure := range rows[i][1:] {
			line += "  " + term.Right(figure, columns[j+1])
		}
		room := max(min(t.Width-term.Width(line)-2, term.MaxBar), 1)
		begin := mark(spent, total.SpentUSD, room)
		spent = spent.Add(s.Cost.SpentUSD)
		step := strings.Repeat("█", max(mark(spent, total.SpentUSD, room)-begin, 0))
		if step == "" && s.Cost.SpentUSD.Sign() > 0 {
			begin, step = min(begin, room-1), "▏"
		}
		if step != "" {
			line += "  " + term.Spaces(begin) + t.Cyan(step)
		}
		t.Line(line)
	}
	t.More(len(task.Spenders) - len(spenders))
}

// doubt says why the sum of a task's steps may not be what was spent.
func doubt(task *chain.Task) string {
	relay := task.Relay
	if relay.SpentUSD.Equal(task.Total.SpentUSD) && relay.Prompt == task.Total.Prompt && relay.Completion == task.Total.Completion {
		return "branches meet in a message that does not join them: some of it may be counted twice"
	}
	return "the last messages say " + tasktree.USD(relay.SpentUSD) + " and " + inTokens(relay) + ": a message is missing, or a figure went down"
}

// mark returns the column at which a part of the whole ends.
func mark(part, whole message.Decimal, columns int) int {
	if whole.Sign() <= 0 {
		return 0
	}
	const digits = 6
	share := part.Quo(whole, digits).Float64()
	return int(min(max(share, 0), 1)*float64(columns) + 0.5)
}
