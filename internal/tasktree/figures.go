package tasktree

import (
	"strings"
	"time"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/message"
)

// USD formats an amount in USD.
func USD(d message.Decimal) string { return term.Dollars([]byte(d.String())) }

// Tokens returns the number of tokens of a cost.
func Tokens(c chain.Cost) int64 { return c.Prompt + c.Completion }

// InTokens formats the number of tokens of a cost.
func InTokens(c chain.Cost) string { return term.Grouped(Tokens(c)) + " tokens" }

// Share formats a part as a percentage of the whole, "-" if the whole is zero.
func Share(part, whole message.Decimal) string {
	if whole.Sign() <= 0 {
		return "-"
	}
	text := part.Mul(message.NewDecimal(100, 0)).Quo(whole, 1).String()
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return term.Clip(text, 8) + "%"
}

// SpentRow returns the cells for an agent's part of a total: the agent, clipped to columns, the number of
// handoffs, USD, its share and tokens.
func SpentRow(who string, columns, handoffs int, spent, total chain.Cost) []string {
	return []string{term.Clip(who, columns), term.Plural(handoffs, "handoff"), USD(spent.SpentUSD), Share(spent.SpentUSD, total.SpentUSD), InTokens(spent)}
}

// Doubt returns the reason why the sum of a task's steps may differ from its spending, "" if nothing
// suggests that.
func Doubt(task *chain.Task) string {
	if task.Agrees {
		return ""
	}
	relay := task.Relay
	if relay.SpentUSD.Equal(task.Total.SpentUSD) && relay.Prompt == task.Total.Prompt && relay.Completion == task.Total.Completion {
		return "branches meet in a message that does not join them: some costs may be counted twice"
	}
	return "the last messages report " + USD(relay.SpentUSD) + " and " + InTokens(relay) + ": a message is missing, or a figure decreased"
}

// Day returns the day of a time, the heading for the times of a task.
func Day(t time.Time) string {
	if t.IsZero() {
		return "time"
	}
	return t.UTC().Format(time.DateOnly)
}

// When returns the time between the parent's message and a message. Without a parent, it returns the
// message's time, or its day if that differs from the day of the task's first message.
func When(n *chain.Node, first time.Time) string {
	switch {
	case n.Time.IsZero():
		return "-"
	case n.Parent != nil && !n.Parent.Time.IsZero():
		text := term.Elapsed(n.Time.Sub(n.Parent.Time))
		if text[0] != '-' {
			text = "+" + text
		}
		return text
	case Day(n.Time) != Day(first):
		return Day(n.Time)
	default:
		return n.Time.UTC().Format(time.TimeOnly)
	}
}
