package tasktree

import (
	"strings"

	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/message"
)

// USD writes an amount in USD.
func USD(d message.Decimal) string { return term.Dollars([]byte(d.String())) }

// Tokens returns how many tokens a cost has.
func Tokens(c chain.Cost) int64 { return c.Prompt + c.Completion }

// Share writes which part of the whole something is, "-" of nothing.
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
