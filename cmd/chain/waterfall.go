package chain

import (
	"strings"

	"github.com/eaapl/handoff/internal/tasktree"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/message"
)

// waterfall draws the spending of each agent on a task. Each bar begins at the end of the bar above it.
func (t *textReport) waterfall(task *chain.Task) {
	total := task.Total
	t.Section("Cost", tasktree.USD(total.SpentUSD)+" spent, "+tasktree.USD(task.Relay.RemainingUSD)+" left; "+
		term.Grouped(total.Prompt)+" prompt and "+term.Grouped(total.Completion)+" completion tokens")
	if !task.Agrees {
		t.Line("  ", t.Yellow(tasktree.Doubt(task)))
	}
	spenders := task.Spenders[:min(len(task.Spenders), term.MaxRows)]
	rows := make([][]string, len(spenders))
	for i, s := range spenders {
		rows[i] = tasktree.SpentRow(s.Agent, tasktree.MaxAgentColumns, s.Handoffs, s.Cost, total)
	}
	var spent message.Decimal
	lines := term.Columns(rows)
	for t.screen && term.Width(lines[0]) > t.Width && len(rows[0]) > len([]string{"agent", "USD"}) {
		for i := range rows {
			rows[i] = rows[i][:len(rows[i])-1]
		}
		lines = term.Columns(rows)
	}
	for i, line := range lines {
		s := spenders[i]
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

// mark returns the column at which a part of the whole ends.
func mark(part, whole message.Decimal, columns int) int {
	if whole.Sign() <= 0 {
		return 0
	}
	const digits = 6
	share := part.Quo(whole, digits).Float64()
	return int(min(max(share, 0), 1)*float64(columns) + 0.5)
}
