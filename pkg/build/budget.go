package build

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// An ExhaustedError reports that nothing remains of the budget after this step: the receiver
// must not execute (section 6.1). Amounts are in US dollars.
type ExhaustedError struct {
	Before    message.Number // the budget before this step
	Step      message.Number // its cost
	Remaining message.Number // Before - Step: zero or less
}

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("the budget is exhausted: %.40s USD before this step less its cost of %.40s USD leaves %.40s USD; raise the budget",
		e.Before, e.Step, e.Remaining)
}

// costTracking returns the budget relay of section 9, with this step deducted. All sums are
// exact.
func (b *builder) costTracking() []byte {
	wrong := len(b.errs)
	step := b.state.number("/cost/costUSD")
	before := b.budgetBefore()
	spent := b.sum(step, "/costTracking/costSpentSoFarUSD", "/cost/costUSD")
	remaining := b.plain(before.Sub(step), "/cost/costUSD")
	prompt := b.sum(b.state.number("/cost/tokens/prompt"), "/costTracking/tokenSpent/prompt", "/cost/tokens/prompt")
	completion := b.sum(b.state.number("/cost/tokens/completion"), "/costTracking/tokenSpent/completion", "/cost/tokens/completion")
	if len(b.errs) > wrong {
		return nil // nothing remains of unknown amounts either
	}
	if before.Cmp(step) <= 0 && !b.o.AllowExhausted {
		b.note(&ExhaustedError{message.Number(before.String()), message.Number(step.String()), remaining})
	}
	return fmt.Appendf(nil, `{"costSpentSoFarUSD":%s,"costBudgetRemainingUSD":%s,"tokenSpent":{"prompt":%s,"completion":%s}}`,
		spent, remaining, prompt, completion)
}

// budgetBefore returns the remaining budget before this step.
func (b *builder) budgetBefore() message.Decimal {
	const own = "/cost/budgetUSD"
	given := b.state.root.At(own).Exists()
	if b.isFirst() {
		if !given {
			b.state.fail(own, "missing: a first handoff needs the budget of the whole task, in US dollars").
				bySchema = b.state.root.Get("cost").Kind() != jsonstream.Object
			return message.Decimal{}
		}
		return b.state.number(own)
	}
	before := b.parent.number("/costTracking/costBudgetRemainingUSD")
	if given {
		if budget := b.state.number(own); !budget.Equal(before) {
			b.state.fail(own, "%.40s is not the budget that the parent leaves, %.40s: leave it out", budget.String(), before.String())
		}
	}
	return before
}

// sum adds a number of this step to the parent's.
func (b *builder) sum(step message.Decimal, inherited, own string) message.Number {
	if !b.isFirst() {
		step = step.Add(b.parent.number(inherited))
	}
	return b.plain(step, own)
}

// plain writes a sum without an exponent. It rejects a sum that no later handoff could add to.
func (b *builder) plain(sum message.Decimal, own string) message.Number {
	text := sum.String()
	if !jsonstream.SafeNumber([]byte(text)) {
		b.state.fail(own, "with it, the exact total has more than %d digits: round the amounts", jsonstream.MaxDigits)
	}
	return message.Number(text)
}
